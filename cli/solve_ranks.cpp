// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include "solve_ranks.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>
#include <span>

#include <ostinato/ostinato.hpp>
#include <ostinato/preconditioners/synonyms.hpp>
#include <ostinato/spmv/algebra/row_errors.hpp>
#include <ostinato/spmv/ordering/graph_parts.hpp>
#include <ostinato/spmv/team/nodes.hpp>
#include <ostinato/spmv/team/partitioning.hpp>
#include <ostinato/spmv/team/read_rows.hpp>
#include <ostinato/strategy/distributed_solve.hpp>
#include <ostinato/strategy/distributed_stencil_solve.hpp>

#include "commands.hpp"
#include "exit_code.hpp"
#include "files.hpp"
#include "generated.hpp"
#include "json.hpp"
#include "progress.hpp"
#include "report.hpp"
#include "solve_report.hpp"
#include "text.hpp"

namespace ostinato::cli {

namespace {

/// Whether the ranks are processes with a GPU each. "auto" takes CPUs.
bool are_processes_on_gpus(const SolveInput& in) {
  return in.gpus.empty() && in.device.device != "auto" && in.device.device != "cpu";
}

void require_for_ranks(const SolveInput& in) {
  const bool are_processes = in.gpus.empty(), on_cpus = are_processes && !are_processes_on_gpus(in);
  const auto refuse = [are_processes](bool given, const char* option) {
    if (given)
      throw UsageError(std::string(option) + " isn't for " + (are_processes ? "ranks" : "--gpus") +
                       " yet; leave it out, or " + (are_processes ? "start one process" : "take --device cuda"));
  };
  if (are_processes_on_gpus(in) && in.device.device != "cuda")
    throw UsageError("each rank takes a GPU of its own; give --device cuda in place of " + in.device.device);
  if (on_cpus && in.share_gpus) throw UsageError("--share-gpus is for GPUs; give --device cuda, too");
  refuse(in.renumber == "on", "--renumber on");
  refuse(in.symmetric, "--symmetric");
  refuse(!in.coordinates.empty(), "--coordinates");
  refuse(!in.html.empty(), "--html");
  refuse(in.limits.mixed == MixedPrecision::on, "--mixed");
  const FormatInput& formats = in.formats;
  const FormatInput usual;
  refuse(formats.tune != usual.tune || formats.tune_budget != usual.tune_budget || formats.retune, "--tune");
  refuse(formats.products != usual.products, "--products");
  refuse(formats.jit != usual.jit, "--jit");
  refuse(formats.compress != usual.compress, "--compress");
  refuse(in.matrix == "-" || in.rhs == "-" || in.guess == "-", "the standard input");
  const std::string in_order = on_cpus ? "csr" : "sliced-ell", &format = in.formats.format;
  if (format != "auto" && format != "dia" && format != in_order)
    throw UsageError("--format " + format + " isn't for ranks" + (on_cpus ? "" : " on GPUs") + ", which have auto, " +
                     in_order + " and dia");
  const std::string precond = name_of(usual_name(NameOf::preconditioner, in.precond).name);
  const bool is_plain = precond == "none" || precond == "jacobi" || precond == "spai0" || precond == "chebyshev";
  if (is_plain && !options_of(in.precond).empty())
    throw UsageError("--precond " + precond + " takes no options with ranks; leave " + options_of(in.precond) + " out");
  if (in.partition == "metis" && !has_graph_parts)
    throw UsageError("--partition metis: this build has no METIS; take rcm");
}

Team team_of(const SolveInput& in) {
  const Team team = with_usage_errors([] { return Team::mpi(); });
  if (team.size() != Team::launched())
    throw UsageError(
        fmt::format("the launcher has started {} processes, and MPI knows of {}: it is the launcher of "
                    "another MPI than this program was built with",
                    Team::launched(), team.size()));
  team.set_patience(in.rank_timeout);
  return team;
}

/// How many GPUs --gpus asks for.
int gpus_of(const SolveInput& in) {
  if (Team::launched() > 1)
    throw UsageError("--gpus is for one process; leave mpirun out, or give --device cuda: a GPU for each process");
  if (in.device.device == "cpu") throw UsageError("--gpus and --device cpu contradict each other");
  if (in.device.device != "auto" && in.device.device != "cuda")
    throw UsageError("--gpus takes the first GPUs; leave --device " + in.device.device + " out");
  const int there = Cuda::device_count();
  if (there == 0) throw UsageError("--gpus " + in.gpus + ": " + Cuda::why_absent());
  if (in.gpus == "all") return there;
  const int count = std::stoi(in.gpus);
  if (count > there && !in.share_gpus)
    throw UsageError(fmt::format("--gpus {}: this machine has {}; give {}, all or --share-gpus", count, there, there));
  return count;
}

/// Threads of a rank: those that are asked for, or its share of the processors.
Host host_of(const Team& team, const SolveInput& in) {
  if (in.device.threads > 0 || std::getenv("OMP_NUM_THREADS") != nullptr) return Host(in.device.threads);
  const std::vector<int> nodes = nodes_of(team);
  const auto here =
      static_cast<int>(std::count(nodes.begin(), nodes.end(), nodes[static_cast<std::size_t>(team.rank())]));
  cpu_set_t set;
  const int bound = ::sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
  const bool is_bound = Team::launched() > 1 && bound < ::sysconf(_SC_NPROCESSORS_ONLN);
  return Host(std::clamp(is_bound ? bound : bound / here, 1, 512));
}

template <class T>
std::vector<T> own_part(const Team& team, const Partition& parts, const std::string& path) {
  return team.agreed([&] {
    const Array<T> whole = read_vector<T>(path);
    if (whole.size() != static_cast<std::size_t>(parts.rows()))
      throw FormatError(path, 0, fmt::format("holds {} values, but the matrix needs {}", whole.size(), parts.rows()));
    return std::vector<T>(whole.begin() + parts.begin(team), whole.begin() + parts.end(team));
  });
}

/// The solve of one rank, on a CPU or a GPU.
template <class T, class Local>
class RankSolve {
 public:
  RankSolve(const Team& team, const SolveInput& in, const Local& local, const InterruptFlag& interrupt)
      : team_(team),
        in_(in),
        report_(begun(in)),
        local_(local),
        partition_(in.partition.empty() ? "entries" : in.partition) {
    report_.options.stop = StopOnInterrupt{&interrupt};
  }

  int run() {
    report_.is_of_ranks = true;
    std::optional<DistributedSolver<T, Local>> solver;
    std::vector<T> x;
    try {
      if (const auto code = run_stencil()) return *code;
      set_up(solver);
      x = solve(*solver);
    } catch (const Stopped& why) {  // on all ranks
      report_.result = stopped_set_up(team_, {in_.solver, in_.precond, in_.formats.format, report_.options},
                                      since_start_.seconds(), why);
      report_.preconditioner = {in_.precond, "wasn't ready when the set-up was stopped"};
      return finish<DistributedSolver<T, Local>>(nullptr, x);
    }
    take(*solver, x);
    return finish(&*solver, x);
  }

 private:
  using StencilSolver = DistributedStencilSolver<T, Local>;

  /// Solves without a matrix; nothing where an option asks for one, and where only a matrix has multigrid.
  std::optional<int> run_stencil() {
    const bool in_slabs = in_.partition.empty() || in_.partition == "entries" || in_.partition == "grid";
    const auto stencil = in_slabs ? stencil_of(in_, {"none", "jacobi", "chebyshev"}) : std::nullopt;
    if (!stencil) return {};
    std::optional<StencilSolver> solver = stencil_solver(*stencil);
    report_.times.convert = watch_.lap();
    if (!solver) return {};
    partition_ = "grid";
    const Vector<Local, T> b = right_hand_side(*solver);
    auto x = team_.agreed([&] { return Vector<Local, T>(local_, b.size(), T{0}); });
    if (!in_.guess.empty()) x.upload(own_part<T>(team_, solver->rows(), in_.guess));
    report_.times.read = watch_.lap();
    return conclude(*solver, b, x);
  }

  std::optional<StencilSolver> stencil_solver(const Stencil& stencil) const {
    const bool chooses = in_.precond == "auto", may_be_multigrid = chooses || name_of(in_.precond) == "multigrid";
    try {
      StencilSolver solver(team_, stencil, {in_.solver, in_.precond, report_.options}, local_);
      if (chooses && solver.preconditioner() != "multigrid") return {};
      return solver;
    } catch (const MemoryLimitError&) {
      throw;
    } catch (const ArgumentError&) {  // on all ranks
      if (!may_be_multigrid) throw;
      return {};
    }
  }

  template <class Solver, class Vector>
  int conclude(Solver& solver, const Vector& b, Vector& x) {
    solve(solver, b, x);
    take(solver, x);
    return finish(&solver, x);
  }

  static constexpr bool is_on_cpu = Local::has_host_memory;

  bool leads() const { return team_.rank() == 0; }

  /// Reads and sets up. The time limit is for both together.
  void set_up(std::optional<DistributedSolver<T, Local>>& solver) {
    SharedRows<T> rows = read();
    report_.times.read = watch_.lap();
    DistributedOptions options{in_.solver, in_.precond, in_.formats.format, report_.options};
    options.solve.prepare = in_.prepare != "off";
    if (double& limit = options.solve.time_limit; limit > 0) limit = std::max(1e-9, limit - report_.times.read);
    share(rows.parts, options);
    solver.emplace(team_, rows.mine, std::move(options), local_);
    const DistributedSeconds& seconds = solver->seconds();
    report_.times.renumber = seconds.share;
    report_.times.prepare = seconds.prepare;
    report_.times.convert = seconds.convert;
    report_.times.precondition = seconds.precondition;
    watch_.lap();
  }

  std::vector<T> solve(DistributedSolver<T, Local>& solver) {
    const std::vector<T> b = right_hand_side(solver);
    std::vector<T> x(static_cast<std::size_t>(solver.columns().length(team_)));
    if (!in_.guess.empty()) x = own_part<T>(team_, solver.columns(), in_.guess);
    solve(solver, b, x);
    return x;
  }

  SharedRows<T> read() {
    const StopRequest& stop = report_.options.stop;
    const Sharing sharing = in_.partition == "rows" ? Sharing::rows : Sharing::entries;
    if (!generated_matrix(in_.matrix)) return read_rows<T>(team_, in_.matrix, sharing, &report_.file, stop);
    const Csr<T> whole = team_.agreed([&] { return load_matrix<T>(in_.matrix, &report_.file); });
    return share_rows(team_, whole, sharing);
  }

  /// Says what the solver is to make of the rows that were read.
  void share(const Partition& read, DistributedOptions& options) const {
    const std::string& how = in_.partition;
    if (how.empty() || how == "entries" || how == "rows") return;
    options.partition = names_file(how) ? "owners" : how;
    if (names_file(how)) options.owners = read_owners(team_, read, how);
  }

  std::vector<T> right_hand_side(const DistributedSolver<T, Local>& solver) const {
    if (!in_.rhs.empty()) return own_part<T>(team_, solver.given(), in_.rhs);
    const std::vector<T> ones(static_cast<std::size_t>(solver.columns().length(team_)), T{1}), b = solver.product(ones);
    double largest = 0;
    for (const T value : b) largest = std::max(largest, std::abs(static_cast<double>(value)));
    require_not_zero(largest, solver.facts());
    return b;
  }

  Vector<Local, T> right_hand_side(const StencilSolver& solver) const {
    if (!in_.rhs.empty()) {
      const std::vector<T> own = own_part<T>(team_, solver.rows(), in_.rhs);
      return team_.agreed([&] { return Vector<Local, T>(local_, std::span<const T>(own)); });
    }
    auto [ones, b] = team_.agreed([&] {
      const std::size_t n = solver.matrix().rows();
      return std::pair(Vector<Local, T>(local_, n, T{1}), Vector<Local, T>(local_, n));
    });
    solver.matrix().apply(T{1}, std::as_const(ones).span(), T{0}, b.span());
    require_not_zero(largest_difference<T>(local_, b, 0), solver.facts());
    return std::move(b);
  }

  /// `largest`: element of b = A * ones.
  void require_not_zero(double largest, const ostinato::Facts& facts) const {
    const double rounding = 8 * static_cast<double>(std::numeric_limits<T>::epsilon());
    if (facts.rows > 0 && team_.most(largest) <= rounding * facts.norm_inf)
      throw FormatError(in_.matrix, 0, "A * ones = 0: constants solve A x = 0; give a right-hand side with -f");
  }

  template <class Solver>
  void solve(Solver& solver, std::span<const T> b, std::span<T> x) {
    LiveLine live(!in_.quiet && leads());
    SolveOptions options = report_.options;
    options.callback = [&](const Iteration& now) {
      live.iteration(now);
      return true;
    };
    report_.result = solver.solve(b, x, options);
    report_.times.solve = watch_.lap();
  }

  const char* why_this_format() const {
    if (in_.formats.format != "auto") return "asked for";
    return report_.choice.format == "dia" ? "the matrix has few diagonals, which are well filled"
                                          : "the terms of a row are added in one order";
  }

  static double largest_error(const std::vector<T>& x) {
    double error = 0;
    for (const T value : x) error = std::max(error, std::abs(static_cast<double>(value) - 1));
    return error;
  }
  double largest_error(const Vector<Local, T>& x) const { return largest_difference<T>(local_, x, 1); }

  template <class Solver, class Vector>
  void take(const Solver& solver, const Vector& x) {
    const RankReport mine{solver.matrix().report(), solver.reduction_seconds(), report_.result.seconds};
    report_.ranks = team_.all_gather(mine);
    report_.reductions = solver.reductions();
    static_cast<ostinato::Facts&>(report_.structure) = solver.facts();
    report_.choice.format = solver.matrix().format();
    if constexpr (requires { solver.preparation(); }) {
      report_.preparation = solver.preparation();
      report_.choice.reason = why_this_format();
    }
    report_.solver = {solver.method().name, solver.method().reason};
    report_.preconditioner = {solver.preconditioner(), solver.preconditioner_reason()};
    const bool are_gpus = !is_on_cpu && !in_.share_gpus;
    report_.device = {fmt::format("{} {}{}, rank 0 on {}", team_.size(), are_gpus ? "GPU" : "rank",
                                  team_.size() == 1 ? "" : "s", local_.description()),
                      {},
                      in_.device.precision,
                      {}};
    report_.bytes.matrix = team_.sum(solver.matrix().bytes());
    report_.bytes.preconditioner = team_.sum(report_.result.preconditioner_bytes);
    report_.bytes.workspace = team_.sum(report_.result.workspace_bytes);
    if (!report_.of_ones || report_.structure.rows < report_.structure.cols) return;
    report_.error = team_.most(largest_error(x));
  }

  static const std::vector<T>& on_host(const std::vector<T>& x) { return x; }
  static std::vector<T> on_host(const Vector<Local, T>& x) { return x.download(); }

  /// The whole x, on rank 0.
  std::vector<T> whole(std::span<const T> x) const {
    std::vector<Team::Bytes> to(static_cast<std::size_t>(team_.size()));
    const auto bytes = std::as_bytes(x);
    to[0].assign(bytes.begin(), bytes.end());
    std::vector<T> all;
    for (const Team::Bytes& part : team_.exchange_v(to)) {
      const auto* const values = reinterpret_cast<const T*>(part.data());
      all.insert(all.end(), values, values + part.size() / sizeof(T));
    }
    return all;
  }

  /// `solver`: null where its set-up was stopped. There is no x then.
  template <class Solver, class Vector>
  int finish(const Solver* solver, const Vector& x) {
    const bool writes_x = !in_.output.empty() && solver != nullptr;
    const std::vector<T> all = writes_x ? whole(on_host(x)) : std::vector<T>();
    int code = exit_code(report_.result.status);
    if (leads()) {
      Outputs outputs;
      outputs.attempt([&] {
        if (!writes_x) return;
        write_vector<T>(in_.output, std::span<const T>(all),
                        "ostinato solve " + in_.matrix + "\n" + report_.result.message());
        report_.output = in_.output;
      });
      report_.times.total = since_start_.seconds();
      outputs.attempt([&] { write_json(in_.json, report_); });
      outputs.attempt([&] { write_history(in_.history, report_.result.history); });
      outputs.attempt([&] {
        if (!in_.quiet) print(table_stream({in_.json, in_.output, in_.history}), solver);
        require_printed();
      });
      code = outputs.finish(exit_code(report_.result.status));
    }
    return team_.most(leads() ? code : 0);
  }

  template <class Of>
  std::string spread(Of of) const {
    double least = HUGE_VAL, most = 0, sum = 0;
    for (const RankReport& r : report_.ranks) {
      const double value = static_cast<double>(of(r));
      least = std::min(least, value);
      most = std::max(most, value);
      sum += value;
    }
    const auto text = [](double value) { return count_text(static_cast<std::int64_t>(value + 0.5)); };
    return fmt::format("{} to {}, mean {}", text(least), text(most),
                       text(sum / static_cast<double>(report_.ranks.size())));
  }

  /// The largest work of a rank over the mean.
  double imbalance() const {
    double most = 0, sum = 0;
    for (const RankReport& r : report_.ranks) {
      const double work = static_cast<double>(r.halo.entries + Partition::entries_of_row * r.halo.rows);
      most = std::max(most, work);
      sum += work;
    }
    return sum > 0 ? most * static_cast<double>(report_.ranks.size()) / sum : 1;
  }

  void add_ranks(Facts& facts) const {
    const RankReport& mine = report_.ranks.front();
    facts.row("rows a rank", spread([](const RankReport& r) { return r.halo.rows; }));
    facts.row("entries a rank", spread([](const RankReport& r) { return r.halo.entries; }));
    facts.more(fmt::format("the most work of a rank is {:.3g} times the mean", imbalance()));
    facts.row("ghosts a rank", spread([](const RankReport& r) { return r.halo.ghosts; }));
    facts.more(fmt::format(
        "from at most {} other ranks",
        std::max_element(report_.ranks.begin(), report_.ranks.end(), [](const RankReport& a, const RankReport& b) {
          return a.halo.neighbours < b.halo.neighbours;
        })->halo.neighbours));
    const auto each = [](double seconds, std::uint64_t times) {
      return times == 0 ? std::string("-") : seconds_text(seconds / static_cast<double>(times));
    };
    facts.row("a halo", each(mine.halo.seconds, mine.halo.exchanges) + " of waiting, " +
                            spread([](const RankReport& r) { return r.halo.bytes; }) + " bytes");
    if (!is_on_cpu && team_.size() > 1 && !mine.halo.from_gpus)
      facts.more("through the memory of the hosts: the GPUs don't reach each other's");
    facts.row("a reduction", each(mine.reduction_seconds, report_.reductions) + ", with waiting for other ranks");
  }

  template <class Solver>
  void print(std::FILE* to, const Solver* solver) const {
    if (solver != nullptr) print_facts(to, *solver);
    for (const std::string& line : wrap(printable(as_in_files(report_.result.message())), line_width))
      put(to, line + "\n");
  }

  template <class Solver>
  void print_facts(std::FILE* to, const Solver& solver) const {
    const SolveResult& result = report_.result;
    Facts facts;
    add_device(facts, report_.device);
    facts.row("matrix", in_.matrix);
    facts.more(size_text(report_.structure) + ", " + (report_.structure.symmetric ? "symmetric" : "not symmetric"));
    facts.row("right-hand side", report_.rhs);
    facts.row("solver", report_.solver.name + ": " + report_.solver.reason);
    facts.row("preconditioner", report_.preconditioner.name + ": " + report_.preconditioner.reason);
    add_preparation(facts, report_.preparation, "prepared");
    facts.row("format", solver.matrix().format() +
                            (report_.choice.reason.empty() ? std::string() : ": " + report_.choice.reason));
    facts.row("partition", partition_);
    facts.gap();
    add_ranks(facts);
    facts.gap();
    facts.row("iterations", count_text(result.iterations));
    facts.row("residual", fmt::format("||b - A x|| / ||b|| = {:.3g}, recomputed; asked for {:.3g}",
                                      result.relative_residual, report_.options.rtol));
    if (report_.error) facts.row("error", fmt::format("max |x - 1| = {:.3g}", *report_.error));
    for (const std::string& note : result.notes) facts.row("note", printable(as_in_files(note)));
    facts.row("read", seconds_text(report_.times.read));
    const Times& t = report_.times;
    facts.row("set up", seconds_text(t.renumber + t.prepare + t.convert + t.precondition));
    facts.row("solve", fmt::format("{}   {} an iteration", seconds_text(result.seconds),
                                   seconds_text(result.seconds / std::max(1, result.iterations))));
    facts.row("in total", seconds_text(report_.times.total));
    if (!report_.output.empty()) facts.row("solution", report_.output);
    facts.print(to);
    put(to, "\n");
  }

  const Team& team_;
  const SolveInput& in_;
  Stopwatch since_start_, watch_;
  SolveReport report_;
  Local local_;
  std::string partition_;
};

template <class Local>
int solve_as_rank(const Team& team, const SolveInput& in, const Local& local, const InterruptFlag& interrupt) {
  team.agreed([&] {
    if (team.rank() == 0) check_files(in);  // which writes them
  });
  if (in.device.precision == "single") return RankSolve<float, Local>(team, in, local, interrupt).run();
  return RankSolve<double, Local>(team, in, local, interrupt).run();
}

int solve_on_gpus(const SolveInput& in) {
  int code = 0;
  const int gpus = gpus_of(in);
  const InterruptFlag interrupt;  // of the process, for each of its ranks
  Team::run(gpus, [&](const Team& team) {
    team.set_patience(in.rank_timeout);
    host_of(team, in);  // bounds the threads of its work beside the GPU, before any work makes them
    const int of_rank = solve_as_rank(team, in, gpu_of(team), interrupt);
    if (team.rank() == 0) code = of_rank;
  });
  return code;
}

/// A process of several, with a GPU.
int solve_on_own_gpu(const Team& team, const SolveInput& in, const InterruptFlag& interrupt) {
  host_of(team, in);
  const auto gpu = [&] {
    try {
      return gpu_of(team, in.share_gpus);
    } catch (const ArgumentError& e) {  // on all ranks
      throw UsageError(std::string(e.what()) + "; start fewer, or give --share-gpus");
    }
  }();
  return team.together([&] { return solve_as_rank(team, in, gpu, interrupt); });
}

}  // namespace

int solve_on_ranks(const SolveInput& in) {
  require_for_ranks(in);
  if (!in.gpus.empty()) return solve_on_gpus(in);
  const Team team = team_of(in);
  const InterruptFlag interrupt;
  if (are_processes_on_gpus(in)) return solve_on_own_gpu(team, in, interrupt);
  return team.together([&] { return solve_as_rank(team, in, host_of(team, in), interrupt); });
}

}  // namespace ostinato::cli
