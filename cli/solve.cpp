// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>

#include <ostinato/ostinato.hpp>
#include <ostinato/spmv/space/timing.hpp>

#include "exit_code.hpp"
#include "format_options.hpp"
#include "help.hpp"
#include "options_file.hpp"
#include "progress.hpp"
#include "report.hpp"
#include "text.hpp"

namespace ostinato::cli {

namespace {

struct SolveInput {
  std::string matrix, rhs, guess, output, json, options_file;
  DeviceOptions device;
  std::string solver = "auto", precond = "auto";
  FormatInput formats;
  std::optional<double> rtol;
  SolveOptions limits;
  bool quiet = false;
};

void add_files(CLI::App& app, SolveInput& in) {
  app.add_option("matrix", in.matrix, "Matrix Market file, .mtx or .mtx.gz; - is the standard input")->required();
  app.add_option("-f,--rhs", in.rhs, "right-hand side b; without it b = A * ones")->type_name("FILE");
  app.add_option("-x,--guess", in.guess, "initial guess; without it x = 0")->type_name("FILE");
  app.add_option("-o,--output", in.output, "write the solution x, also when the solve ended early")->type_name("FILE");
  app.add_option("--json", in.json, "write the report; - is the standard output")->type_name("FILE");
  app.add_option("-P,--options", in.options_file,
                 "take options from a JSON object whose keys are their long names; the command line goes first")
      ->type_name("FILE");
  app.add_flag("--quiet", in.quiet, "no live line, no table; the exit code and --json tell");
}

void add_choices(CLI::App& app, SolveInput& in) {
  const std::string solvers = names_of(solver_infos, "auto");
  const std::string preconditioners = names_of(preconditioner_infos, "auto");
  app.add_option("--solver", in.solver, solvers)->type_name("NAME")->check(one_of(solvers))->capture_default_str();
  app.add_option("--precond", in.precond, preconditioners)
      ->type_name("NAME")
      ->check(one_of(preconditioners))
      ->capture_default_str();
  add_format_option(app, in.formats);
  add_tune_option(app, in.formats, "off, model, measure",
                  "how auto finds the format: off (csr), model (predict), measure (time the best few)");
  add_kernel_options(app, in.formats);
}

void add_limits(CLI::App& app, SolveInput& in) {
  const auto number = [&app](const char* name, auto& value, double least, const char* what) {
    return app.add_option(name, value, what)->type_name("X")->check(at_least(least));
  };
  const auto count = [&app](const char* name, int& value, int least, const char* what) {
    app.add_option(name, value, what)->type_name("N")->check(whole(least))->capture_default_str();
  };
  number("--rtol", in.rtol, 0, "stop at ||b - A x|| <= rtol ||b||")->default_str("1e-8; 1e-5 in single precision");
  number("--atol", in.limits.atol, 0, "or at ||b - A x|| <= atol")->capture_default_str();
  count("--maxiter", in.limits.max_iterations, 0, "iterations at most");
  number("--time-limit", in.limits.time_limit, 0, "seconds at most; 0: no limit")->capture_default_str();
  count("--restart", in.limits.restart, 1, "gmres: vectors kept before a restart");
  count("--check-every", in.limits.check_every, 0, "iterations between looks at the residual; 0: chosen by cost");
  app.add_flag("--flexible", in.limits.flexible, "gmres: allow a preconditioner that varies (FGMRES)");
}

template <class T>
struct System {
  Csr<T> a;
  Array<T> b, x;  ///< empty when not given
};

void require_square(const SolveInput& in, const MatrixMarketInfo& info) {
  if (info.rows == info.cols) return;
  throw FormatError(in.matrix, 0,
                    fmt::format("the matrix is {} x {}, and a solve needs a square one", info.rows, info.cols));
}

template <class T>
Array<T> read_part(const std::string& path, Index rows) {
  if (path.empty()) return {};
  Array<T> v = read_vector<T>(path);
  if (v.size() == static_cast<std::size_t>(rows)) return v;
  throw FormatError(path, 0, fmt::format("holds {} values, but the matrix has {} rows", v.size(), rows));
}

template <class T>
System<T> read_system(const SolveInput& in, MatrixMarketInfo& info) {
  System<T> s;
  s.a = read_matrix_market<T>(in.matrix, &info);
  require_square(in, info);
  s.b = read_part<T>(in.rhs, s.a.rows);
  s.x = read_part<T>(in.guess, s.a.rows);
  return s;
}

FormatOptions format_options(const SolveInput& in) {
  FormatOptions o = format_options(in.formats);
  if (in.formats.products == 0)
    o.expected_products = std::min<double>(o.expected_products, std::max(1, in.limits.max_iterations));
  return o;
}

SolveOptions solve_options(const SolveInput& in, const std::string& precision) {
  SolveOptions o = in.limits;
  o.rtol = in.rtol.value_or(precision == "single" ? 1e-5 : 1e-8);
  return o;
}

/// The vector given, or A * ones.
template <class Space, class T>
Vector<Space, T> right_hand_side(const Space& space, const Operator<Space, T>& a, const Array<T>& given) {
  if (!given.empty()) return Vector<Space, T>(space, std::span<const T>(given));
  const std::size_t n = static_cast<std::size_t>(a.rows());
  const Vector<Space, T> ones(space, n, T{1});
  Vector<Space, T> b(space, n);
  a.apply(T{1}, ones, T{0}, b);
  space.wait();
  return b;
}

template <class Space, class T>
Vector<Space, T> initial_guess(const Space& space, std::size_t n, const Array<T>& given) {
  if (!given.empty()) return Vector<Space, T>(space, std::span<const T>(given));
  return Vector<Space, T>(space, n, T{0});
}

template <class T>
double error_of(const std::vector<T>& x) {
  double error = 0;
  for (const T v : x) error = std::max(error, std::abs(static_cast<double>(v) - 1));
  return error;
}

/// Solves with the live line and Ctrl-C.
template <class Space, class T>
SolveResult run_solver(const Operator<Space, T>& a, const Vector<Space, T>& b, Vector<Space, T>& x,
                       const AnyPreconditioner<Space, T>& m, const SolveInput& in, SolveOptions options,
                       LiveLine& live) {
  const InterruptFlag interrupt;
  options.callback = [&](const Iteration& now) {
    live.iteration(now);
    return !interrupt.raised();
  };
  return solve(a.space(), a, b.span(), x.span(), m, in.solver, options);
}

/// What to tell of a solver that was asked for by name.
SolverChoice solver_choice(const SolveInput& in, const Structure& s, std::size_t value_bytes) {
  if (in.solver != "auto") return {in.solver, "asked for"};
  return choose_solver(s, value_bytes, in.limits.restart);
}

void finish(const SolveInput& in, SolveReport& report, const Stopwatch& since_start) {
  report.times.total = since_start.seconds();
  if (!in.json.empty()) write_json(in.json, to_json(report));
  if (!in.quiet) print_table(in.json == "-" || in.output == "-" ? stderr : stdout, report);
}

template <class T>
void keep_solution(const SolveInput& in, SolveReport& report, const std::vector<T>& x) {
  if (in.rhs.empty()) report.error = error_of(x);
  if (in.output.empty()) return;
  write_vector<T>(in.output, std::span<const T>(x), "ostinato solve " + in.matrix + "\n" + report.result.message());
  report.output = in.output;
}

template <class Space, class T>
int solve_on(const Space& space, const SolveInput& in, const DeviceInfo& device, const Stopwatch& since_start) {
  SolveReport report;
  report.matrix = in.matrix;
  report.device = device;
  report.options = solve_options(in, device.precision);
  report.rhs = in.rhs.empty() ? "b = A * ones, as none was given" : in.rhs;
  LiveLine live(!in.quiet);
  Stopwatch watch;
  live.phase("reading " + in.matrix);
  const System<T> system = read_system<T>(in, report.file);
  report.times.read = watch.lap();
  live.phase("choosing a format");
  const Operator<Space, T> a(space, system.a, format_options(in));
  report.times.analyse = a.analyse_seconds();
  report.times.convert = a.convert_seconds();
  report.times.tune = a.tune_seconds();
  const double built = watch.lap() - a.analyse_seconds() - a.tune_seconds() - a.convert_seconds();
  report.times.upload = Space::on_device ? built : 0;
  const AnyPreconditioner<Space, T> m(space, system.a.view(), a.structure(), in.precond);
  space.wait();
  report.times.precondition = watch.lap();
  const Vector<Space, T> b = right_hand_side(space, a, system.b);
  Vector<Space, T> x = initial_guess(space, b.size(), system.x);
  live.phase("solving");
  report.result = run_solver(a, b, x, m, in, report.options, live);
  live.clear();
  report.times.solve = report.result.seconds;
  report.bytes = {a.bytes(), m.bytes(), report.result.workspace_bytes, b.bytes() + x.bytes()};
  report.structure = a.structure();
  report.choice = a.choice();
  report.formats = in.formats;
  report.generated = a.generated();
  report.amortisation = amortisation_of(a.choice(), a.analyse_seconds(), a.convert_seconds());
  report.solver = solver_choice(in, a.structure(), sizeof(T));
  report.preconditioner = {m.name(), m.reason()};
  keep_solution(in, report, x.download());
  finish(in, report, since_start);
  return exit_code(report.result.status);
}

bool same_file(const std::string& a, const std::string& b) {
  std::error_code none;
  return !a.empty() && a != "-" && (a == b || std::filesystem::equivalent(a, b, none));
}

void check_files(const SolveInput& in) {
  if ((in.matrix == "-") + (in.rhs == "-") + (in.guess == "-") > 1) {
    throw UsageError("only one of the matrix, --rhs and --guess can be the standard input");
  }
  if (in.json == "-" && in.output == "-") throw UsageError("--json - and --output - can't share the standard output");
  for (const auto& [written, read] : {std::pair{in.output, in.matrix},
                                      {in.output, in.rhs},
                                      {in.json, in.matrix},
                                      {in.json, in.rhs},
                                      {in.json, in.guess},
                                      {in.json, in.output}}) {
    if (same_file(written, read)) throw UsageError(written + " would be written over " + read + "; name another file");
  }
  require_writable(in.output);
  require_writable(in.json);
}

int run_solve(CLI::App& app, SolveInput& in) {
  const Stopwatch since_start;
  apply_options_file(app, in.options_file);
  check_files(in);
  return with_device(in.device, [&](const auto& space, auto type, const DeviceInfo& info) {
    return solve_on<std::remove_cvref_t<decltype(space)>, typename decltype(type)::type>(space, in, info, since_start);
  });
}

}  // namespace

Command solve_command(CLI::App& program) {
  const auto in = std::make_shared<SolveInput>();
  CLI::App* const app = program.add_subcommand("solve", "solve A x = b and say how it went");
  app->group("Commands");
  add_files(*app, *in);
  add_choices(*app, *in);
  add_limits(*app, *in);
  add_device_options(*app, in->device);
  app->footer(listing("Solvers", solver_infos) + "\n" + listing("Preconditioners", preconditioner_infos) + "\n" +
              listing("Formats", format_infos) + "\n" + program.get_footer());
  return {app, [app, in] { return run_solve(*app, *in); }};
}

}  // namespace ostinato::cli
