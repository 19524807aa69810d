// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/strategy/linear_solver.hpp>

#include <optional>
#include <string>

#include <ostinato/preconditioners/synonyms.hpp>
#include <ostinato/solvers/list.hpp>
#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/message.hpp>
#include <ostinato/spmv/base/timing.hpp>
#include <ostinato/strategy/map_systems.hpp>
#include <ostinato/strategy/matrix_systems.hpp>
#include <ostinato/strategy/runs.hpp>

namespace ostinato {

namespace {

void require_valid(const LinearSolverOptions& options) {
  ostinato::require_valid(options.solve);
  if (options.right_sides < 1) throw ArgumentError("LinearSolver: right_sides has to be 1 at least");
  if (lower(options.device) != "auto")
    throw ArgumentError("LinearSolver works on its space; device = " + options.device + " is for solve(a, b)");
  const std::string solver = usual_name(NameOf::solver, options.solver).name;
  if (solver == "auto" || find_solver(solver) != nullptr) return;
  runs::throw_unknown_solver(solver);
}

template <class Space, class T>
using SystemPointer = std::shared_ptr<detail::SystemSetUp<Space, T>>;

template <class Space, class T>
SystemPointer<Space, T> system_of(Analysis<Space, T> analysis, LinearSolverOptions options, double upload_seconds = 0,
                                  const Operator<Space, T>* lent = nullptr) {
  const Structure& s = analysis.structure();
  if (s.rows != s.cols || takes_any_shape(options.solver))
    return std::make_shared<detail::LeastSquaresSystem<Space, T>>(std::move(analysis), std::move(options),
                                                                  upload_seconds);
  return std::make_shared<detail::SquareSystem<Space, T>>(std::move(analysis), std::move(options), upload_seconds,
                                                          lent);
}

/// Calls analyse(), whose analysis is passed on, so that nothing else keeps a matrix that is numbered anew.
template <class Space, class T, class Analyse>
SystemPointer<Space, T> system_of_arrays(LinearSolverOptions options, Analyse analyse) {
  require_valid(options);
  if (options.progress) options.progress(SetUp{});
  const Stopwatch watch;
  Analysis<Space, T> analysis = analyse();
  const double upload_seconds = Space::has_host_memory ? 0 : watch.seconds() - analysis.seconds();
  return system_of(std::move(analysis), std::move(options), upload_seconds);
}

template <class Space, class T>
Analysis<Space, T> analysis_of_copy(const Space& space, const Csr<T>& a) {
  return Analysis<Space, T>(space, SpaceCsr<Space, T>(space, a).kept(space));
}

}  // namespace

template <class Space, class T>
LinearSolver<Space, T>::LinearSolver(const Space& space, const Csr<T>& a, LinearSolverOptions options)
    : system_(system_of_arrays<Space, T>(std::move(options), [&] { return analysis_of_copy(space, a); })) {}

template <class Space, class T>
LinearSolver<Space, T>::LinearSolver(const Space& space, Csr<T>&& a, LinearSolverOptions options)
    : system_(system_of_arrays<Space, T>(std::move(options), [&] { return Analysis<Space, T>(space, std::move(a)); })) {
}

template <class Space, class T>
LinearSolver<Space, T>::LinearSolver(const Space& space, const CsrView<T>& a, LinearSolverOptions options)
    : system_(system_of_arrays<Space, T>(std::move(options), [&] { return Analysis<Space, T>(space, a); })) {}

template <class Space, class T>
LinearSolver<Space, T>::LinearSolver(const Analysis<Space, T>& a, LinearSolverOptions options) {
  require_valid(options);
  system_ = system_of(a, std::move(options));
}

template <class Space, class T>
LinearSolver<Space, T>::LinearSolver(const Space& space, const Operator<Space, T>& a, LinearSolverOptions options) {
  require_valid(options);
  if (!a.works_on(space)) throw ArgumentError("LinearSolver: the operator works on another space");
  const std::optional<Analysis<Space, T>> analysis = a.analysis();
  if (!analysis) {
    system_ = std::make_shared<detail::OperatorSystem<Space, T>>(
        detail::map_of<Space, T>(space, a), options,
        "no preconditioner was chosen: the operator doesn't keep its matrix");
    return;
  }
  if (options.renumber == Renumber::on || options.format.format != "auto")
    throw ArgumentError("LinearSolver: the operator has its format and its numbers; give the matrix for others");
  options.renumber = Renumber::off;
  system_ = system_of(*analysis, std::move(options), 0, &a);
}

template <class Space, class T>
LinearSolver<Space, T>::LinearSolver(const Space& space, const StencilOperator<Space, T>& a,
                                     LinearSolverOptions options)
    : LinearSolver(std::shared_ptr<const StencilOperator<Space, T>>(std::shared_ptr<const void>(), &a),
                   std::move(options)) {
  if (!space.is_same_place(a.space())) throw ArgumentError("LinearSolver: the operator works on another space");
}

template <class Space, class T>
LinearSolver<Space, T>::LinearSolver(const Space& space, StencilOperator<Space, T>&& a, LinearSolverOptions options)
    : LinearSolver(std::make_shared<const StencilOperator<Space, T>>(std::move(a)), std::move(options)) {
  if (!space.is_same_place(system().matrix().space()))
    throw ArgumentError("LinearSolver: the operator works on another space");
}

template <class Space, class T>
LinearSolver<Space, T>::LinearSolver(std::shared_ptr<const StencilOperator<Space, T>> a, LinearSolverOptions options) {
  require_valid(options);
  system_ = std::make_shared<detail::StencilSystem<Space, T>>(a, std::move(options));
}

template <class Space, class T>
LinearSolver<Space, T>::LinearSolver(FromMap, std::shared_ptr<const LinearMap<Space, T>> a,
                                     LinearSolverOptions options) {
  require_valid(options);
  system_ = std::make_shared<detail::OperatorSystem<Space, T>>(a, options);
}

template <class Space, class T>
detail::SystemSetUp<Space, T>& LinearSolver<Space, T>::system() const {
  if (system_ == nullptr) throw ArgumentError("the LinearSolver was moved from");
  return *system_;
}

template <class Space, class T>
SolveResult LinearSolver<Space, T>::solve(In<T> b, Out<T> x, const SolveOptions& options) {
  SolveResult result = system().solve(b, x, options);
  system().matrix().space().wait();  // x may be written after the last look at the residual
  return result;
}

template <class Space, class T>
std::vector<SolveResult> LinearSolver<Space, T>::solve_columns(Block<const T> b, Block<T> x,
                                                               const SolveOptions& options) {
  if (b.columns != x.columns)
    throw DimensionError("LinearSolver: b has " + std::to_string(b.columns) + " columns, but x has " +
                         std::to_string(x.columns));
  system().expect(b.columns);
  std::vector<SolveResult> results;
  for (int k = 0; k < b.columns; ++k) results.push_back(system().solve(b.column(k), x.column(k), options));
  system().matrix().space().wait();
  return results;
}

template <class Space, class T>
void LinearSolver<Space, T>::update_values(const Csr<T>& a) {
  update_values(analysis_of_copy(matrix().space(), a));
}

template <class Space, class T>
void LinearSolver<Space, T>::update_values(Csr<T>&& a) {
  update_values(Analysis<Space, T>(matrix().space(), std::move(a)));
}

template <class Space, class T>
void LinearSolver<Space, T>::update_values(const CsrView<T>& a) {
  update_values(Analysis<Space, T>(matrix().space(), a));
}

template <class Space, class T>
void LinearSolver<Space, T>::update_values(const Analysis<Space, T>& a) {
  system().update_values(a);
}

template <class Space, class T>
SolverPreconditioner<Space, T> LinearSolver<Space, T>::as_preconditioner(const SolveOptions& options) const {
  require_valid(options);
  (void)system();
  return SolverPreconditioner<Space, T>(system_, options);
}

template <class Space, class T>
SolverPreconditioner<Space, T>::SolverPreconditioner(std::shared_ptr<detail::SystemSetUp<Space, T>> system,
                                                     SolveOptions options)
    : PreconditionerBase<Space, T>(system->matrix().space()), system_(std::move(system)), options_(std::move(options)) {
  options_.history = false;
}

template <class Space, class T>
void SolverPreconditioner<Space, T>::apply(Block<const T> r, Block<T> z) const {
  for (int k = 0; k < z.columns; ++k) {
    space_.zero(z.column(k).data(), z.column(k).size_bytes());
    system_->solve(r.column(k), z.column(k), options_);
  }
}

OSTINATO_CLASS(SolverPreconditioner);
OSTINATO_CLASS(LinearSolver);

}  // namespace ostinato
