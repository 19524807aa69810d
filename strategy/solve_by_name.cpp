// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/strategy/solve_by_name.hpp>

#include <string>

#include <ostinato/solvers/recurrence/callback_guard.hpp>
#include <ostinato/spmv/base/units.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/strategy/ladder.hpp>
#include <ostinato/strategy/least_squares_ladder.hpp>

namespace ostinato {

namespace {

SolverChoice choose_for_symmetric(const Facts& s) {
  if (s.positive_diagonal)
    return {std::string(name_in_auto<RoleInAuto::definite>), "the matrix is symmetric with a positive diagonal"};
  if (s.negative_diagonal)
    return {std::string(name_in_auto<RoleInAuto::definite>),
            "the matrix is symmetric with a negative diagonal, so that cg solves -A x = -b"};
  return {std::string(name_in_auto<RoleInAuto::symmetric>),
          s.nonzeros == 0
              ? "the matrix is symmetric, and its diagonal isn't known; name \"cg\" if it is positive definite"
              : "the matrix is symmetric, but its diagonal isn't positive"};
}

}  // namespace

SolverChoice choose_solver(const Facts& s, std::size_t value_bytes, int restart, const PreconditionerTraits& m,
                           std::size_t limit) {
  constexpr double small_rate = 0.7;
  if (s.cols > 0 && s.rows != s.cols)
    return {std::string(name_in_auto<RoleInAuto::least_squares>),
            "the matrix isn't square"};  // users' structures have no cols
  if (s.symmetric && m.symmetric && s.rows > 0) return choose_for_symmetric(s);
  const std::string why = m.symmetric ? "the matrix isn't symmetric" : "the preconditioner isn't symmetric";
  // GMRES takes twice the iterations then, each with one product and one M as well, and looks at the whole basis.
  if (m.symmetric && !m.varies && m.rate > 0 && m.rate < small_rate)
    return {std::string(name_in_auto<RoleInAuto::little_memory>),
            why + ", and the preconditioner leaves few iterations"};
  if (m.weak && !m.varies && s.nonzeros > 0)
    return {std::string(name_in_auto<RoleInAuto::cheap>), why + ", and many cheap iterations are expected"};
  const double memory = basis_memory(limit);
  if (m.varies) value_bytes *= 2;
  if (!runs::basis_is_affordable(s.rows, value_bytes, restart, memory))
    return {std::string(name_in_auto<RoleInAuto::little_memory>),
            why + ", and a GMRES basis would take over " + bytes_text(memory)};
  const int vectors = krylov_vectors(static_cast<std::size_t>(s.rows), value_bytes, restart, memory);
  return {std::string(name_in_auto<RoleInAuto::general>),
          why + ", and a basis of " + std::to_string(vectors) + " vectors is affordable"};
}

namespace detail {

template <class Space, class T>
SolveResult solve_by_name(const Space& space, const OperatorRef<Space, T>& a, In<T> b, Out<T> x,
                          const PreconditionerRef<Space, T>& m, std::string_view solver, const SolveOptions& given) {
  require_valid(given);
  const CallbackGuard guard(given);  // so that std::bad_alloc of a callback isn't taken for a method's lack of memory
  const UsualName asked = usual_name(NameOf::solver, solver);
  const bool no_other = asked.name == "auto" && a.rows() != a.cols();
  const std::string_view name = no_other ? name_in_auto<RoleInAuto::least_squares> : asked.name;
  SolveResult result = takes_any_shape(name)
                           ? runs::LeastSquaresLadder<Space, T>(space, a, b, x, guard.options()).climb(m)
                           : runs::Ladder<Space, T>(space, a, b, x, name, guard.options()).climb(m);
  if (const std::string unused = unused_options(given, name); !unused.empty())
    result.notes.push_back("an option had no effect: " + unused);
  if (!asked.note.empty()) result.notes.insert(result.notes.begin(), asked.note);
  if (no_other) result.notes.insert(result.notes.begin(), std::string(name) + " chosen: the matrix isn't square");
  guard.rethrow();
  return result;
}

#define OSTINATO_INSTANTIATE(Space, T)                                                          \
  template SolveResult solve_by_name(const Space&, const OperatorRef<Space, T>&, In<T>, Out<T>, \
                                     const PreconditionerRef<Space, T>&, std::string_view, const SolveOptions&)
OSTINATO_FOR_ALL(OSTINATO_INSTANTIATE);

}  // namespace detail

}  // namespace ostinato
