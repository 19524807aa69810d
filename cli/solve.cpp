// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include <ostinato/ostinato.hpp>
#include <ostinato/solvers/list.hpp>
#include <ostinato/solvers/recurrence/diagnosis.hpp>
#include <ostinato/spmv/algebra/accurate_residual.hpp>
#include <ostinato/spmv/algebra/extract.hpp>
#include <ostinato/spmv/analysis/profile.hpp>
#include <ostinato/spmv/base/timing.hpp>
#include <ostinato/spmv/ordering/breadth_first.hpp>
#include <ostinato/spmv/ordering/clusters.hpp>
#include <ostinato/spmv/ordering/renumber.hpp>
#include <ostinato/spmv/selection/numbering.hpp>
#include <ostinato/strategy/prepared_matrix.hpp>
#include <ostinato/strategy/stencil_preconditioner.hpp>
#include <ostinato/strategy/system_solve.hpp>
#include <ostinato/strategy/watch.hpp>

#include "commands.hpp"
#include "exit_code.hpp"
#include "files.hpp"
#include "generated.hpp"
#include "json.hpp"
#include "progress.hpp"
#include "report.hpp"
#include "solve_input.hpp"
#include "solve_system.hpp"
#include "text.hpp"

namespace ostinato::cli {

namespace {

/// The given matrix, where the operator of the solve is that of a prepared one.
template <class Space, class T>
struct GivenMatrix {
  using value_type = T;
  const Analysis<Space, T>& analysis;

  const Space& space() const { return analysis.space(); }
  const Structure& structure() const { return analysis.structure(); }
  const ostinato::Facts& facts() const { return structure(); }
  Index rows() const { return structure().rows; }
  Index cols() const { return structure().cols; }
  void apply(T, In<T> x, T, Out<T> y) const {
    const Vector<Space, T> zero(space(), y.size(), T{0});
    Vector<Space, double> slot(space(), 1);
    accurate_residual<T>(space(), analysis.matrix().view(), 1, 1, x, zero, y, slot.data());
    scale<T>(space(), T{-1}, y, y);
  }
};

/// Returns the vector given, or A * ones.
template <class A, class Space, class T>
Vector<Space, T> right_hand_side(const Space& space, const A& a, const Array<T>& given) {
  if (!given.empty()) return Vector<Space, T>(space, std::span<const T>(given));
  const Vector<Space, T> ones(space, static_cast<std::size_t>(a.cols()), T{1});
  Vector<Space, T> b(space, static_cast<std::size_t>(a.rows()));
  a.apply(T{1}, ones, T{0}, b);
  space.wait();
  return b;
}

/// Whether A * ones is 0 but for rounding, as on a grid without boundary values.
template <class A, class Space, class T>
bool is_rounding(const A& a, const Vector<Space, T>& b) {
  const double norm = a.structure().norm_inf;
  // The largest rather than the norm, whose squares might vanish.
  if (!(largest(b.download()) <= 8 * static_cast<double>(std::numeric_limits<T>::epsilon()) * norm)) return false;
  return std::isfinite(norm) &&
         is_rounding_by_row<Space, T>(a.space(), detail::as_map<Space, T>(a.space(), a),
                                      std::vector<T>(static_cast<std::size_t>(a.cols()), T{1}), b);
}

/// Refuses a matrix for which b = A * ones is 0: the residual of x = 0 would then be within any goal.
void require_generated(const SolveInput& in) {
  if (generated_matrix(in.matrix)) return;
  throw FormatError(in.matrix, 0,
                    "A * ones = 0: the matrix is singular, constants solve A x = 0; give a right-hand side with -f");
}

/// A x with x(i) = sin i, where i is the number in the file. `order`: as in the report.
template <class A, class Space, class T>
void multiply_sines(const A& a, const std::vector<Index>& order, Vector<Space, T>& b) {
  std::vector<T> x(b.size());
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<T>(std::sin(static_cast<double>(i + 1)));
  if (!order.empty()) {
    const Array<T> numbered = renumber<T>(x, order);
    x.assign(numbered.begin(), numbered.end());
  }
  a.apply(T{1}, Vector<Space, T>(a.space(), std::span<const T>(x)), T{0}, b);
  a.space().wait();
}

template <class Space, class T>
Vector<Space, T> initial_guess(const Space& space, std::size_t n, const Array<T>& given) {
  if (!given.empty()) return Vector<Space, T>(space, std::span<const T>(given));
  return Vector<Space, T>(space, n, T{0});
}

/// The 2-norm, by way of the largest element: squares might leave the range.
template <class T>
double norm_of(const std::vector<T>& v) {
  const double size = largest(v);
  if (!(size > 0)) return size;
  double total = 0;
  for (const T e : v) total += (static_cast<double>(e) / size) * (static_cast<double>(e) / size);
  return size * std::sqrt(total);
}

template <class T>
double error_of(const std::vector<T>& x) {
  double error = 0;
  for (const T v : x) error = std::max(error, std::abs(static_cast<double>(v) - 1));
  return error;
}

struct StopOnInterrupt {
  const InterruptFlag* flag;
  bool stop_requested() const { return flag->raised(); }
};

/// The options of a solve that shows its progress in the live line, and stops when the flag is raised.
SolveOptions shown(SolveOptions options, const InterruptFlag& interrupt, LiveLine& live) {
  options.callback = [&](const Iteration& now) {
    live.iteration(now);
    return true;
  };
  options.stop = StopOnInterrupt{&interrupt};
  return options;
}

/// What choose_solver() has to know of a preconditioner: its rate, and the bytes of an element of a basis.
template <class M>
double steady_rate(const M& m) {
  return m && !m->varies() ? m->rate() : 0;
}
template <class T, class M>
std::size_t bytes_in_basis(const M& m) {
  return (m && m->varies() ? 2 : 1) * sizeof(T);
}

/// Returns the solver for the report, and the reason for it.
SolverChoice solver_choice(const SolveInput& in, const Structure& s, std::size_t value_bytes, double rate,
                           std::size_t preconditioner_bytes, bool symmetric_preconditioner = true) {
  if (in.solver != "auto") return {in.solver, "asked for"};
  return choose_solver(s, value_bytes, in.limits.restart, rate, symmetric_preconditioner,
                       memory_left(in.limits.mem_limit, preconditioner_bytes));
}

template <class T>
void keep_solution(const SolveInput& in, SolveReport& report, const std::vector<T>& x) {
  if (report.of_ones && report.structure.rows >= report.structure.cols) report.error = error_of(x);
  if (in.output.empty()) return;
  const std::string comment = "ostinato solve " + in.matrix + "\n" + report.result.message();
  const std::vector<Index>& order = report.renumbering.order;
  if (order.empty()) {
    write_vector<T>(in.output, std::span<const T>(x), comment);
  } else {
    write_vector<T>(in.output, number_as_before<T>(x, order), comment);
  }
  report.output = in.output;
}

/// Writes a line for each iteration: the number, and ||b - A x|| / ||b|| as the method has it.
void write_history(const std::string& path, const std::vector<double>& history) {
  if (path.empty()) return;
  std::string text = "iteration,relative_residual\n";
  for (std::size_t k = 0; k < history.size(); ++k) text += fmt::format("{},{:.17g}\n", k, history[k]);
  io::Output file(path);
  file.write(text);
  file.close();
}

/// Writes x, the report, the history and the table, each also when another can't be written. Returns the exit code.
template <class Space, class T>
int finish(const SolveInput& in, SolveReport& report, const Vector<Space, T>& x, const Stopwatch& since_start) {
  Outputs outputs;
  outputs.attempt([&] { keep_solution(in, report, x.download()); });
  report.times.total = since_start.seconds();
  outputs.attempt([&] { write_json(in.json, report); });
  outputs.attempt([&] { write_history(in.history, report.result.history); });
  outputs.attempt([&] {
    if (!in.html.empty()) html::write_page(in.html, page_of(report));
  });
  outputs.attempt([&] {
    if (!in.quiet) print_table(table_stream({in.json, in.html, in.output, in.history}), report);
    require_printed();
  });
  return outputs.finish(exit_code(report.result.status));
}

/// Builds the operator and fills in its part of the report.
template <class Space, class T>
Operator<Space, T> build_operator(const Analysis<Space, T>& analysis, const SolveInput& in, SolveReport& report) {
  Operator<Space, T> a(analysis, format_options(in));
  report.times.analyse = a.analyse_seconds();
  report.times.convert = a.convert_seconds();
  report.times.tune = a.tune_seconds();
  report.structure = a.structure();
  report.choice = a.choice();
  report.formats = in.formats;
  report.amortisation =
      amortisation_of(a.choice(), a.analyse_seconds(), a.convert_seconds(), format_options(in).expected_products);
  return a;
}

/// The parts of the report that are known before any work.
SolveReport begun(const SolveInput& in, const DeviceInfo& device) {
  SolveReport report;
  report.matrix = in.matrix;
  report.device = device;
  report.options = solve_options(in, device.precision);
  report.of_ones = in.rhs.empty();
  report.rhs = report.of_ones ? "b = A * ones, no --rhs was given" : in.rhs;
  return report;
}

/// A time that is over after some seconds.
struct Deadline {
  double seconds;
  Stopwatch since = {};
  bool stop_requested() const { return since.seconds() >= seconds; }
};

StopRequest end_of(const SolveOptions& limits) {
  return limits.time_limit > 0 ? StopRequest(Deadline{limits.time_limit}) : StopRequest();
}

/// The preconditioner that is asked for; of multigrid with the coordinates of the points, where there are any.
PreconditionerRequest asked_preconditioner(const SolveInput& in) {
  PreconditionerRequest asked = parse_preconditioner(in.precond);
  if (in.coordinates.empty()) return asked;
  Table table = load_coordinates(in.coordinates);
  std::any_cast<MultigridOptions&>(asked.options).coordinates = {table.cols, std::move(table.values)};
  return asked;
}

/// Makes a preconditioner within the limits of time and memory. Nothing when the time is over before.
template <class Space, class T>
std::optional<AnyPreconditioner<Space, T>> make_preconditioner(const Analysis<Space, T>& analysis,
                                                               const SolveInput& in) {
  try {
    return AnyPreconditioner<Space, T>(analysis, asked_preconditioner(in), end_of(in.limits), in.limits.mem_limit);
  } catch (const Stopped&) {
    return {};
  } catch (const MemoryLimitError&) {
    throw;
  } catch (const ArgumentError& e) {
    if (in.coordinates.empty()) throw;
    throw FormatError(in.coordinates, 0, e.what());
  }
}

/// The end of a solve that no time was left for, once its residual is known: the guess may be good enough.
void say_out_of_time(const SolveInput& in, SolveResult& result) {
  if (result) return;
  result.status = Status::time_limit;
  result.reason = fmt::format("the limit of {:.3g} s was reached while {} was made", in.limits.time_limit, in.precond);
  result.notes.clear();
}

constexpr const char* numbered_anew = "; rows were numbered anew, --renumber off keeps the numbers of the file";

/// Whether rows have got new numbers, and a sentence of the library names one.
bool names_new_row(const SolveReport& report, const std::string& text) {
  return !report.renumbering.order.empty() && text.find("(counted from 0)") != std::string::npos;
}

/// A sentence of the library, as it is about files. Says so where it names a row in other numbers than those of the
/// file.
std::string about_rows(const SolveReport& report, const std::string& text) {
  return as_in_files(text) + (names_new_row(report, text) ? numbered_anew : "");
}

/// Calls make(), whose errors may name rows by their new numbers, or miss a grid that these hide.
template <class F>
auto with_numbers_named(const SolveReport& report, F make) {
  try {
    return make();
  } catch (const MemoryLimitError&) {
    throw;
  } catch (const ArgumentError& e) {
    const std::string what = e.what();
    const bool misses_grid = what.find("stencil") != std::string::npos || what.find(" grid") != std::string::npos;
    if (!names_new_row(report, what) && (report.renumbering.order.empty() || !misses_grid)) throw;
    throw ArgumentError(what + numbered_anew);
  }
}

/// Why a preconditioner was taken; of one that was asked for also how, and what was made.
std::string why_taken(const SolveInput& in, const std::string& reason, const std::string& remarks = {}) {
  if (in.precond == "auto") return reason;
  const std::string options = options_of(in.precond);
  return reason + (options.empty() ? "" : " with " + options) + (remarks.empty() ? "" : "; " + remarks);
}

/// Names the solver and the preconditioner of the end, where "auto" has gone on to others, and what they took.
void take_last(SolveReport& report) {
  const SolveResult& result = report.result;
  if (SolverChoice& first = report.solver; result.solver != first.name)
    first = {result.solver, result.solver == "none" ? "no x solves the system, so that nothing was iterated"
                                                    : "after " + first.name + " (" + first.reason + ")"};
  report.times.precondition += result.setup_seconds;
  report.times.solve = result.seconds - result.setup_seconds;
  PreconditionerChoice& first = report.preconditioner;
  if (result.preconditioner == first.name) return;
  first = {result.preconditioner, "after " + first.name + " (" + first.reason + ")"};
  report.hierarchy.clear();
  report.bytes.preconditioner = result.preconditioner_bytes;
  report.bytes.predicted.reset();
}

/// Solves, once operator and preconditioner are there. `given`: b and x. `a`: the matrix that the user gave.
/// `solve`: a function of b, x and options.
template <class A, class T, class Solve>
int solve_with(const A& a, const System<T>& given, const SolveInput& in, SolveReport& report, LiveLine& live,
               const Stopwatch& since_start, Solve solve) {
  auto b = right_hand_side(a.space(), a, given.b);
  if (report.of_ones && a.structure().norm_inf > 0 && is_rounding(a, b)) {
    require_generated(in);
    multiply_sines(a, report.renumbering.order, b);
    report.of_ones = false;
    report.rhs = "b = A * (sin 1, sin 2, ...), as A * ones is 0";
  }
  auto x = initial_guess(a.space(), static_cast<std::size_t>(a.cols()), given.x);
  if (!in.html.empty()) report.goal = relative_goal(report.options, norm_of(b.download()));
  live.phase("solving");
  const InterruptFlag interrupt;  // until all is written
  report.result = solve(b.span(), x.span(), shown(report.options, interrupt, live));
  if (report.out_of_time) say_out_of_time(in, report.result);
  take_last(report);
  live.clear();
  report.result.reason = about_rows(report, report.result.reason);
  for (std::string& note : report.result.notes) note = about_rows(report, note);
  report.bytes.workspace = report.result.workspace_bytes;
  report.bytes.vectors = b.bytes() + x.bytes();
  return finish(in, report, x, since_start);
}

/// Takes what the report says of the operator of the solve.
template <class A>
void take_operator(SolveReport& report, const A& a) {
  report.bytes.matrix = a.bytes();
  if constexpr (requires { a.generated(); }) report.generated = a.generated();
}

/// Solves with an operator as it is.
template <class A, class M, class T>
int solve_as_is(const A& a, const M& m, const System<T>& given, const SolveInput& in, SolveReport& report,
                LiveLine& live, const Stopwatch& since_start) {
  return solve_with(a, given, in, report, live, since_start, [&](auto b, auto x, const SolveOptions& options) {
    SolveResult result = solve(a.space(), a, b, x, m, in.solver, options);
    take_operator(report, a);
    return result;
  });
}

/// Solves with the operator of a prepared matrix.
template <class M, class Space, class T>
int solve_prepared_system(PreparedMatrix<Space, T>& prepared, const Operator<Space, T>& a, const M& m,
                          const System<T>& given, const SolveInput& in, SolveReport& report, LiveLine& live,
                          const Stopwatch& since_start) {
  const GivenMatrix<Space, T> matrix{prepared.given()};
  return solve_with(matrix, given, in, report, live, since_start, [&](auto b, auto x, const SolveOptions& options) {
    SolveResult result = solve_prepared<Space, T>(prepared, a, b, x, detail::as_preconditioner<Space, T>(a.space(), m),
                                                  in.solver, options);
    report.preparation = prepared.what();
    take_operator(report, a);
    return result;
  });
}

/// Ends without an iteration: the time was over before the preconditioner was there.
template <class A, class T>
int end_out_of_time(const A& a, const System<T>& given, const SolveInput& in, SolveReport& report, LiveLine& live,
                    const Stopwatch& since_start) {
  report.out_of_time = true;
  report.options.max_iterations = 0;
  report.preconditioner = {"none", in.precond + " wasn't ready in time"};
  return solve_as_is(a, Identity{}, given, in, report, live, since_start);
}

/// Whether the solve multiplies with A^T, too.
bool takes_transpose(const SolveInput& in, const Structure& s) {
  return takes_any_shape(in.solver) || (in.solver == "auto" && s.rows != s.cols);
}

/// Makes a preconditioner for LSMR within the limits of time and memory. Nothing when the time is over before.
template <class Space, class T>
std::optional<LeastSquaresPreconditioner<Space, T>> make_least_squares_preconditioner(
    const Analysis<Space, T>& analysis, const SolveInput& in) {
  try {
    return LeastSquaresPreconditioner<Space, T>(analysis, in.precond, end_of(in.limits), in.limits.mem_limit);
  } catch (const Stopped&) {
    return {};
  }
}

/// Solves by LSMR.
template <class T, class Space>
int solve_least_squares(Operator<Space, T> forward, const Analysis<Space, T>& analysis, const System<T>& system,
                        const SolveInput& in, SolveReport& report, LiveLine& live, const Stopwatch& since_start) {
  Stopwatch watch;
  live.phase("transposing");
  const TransposableOperator<Space, T> a(std::move(forward), analysis, format_options(in));
  report.times.convert += watch.lap();
  live.phase("preparing the preconditioner");
  const auto m = with_numbers_named(report, [&] { return make_least_squares_preconditioner(analysis, in); });
  report.times.precondition = watch.lap();
  report.solver = solver_choice(in, a.structure(), sizeof(T), 0, 0);
  if (!m) return end_out_of_time(a, system, in, report, live, since_start);
  report.preconditioner = {m->name(), why_taken(in, about_rows(report, m->reason()), m->remarks())};
  report.bytes.preconditioner = m->bytes();
  report.bytes.predicted = m->prediction();
  return solve_as_is(a, *m, system, in, report, live, since_start);
}

/// Whether the rows of a system may get new numbers by --renumber auto: nothing that the user gave by name or by row
/// refers to the numbers.
template <class T>
bool may_renumber(const SolveInput& in, const System<T>& system) {
  const auto is_finite = [](const Array<T>& v) {
    return std::all_of(v.begin(), v.end(), [](T e) { return std::isfinite(e); });
  };
  return in.renumber == "auto" && in.formats.format == "auto" && in.coordinates.empty() &&
         rows_named_by(in.precond) == RowsNamed::none && is_finite(system.b) && is_finite(system.x);
}

/// A matrix in new numbers.
template <class Space, class T>
struct Renumbered {
  std::vector<Index> order;  ///< the row of the file at each place
  Csr<T> a = {};             ///< on Host, where the analysis refers to it
  std::unique_ptr<const Analysis<Space, T>> analysis = {};
};

template <class T>
Renumbered<Host, T> renumbered(const Host& space, const System<T>& system, const Analysis<Host, T>&) {
  Renumbered<Host, T> made{breadth_first_order(system.a.row_ptr, system.a.col, checked)};
  made.a = renumber<T>(space, system.a, made.order, checked);
  made.analysis = std::make_unique<const Analysis<Host, T>>(space, made.a.view());
  return made;
}

template <class T>
Renumbered<Cuda, T> renumbered(const Cuda& space, const System<T>&, const Analysis<Cuda, T>& analysis) {
  const CsrView<T>& a = analysis.matrix().view();
  const Vector<Cuda, Index> order = cluster_order(space, a.row_ptr, a.col);
  Renumbered<Cuda, T> made{order.download()};
  made.analysis =
      std::make_unique<const Analysis<Cuda, T>>(space, permute(space, analysis.matrix(), order.span(), order.span()));
  return made;
}

constexpr const char* way_of(const Host&) { return "breadth first"; }
constexpr const char* way_of(const Cuda&) { return "clusters"; }

bool has_room_to_renumber(const Host&, const Structure&) { return true; }
/// Long rows are sorted by two transposes of the matrix.
[[maybe_unused]] bool has_room_to_renumber(const Cuda& space, const Structure& s) {
  const std::size_t bytes_an_entry = s.longest_row > 32 ? 80 : 40;
  return space.free_bytes() / bytes_an_entry > static_cast<std::size_t>(s.nonzeros + s.rows);
}

/// Analyses the matrix, and numbers the rows of the system anew where that pays or was asked for.
template <class T, class Space>
std::unique_ptr<const Analysis<Space, T>> analyse(const Space& space, const SolveInput& in, System<T>& system,
                                                  SolveReport& report, LiveLine& live) {
  Stopwatch watch;
  auto analysis = std::make_unique<const Analysis<Space, T>>(space, system.a.view());
  if (!Space::has_host_memory) report.times.upload = watch.seconds() - analysis->seconds();
  const Structure& before = analysis->structure();
  const NumberingChoice choice =
      choose_numbering(before, machine_of(space), sizeof(T), format_options(in).expected_products);
  if (in.renumber != "on" && !(choice.renumber && may_renumber(in, system) && has_room_to_renumber(space, before)))
    return analysis;
  if (before.rows != before.cols) throw UsageError("--renumber on is for square matrices");
  live.phase("numbering the rows anew");
  Renumbered<Space, T> made = renumbered<T>(space, system, *analysis);
  const Structure& now = made.analysis->structure();
  if (in.renumber == "auto" && !is_better_numbered(now, before)) return analysis;
  report.renumbering = {in.renumber == "on" ? "asked for" : choice.reason, way_of(space), std::move(made.order),
                        before.profile->sectors, now.profile->sectors};
  const std::vector<Index>& order = report.renumbering.order;
  if (Space::has_host_memory) system.a = std::move(made.a);
  if (!system.b.empty()) system.b = renumber<T>(system.b, order);
  if (!system.x.empty()) system.x = renumber<T>(system.x, order);
  report.times.renumber = watch.seconds() - report.times.upload - made.analysis->seconds();
  return std::move(made.analysis);
}

template <class T, class Space>
int solve_matrix(const Space& space, const SolveInput& in, SolveReport report, const Stopwatch& since_start) {
  Progress progress;
  LiveLine live(!in.quiet);
  Stopwatch watch;
  live.phase("reading " + in.matrix, &progress);
  System<T> system = read_system<T>(in, report.file, progress);
  if (Space::has_host_memory) require_vectors<T>(in.matrix, std::max(system.a.rows, system.a.cols), bytes_of(system.a));
  if (!in.html.empty()) report.pattern = html::density_of(system.a);
  report.times.read = watch.lap();
  live.phase("choosing a format");
  const auto analysis = analyse<T>(space, in, system, report, live);
  if (takes_transpose(in, analysis->structure())) {
    Operator<Space, T> a = build_operator(*analysis, in, report);
    return solve_least_squares<T>(std::move(a), *analysis, system, in, report, live, since_start);
  }
  watch.lap();
  PreparedMatrix<Space, T> prepared(*analysis, {.enabled = in.prepare == "auto", .symmetric = in.symmetric});
  report.times.prepare = watch.lap();
  report.preparation = prepared.what();
  const Operator<Space, T> a = build_operator(prepared.analysis(), in, report);
  report.structure = analysis->structure();
  watch.lap();
  live.phase("preparing the preconditioner");
  const auto m = with_numbers_named(report, [&] { return make_preconditioner(prepared.analysis(), in); });
  space.wait();
  report.times.precondition = watch.lap();
  report.solver =
      solver_choice(in, a.structure(), bytes_in_basis<T>(m), steady_rate(m), m ? m->bytes() : 0, !m || m->symmetric());
  if (!m) return end_out_of_time(a, system, in, report, live, since_start);
  report.hierarchy = m->levels();  // which says more of multigrid than its remarks
  report.preconditioner = {m->name(), why_taken(in, about_rows(report, m->reason()),
                                                report.hierarchy.empty() ? m->remarks() : std::string())};
  report.bytes.preconditioner = m->bytes();
  report.bytes.predicted = m->prediction();
  return solve_prepared_system(prepared, a, *m, system, in, report, live, since_start);
}

/// Returns the stencil of a generated matrix with constant coefficients, unless an option asks for a matrix.
std::optional<Stencil> stencil_of(const SolveInput& in) {
  const PreconditionerRequest precond = parse_preconditioner(in.precond);
  const auto* const multigrid = std::any_cast<MultigridOptions>(&precond.options);
  const bool is_by_grid = multigrid != nullptr &&
                          (multigrid->kind == MultigridKind::automatic || multigrid->kind == MultigridKind::structured);
  const bool needs_none = precond.name == "auto" || precond.name == "none" || is_by_grid;
  const bool asks = in.formats.format != "auto" || in.formats.tune != FormatInput{}.tune || !needs_none ||
                    takes_any_shape(in.solver) || in.renumber == "on";
  const std::optional<Generated> made = asks ? std::nullopt : generated_matrix(in.matrix);
  if (!made) return {};
  return with_usage_errors([&] { return generate_stencil(made->family, made->options); });
}

/// Builds multigrid from a stencil, and fills in its part of the report. Returns nothing when none was asked for, or
/// when "auto" can't have it.
template <class Space, class T>
std::optional<Multigrid<Space, T>> stencil_multigrid(const StencilOperator<Space, T>& a, const SolveInput& in,
                                                     SolveReport& report) {
  report.preconditioner = {in.precond, why_taken(in, "asked for")};
  if (in.precond == "none") return {};
  report.preconditioner.name = name_of(in.precond);
  MemoryBudget memory(a.space(), Multigrid<Space, T>::name, in.limits.mem_limit);
  std::optional<Multigrid<Space, T>> m;
  if (in.precond == "auto") {
    StencilPreconditioner<Space, T> chosen = choose_preconditioner(a, memory);
    report.preconditioner = {chosen.multigrid ? "multigrid" : "none", chosen.reason};
    m = std::move(chosen.multigrid);
  } else {
    m.emplace(a, std::any_cast<MultigridOptions>(parse_preconditioner(in.precond).options), memory);
  }
  if (!m) return m;
  memory.confirm(m->bytes());
  report.hierarchy = m->levels();
  report.bytes.preconditioner = m->bytes();
  report.bytes.predicted = memory.prediction();
  return m;
}

template <class T, class Space>
int solve_stencil(const Space& space, const Stencil& stencil, const SolveInput& in, SolveReport report,
                  const Stopwatch& since_start) {
  LiveLine live(!in.quiet);
  Stopwatch watch;
  const StencilOperator<Space, T> a(space, stencil);
  if (Space::has_host_memory) require_vectors<T>(in.matrix, a.rows(), static_cast<double>(a.bytes()));
  report.times.convert = watch.lap();
  report.structure = a.structure();
  report.choice.format = "stencil";
  report.choice.reason = a.grid().text() + ", no matrix";
  report.formats = in.formats;
  System<T> given;
  given.b = read_part<T>(in.rhs, a.rows());
  given.x = read_part<T>(in.guess, a.rows());
  report.times.read = watch.lap();
  live.phase("preparing the preconditioner");
  const std::optional<Multigrid<Space, T>> m = stencil_multigrid(a, in, report);
  report.times.precondition = watch.lap();
  report.solver = solver_choice(in, a.structure(), bytes_in_basis<T>(m), steady_rate(m), m ? m->bytes() : 0);
  if (m) return solve_as_is(a, *m, given, in, report, live, since_start);
  return solve_as_is(a, Identity{}, given, in, report, live, since_start);
}

int run_solve(Command& command, SolveInput& in) {
  const Stopwatch since_start;
  command.take_options_from(in.options_file);
  require_use_of_options(in);
  in.limits.effort = in.effort == "quick" ? Effort::quick : in.effort == "thorough" ? Effort::thorough : Effort::normal;
  check_files(in);
  const std::optional<Stencil> stencil = stencil_of(in);
  return with_device(in.device, [&]<class T>(const auto& space, const DeviceInfo& device) {
    if (stencil) return solve_stencil<T>(space, *stencil, in, begun(in, device), since_start);
    return solve_matrix<T>(space, in, begun(in, device), since_start);
  });
}

}  // namespace

std::function<int()> define_solve(Command& command) {
  const auto in = std::make_shared<SolveInput>();
  add_solve_options(command, *in);
  add_device_options(command, in->device);
  command.footer(listing("Solvers", solver_infos) + "\n" + listing("Preconditioners", preconditioner_infos()) + "\n" +
                 format_listing());
  return [&command, in] { return run_solve(command, *in); };
}

}  // namespace ostinato::cli
