// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include <ostinato/preconditioners/contract/preconditioner.hpp>
#include <ostinato/solvers/options.hpp>
#include <ostinato/spmv/analysis/analysis.hpp>
#include <ostinato/spmv/block.hpp>
#include <ostinato/spmv/linear_operator.hpp>
#include <ostinato/spmv/operator.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/stencil/stencil_operator.hpp>
#include <ostinato/strategy/set_up.hpp>
#include <ostinato/strategy/system_set_up.hpp>

namespace ostinato {

namespace detail {

template <class A, class Space, class T>
concept HasMatrix = std::same_as<A, Operator<Space, T>> || std::same_as<A, StencilOperator<Space, T>>;

/// An operator of a user as a LinearMap: lent, or moved in.
template <class Space, class T, class A>
std::shared_ptr<const LinearMap<Space, T>> map_of(const Space& space, A&& a) {
  using Class = std::remove_cvref_t<A>;
  using Map = LinearMap<Space, T>;
  constexpr bool lent = std::is_lvalue_reference_v<A>;
  if constexpr (!std::derived_from<Class, Map>) {
    using Held = Adapted<Map, std::conditional_t<lent, const Class&, Class>>;
    const auto rows = static_cast<std::size_t>(a.rows()), cols = static_cast<std::size_t>(a.cols());
    return std::make_shared<const Held>(space, rows, cols, std::forward<A>(a));
  } else if constexpr (lent) {
    return std::shared_ptr<const Map>(std::shared_ptr<const void>(), &a);
  } else {
    return std::make_shared<const Class>(std::move(a));
  }
}

}  // namespace detail

/// A preconditioner that solves A z = r to a tolerance, with what a LinearSolver has set up and shares with it. It
/// varies(): CG and GMRES are made for that.
///
/// Exec      As LinearSolver::solve(). A solve that doesn't get there gives the z that it has reached.
/// Throws    As LinearSolver::solve().
template <class Space, class T>
class SolverPreconditioner final : public PreconditionerBase<Space, T> {
 public:
  SolverPreconditioner(std::shared_ptr<detail::SystemSetUp<Space, T>> system, SolveOptions options);

  std::string name() const override { return "solver"; }
  std::size_t rows() const override { return system_->matrix().rows(); }
  std::size_t bytes() const override { return system_->set_up.preconditioner_bytes; }
  bool varies() const override { return true; }
  void apply(Block<const T> r, Block<T> z) const override;

 private:
  using PreconditionerBase<Space, T>::space_;
  std::shared_ptr<detail::SystemSetUp<Space, T>> system_;
  SolveOptions options_;
};

/// The set-up of a system A x = b, kept: solve() as often as wanted. It does what the program `ostinato solve` does to
/// a matrix: numbers rows anew where that pays (NumberedMatrix), prepares the system (PreparedMatrix), chooses a
/// format, a preconditioner and a solver, and goes on with stronger ones where these don't get there.
///
/// It remembers what worked: where a solve has gone on to a stronger preconditioner, the next one begins with that.
///
///   ostinato::LinearSolver solver(space, matrix, {.preconditioner = {"ilut"}});
///   auto result = solver.solve(b, x);
///
/// A matrix that isn't square, and any with the solver "lsmr", is solved as a least squares problem, with a
/// preconditioner of A^T A or A A^T. For a StencilOperator the preconditioner is multigrid where that pays, or none. An
/// operator of your own has none: a preconditioner needs entries. options.solve.symmetric says that such an operator is
/// symmetric.
///
/// Shapes    A: m x n. b: m, x: n, in the memory of the space, in the caller's numbers, apart from each other.
/// Exec      The constructor waits, and so does solve(). One thread at a time uses an object and its preconditioners.
/// Layout    The object keeps what it needs alive: it shares an analysis, and copies a Csr or takes it over
///           (std::move). The arrays of a CsrView are lent, as are an Operator, a StencilOperator or an operator of
///           your own that isn't moved in: they must outlive the object, unchanged.
/// Requires  An object that was moved from throws ArgumentError.
/// Throws    ArgumentError for a malformed matrix, unknown names and options that can't be, and what a preconditioner
///           that was asked for refuses; MemoryLimitError beyond options.solve.mem_limit, before the memory is taken;
///           DeviceError; std::bad_alloc. What names a row names it in the caller's numbers.
template <class Space, class T>
class LinearSolver {
 public:
  LinearSolver(const Space& space, const Csr<T>& a, LinearSolverOptions options = usual_options<T>());
  LinearSolver(const Space& space, Csr<T>&& a, LinearSolverOptions options = usual_options<T>());
  LinearSolver(const Space& space, const CsrView<T>& a, LinearSolverOptions options = usual_options<T>());
  explicit LinearSolver(const Analysis<Space, T>& a, LinearSolverOptions options = usual_options<T>());
  /// Solves with the format that the operator has, and doesn't number rows anew. Where the matrix is gone
  /// (Operator::analysis()), there is no preconditioner.
  LinearSolver(const Space& space, const Operator<Space, T>& a, LinearSolverOptions options = usual_options<T>());
  LinearSolver(const Space& space, const Operator<Space, T>&& a, LinearSolverOptions options = {}) = delete;
  LinearSolver(const Space& space, const StencilOperator<Space, T>& a,
               LinearSolverOptions options = usual_options<T>());
  LinearSolver(const Space& space, StencilOperator<Space, T>&& a, LinearSolverOptions options = usual_options<T>());
  /// A LinearMap, or a class with value_type, rows(), cols() and apply() (spmv/linear_operator.hpp).
  template <class A>
  requires(LinearOperator<std::remove_cvref_t<A>> && !detail::HasMatrix<std::remove_cvref_t<A>, Space, T>)
      LinearSolver(const Space& space, A&& a, LinearSolverOptions options = usual_options<T>())
      : LinearSolver(FromMap{}, detail::map_of<Space, T>(space, std::forward<A>(a)), std::move(options)) {}
  // What is neither comes here.
  template <detail::ForeignMatrix A>
  requires(!LinearOperator<A>) LinearSolver(const Space&, const A&, LinearSolverOptions = {}) {
    detail::explain_operator<A>();
  }

  LinearSolver(LinearSolver&&) noexcept = default;
  LinearSolver& operator=(LinearSolver&&) noexcept = default;

  /// Solves from the guess in x. The residual and the end state are those of the given system.
  /// Throws    As solve() with a preconditioner (strategy/solve_by_name.hpp).
  SolveResult solve(In<T> b, Out<T> x, const SolveOptions& options);
  SolveResult solve(In<T> b, Out<T> x) { return solve(b, x, options().solve); }

  /// Solves for each column of b from that of x. A result for each.
  /// Throws    DimensionError for different numbers of columns; as above. Columns before are then solved.
  std::vector<SolveResult> solve_columns(Block<const T> b, Block<T> x, const SolveOptions& options);
  std::vector<SolveResult> solve_columns(Block<const T> b, Block<T> x) { return solve_columns(b, x, options().solve); }

  /// Takes a matrix with new values on the same pattern, of which arrays are copied, moved in or lent as by the
  /// constructors. Numbering and preconditioner stay those that were chosen; what depends on values is made anew.
  /// Where the time is over, or a stop is requested, set_up().unfinished says so, as after the constructor.
  /// Throws    ArgumentError for another pattern, and where the system is no matrix; as the constructors. The object
  ///           is then as before, but for what options().progress throws at the end: it then has the new values.
  void update_values(const Csr<T>& a);
  void update_values(Csr<T>&& a);
  void update_values(const CsrView<T>& a);
  void update_values(const Analysis<Space, T>& a);

  /// A preconditioner by solves to options.rtol, and within its other limits.
  SolverPreconditioner<Space, T> as_preconditioner(const SolveOptions& options = {.rtol = 1e-2}) const;

  /// A in the caller's numbers. The products of a matrix are made with twice the digits.
  const LinearMap<Space, T>& matrix() const { return system().matrix(); }
  const SetUp& set_up() const { return system().set_up; }
  const LinearSolverOptions& options() const { return system().options; }

 private:
  struct FromMap {};
  LinearSolver(FromMap, std::shared_ptr<const LinearMap<Space, T>> a, LinearSolverOptions options);
  LinearSolver(std::shared_ptr<const StencilOperator<Space, T>> a, LinearSolverOptions options);

  detail::SystemSetUp<Space, T>& system() const;

  std::shared_ptr<detail::SystemSetUp<Space, T>> system_;
};

template <IsSpace Space, detail::ForeignMatrix A>
LinearSolver(const Space&, const A&) -> LinearSolver<Space, typename detail::ValueOf<A>::type>;
template <IsSpace Space, detail::ForeignMatrix A>
LinearSolver(const Space&, const A&, LinearSolverOptions) -> LinearSolver<Space, typename detail::ValueOf<A>::type>;

OSTINATO_EXTERN_CLASS(SolverPreconditioner);
OSTINATO_EXTERN_CLASS(LinearSolver);

}  // namespace ostinato
