// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <optional>

#include <ostinato/ostinato.hpp>
#include <ostinato/solvers/list.hpp>
#include <ostinato/spmv/algebra/row_errors.hpp>
#include <ostinato/spmv/team/team.hpp>
#include <ostinato/strategy/watch.hpp>

#include "commands.hpp"
#include "exit_code.hpp"
#include "files.hpp"
#include "generated.hpp"
#include "json.hpp"
#include "progress.hpp"
#include "report.hpp"
#include "right_hand_side.hpp"
#include "solve_input.hpp"
#include "solve_ranks.hpp"
#include "solve_report.hpp"
#include "solve_system.hpp"
#include "text.hpp"

namespace ostinato::cli {

namespace {

/// The options of a solve that shows its progress in the live line, and stops when the flag is raised.
SolveOptions shown(SolveOptions options, const InterruptFlag& interrupt, LiveLine& live) {
  options.callback = [&](const Iteration& now) {
    live.iteration(now);
    return true;
  };
  options.stop = StopOnInterrupt{&interrupt};
  return options;
}

template <class Space, class T>
void keep_solution(const Space& space, const SolveInput& in, SolveReport& report, const Vector<Space, T>& x) {
  if (report.of_ones && report.structure.rows >= report.structure.cols)
    report.error = largest_difference<T>(space, x, 1);
  if (in.output.empty()) return;
  const std::string comment = "ostinato solve " + in.matrix + "\n" + report.result.message();
  write_vector<T>(in.output, std::span<const T>(x.download()), comment);
  report.output = in.output;
}

/// Writes x, the report, the history and the table, each also when another can't be written. Returns the exit code.
template <class Space, class T>
int finish(const Space& space, const SolveInput& in, SolveReport& report, const Vector<Space, T>& x,
           const Stopwatch& since_start) {
  Outputs outputs;
  outputs.attempt([&] { keep_solution(space, in, report, x); });
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

/// The preconditioner that is asked for; of multigrid with the coordinates of the points, where there are any.
PreconditionerRequest asked_preconditioner(const SolveInput& in) {
  PreconditionerRequest asked = parse_preconditioner(in.precond);
  if (in.coordinates.empty()) return asked;
  Table table = load_coordinates(in.coordinates);
  if (!asked.options.has_value()) asked.options = MultigridOptions();  // of "auto"
  std::any_cast<MultigridOptions&>(asked.options).coordinates = {table.cols, std::move(table.values)};
  return asked;
}

/// The set-up of a system that shows its steps in the live line. Keeps what is known of it for errors.
class ShownSetUp {
 public:
  ShownSetUp(const SolveInput& in, LiveLine& live) : in_(in), live_(live) {}

  template <class Space, class T, class... Given>
  LinearSolver<Space, T> make(const SolveReport& report, Given&&... given) {
    LinearSolverOptions options{.solver = in_.solver, .format = format_options(in_), .solve = report.options};
    options.renumber = in_.renumber == "on"    ? Renumber::on
                       : in_.renumber == "off" ? Renumber::off
                                               : Renumber::automatic;
    options.solve.prepare = in_.prepare == "auto";
    options.solve.symmetric = in_.symmetric;
    options.progress = [this](const SetUp& now) { show(now); };
    try {
      options.preconditioner = asked_preconditioner(in_);
      return LinearSolver<Space, T>(std::forward<Given>(given)..., options);
    } catch (const MemoryLimitError&) {
      throw;
    } catch (const ArgumentError& e) {
      if (stage_ != SetUpStage::precondition) throw;
      explain(e, options.preconditioner);
    }
  }

 private:
  void show(const SetUp& now) {
    stage_ = now.stage;
    is_renumbered_ = !now.renumbering.order.empty();
    const char* const phase = stage_ == SetUpStage::renumber       ? "numbering the rows anew"
                              : stage_ == SetUpStage::transpose    ? "transposing"
                              : stage_ == SetUpStage::precondition ? "preparing the preconditioner"
                                                                   : "choosing a format";
    live_.phase(phase);
  }

  /// Called while `e` is handled. What a preconditioner refuses may be about coordinates, or about a grid that new
  /// numbers hide.
  [[noreturn]] void explain(const ArgumentError& e, const PreconditionerRequest& asked) const {
    if (!in_.coordinates.empty()) throw FormatError(in_.coordinates, 0, e.what());
    const auto* const multigrid = std::any_cast<MultigridOptions>(&asked.options);
    const bool needs_grid = multigrid != nullptr && multigrid->kind == MultigridKind::structured;
    if (!needs_grid || !is_renumbered_) throw;
    throw ArgumentError(std::string(e.what()) +
                        "; rows were numbered anew, --renumber off keeps the numbers of the file");
  }

  const SolveInput& in_;
  LiveLine& live_;
  SetUpStage stage_ = SetUpStage::analyse;
  bool is_renumbered_ = false;
};

/// Solves a system that is set up.
template <class Space, class T>
int solve_with(LinearSolver<Space, T> system, const Array<T>& given_b, const Array<T>& guess, const SolveInput& in,
               SolveReport& report, LiveLine& live, const Stopwatch& since_start) {
  const LinearMap<Space, T>& a = system.matrix();
  RightHandSide<Space, T> right = right_hand_side(a, system.set_up().structure.norm_inf, given_b, in.matrix);
  if (!right.is_given) report.rhs = right.what;
  report.of_ones = right.of_ones;
  Vector<Space, T>& b = right.b;
  Vector<Space, T> x = guess.empty() ? Vector<Space, T>(a.space(), a.cols(), T{0})
                                     : Vector<Space, T>(a.space(), std::span<const T>(guess));
  if (!in.html.empty()) report.goal = relative_goal(report.options, norm_of(b.download()));
  live.phase("solving");
  const InterruptFlag interrupt;  // until all is written
  SolveResult result = system.solve(b, x, shown(report.options, interrupt, live));
  live.clear();
  take_result(in, report, std::move(result), system.set_up());
  report.bytes.vectors = b.bytes() + x.bytes();
  return finish(a.space(), in, report, x, since_start);
}

template <class T>
System<T> read_matrix(const SolveInput& in, SolveReport& report) {
  const Stopwatch watch;
  System<T> system = read_system<T>(in, report.file);
  if (in.renumber == "on" && system.a.rows != system.a.cols) throw UsageError("--renumber on is for square matrices");
  report.times.read = watch.seconds();
  return system;
}

template <class T, class Space>
int solve_matrix(const Space& space, System<T> system, const SolveInput& in, SolveReport& report,
                 const Stopwatch& since_start) {
  LiveLine live(!in.quiet);
  if (Space::has_host_memory) require_vectors<T>(in.matrix, std::max(system.a.rows, system.a.cols), bytes_of(system.a));
  if (!in.html.empty()) report.pattern = html::density_of(system.a);
  ShownSetUp set_up(in, live);
  LinearSolver<Space, T> solver = set_up.make<Space, T>(report, space, std::move(system.a));
  return solve_with(std::move(solver), system.b, system.x, in, report, live, since_start);
}

template <class T, class Space>
int solve_stencil(const Space& space, const Stencil& stencil, const SolveInput& in, SolveReport& report,
                  const Stopwatch& since_start) {
  LiveLine live(!in.quiet);
  Stopwatch watch;
  StencilOperator<Space, T> a(space, stencil);
  if (Space::has_host_memory) require_vectors<T>(in.matrix, a.rows(), static_cast<double>(a.bytes()));
  report.times.convert = watch.lap();
  const Array<T> b = read_part<T>(in.rhs, a.rows()), x = read_part<T>(in.guess, a.rows());
  report.times.read = watch.lap();
  ShownSetUp set_up(in, live);
  LinearSolver<Space, T> solver = set_up.make<Space, T>(report, space, std::move(a));
  return solve_with(std::move(solver), b, x, in, report, live, since_start);
}

int run_solve(Command& command, SolveInput& in) {
  const Stopwatch since_start;
  command.take_options_from(in.options_file);
  require_use_of_options(in);
  in.limits.effort = in.effort == "quick" ? Effort::quick : in.effort == "thorough" ? Effort::thorough : Effort::normal;
  if (Team::launched() > 1 || !in.gpus.empty()) return solve_on_ranks(in);
  if (in.share_gpus)
    throw UsageError("--share-gpus is for ranks, and this is one process; start more with mpirun, or give --gpus");
  check_files(in);
  const std::optional<Stencil> stencil = stencil_of(in, {"none"});
  SolveReport report = begun(in);
  if (stencil) {
    const auto size = [&]<class T>() {
      return SystemSize{static_cast<double>(stencil->extents.points()), 0, sizeof(T)};
    };
    return with_device(in.device, "", size, [&]<class T>(const auto& space, const DeviceInfo& on, const SystemSize&) {
      report.device = on;
      return solve_stencil<T>(space, *stencil, in, report, since_start);
    });
  }
  const auto read = [&]<class T>() { return read_matrix<T>(in, report); };
  return with_device(in.device, in.matrix, read, [&]<class T>(const auto& space, const DeviceInfo& on, System<T> s) {
    report.device = on;
    return solve_matrix<T>(space, std::move(s), in, report, since_start);
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
