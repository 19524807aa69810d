// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <cmath>

#include <ostinato/ostinato.hpp>
#include <ostinato/solvers/list.hpp>
#include <ostinato/strategy/comparison.hpp>

#include "commands.hpp"
#include "exit_code.hpp"
#include "files.hpp"
#include "generated.hpp"
#include "json.hpp"
#include "progress.hpp"
#include "report.hpp"
#include "solve_system.hpp"
#include "text.hpp"

namespace ostinato::cli {

namespace {

struct CompareInput {
  SolveInput system;  ///< the files, the device, the tolerance and the limit of memory
  double budget = 30;
};

bool is_auto(const SolverPair& pair) { return pair.solver == "auto"; }

std::string text_of(const SolverPair& pair) { return pair.solver + " with " + pair.preconditioner; }

/// A x with x(i) = 1, or sin i.
template <class T>
Array<T> product(const Csr<T>& a, bool of_sines) {
  Array<T> b(static_cast<std::size_t>(a.rows));
  for (std::size_t i = 0; i < b.size(); ++i) {
    double sum = 0;
    for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k)
      sum += static_cast<double>(a.val[k]) * (of_sines ? std::sin(static_cast<double>(a.col[k]) + 1) : 1);
    b[i] = static_cast<T>(sum);
  }
  return b;
}

/// Returns the vector given, or A * ones. Where that is 0 but for rounding, any method would end at once.
template <class T>
Array<T> right_hand_side(System<T>& system, const Structure& s, CompareReport& report) {
  if (!system.b.empty()) return std::move(system.b);
  report.rhs = "b = A * ones, no --rhs was given";
  Array<T> b = product(system.a, false);
  if (largest(b) > 8 * static_cast<double>(std::numeric_limits<T>::epsilon()) * s.norm_inf || s.norm_inf == 0) return b;
  report.rhs = "b = A * (sin 1, sin 2, ...), as A * ones is 0";
  report.needs_rhs = !generated_matrix(report.matrix);
  return product(system.a, true);
}

std::string progress_text(const SolverPair& next, const Comparison& so_far) {
  std::string text = next.solver.empty() ? "making " + next.preconditioner : text_of(next);
  if (so_far.best() != nullptr)
    text += fmt::format("; {} so far, {} in {}", so_far.rows.size(), text_of(so_far.best()->pair),
                        seconds_text(so_far.best()->seconds()));
  return text;
}

/// The solve command that takes a pair: it has all options that the system depends on. It needs a right-hand side of
/// the user's where A * ones is 0.
std::string command_of(const CompareInput& in, const SolverPair& pair, bool needs_rhs) {
  const SolveInput& s = in.system;
  std::string line = "ostinato solve " + s.matrix;
  const auto add = [&line](const char* name, const std::string& value, const std::string& otherwise) {
    if (value != otherwise) line += fmt::format(" {} {}", name, value);
  };
  add("--rhs", needs_rhs ? "B.mtx" : s.rhs, "");
  add("--solver", pair.solver, "auto");
  add("--precond", pair.preconditioner, "auto");
  if (s.rtol) line += fmt::format(" --rtol {}", *s.rtol);
  add("--device", s.device.device, "auto");
  add("--precision", s.device.precision, "double");
  add("--threads", fmt::format("{}", s.device.threads), "0");
  add("--mem-limit", fmt::format("{}", s.limits.mem_limit), "0");
  return line;
}

/// The lines of a program that takes a pair.
std::vector<std::string> cpp_of(const CompareReport& r, const SolverPair& pair) {
  std::vector<std::string> options;
  if (!is_auto(pair))
    options = {fmt::format(".solver = \"{}\"", pair.solver),
               fmt::format(".preconditioner = {{\"{}\"}}", pair.preconditioner)};
  options.push_back(fmt::format(".solve = {{.rtol = {}}}", r.rtol));
  return {fmt::format("ostinato::LinearSolver solver(space, matrix, {{{}}});", fmt::join(options, ", ")),
          "auto result = solver.solve(b, x);"};
}

/// The preconditioner of a row, with what there is to say of the run.
std::string note_of(const ComparisonRow& row) {
  std::string text = row.pair.preconditioner;
  if (is_auto(row.pair)) text += ": " + text_of(row.ended_with);
  if (row.status != Status::converged) text += "; " + in_words(row.status);
  return text;
}

Grid rows_of(const Comparison& c) {
  Grid grid({"solver", "total", "set-up", "steps", "memory", "residual", "preconditioner"});
  for (const ComparisonRow& row : c.rows)
    grid.row({row.pair.solver, seconds_text(row.seconds()), seconds_text(row.setup_seconds), count_text(row.iterations),
              bytes_text(static_cast<double>(row.bytes)), fmt::format("{:.1e}", row.relative_residual), note_of(row)});
  return grid;
}

std::string reason_of(const LeftOutPair& pair) {
  switch (pair.why) {
    case LeftOut::unsuitable:
    case LeftOut::no_memory:
      return as_in_files(pair.reason);
    case LeftOut::too_slow:
      return "takes " + seconds_text(pair.seconds) + " or more to make, too long beside the fastest";
    case LeftOut::out_of_budget:
      return "no time was left; raise --budget";
  }
  return {};
}

/// What wasn't run, one line for each reason.
void add_left_out(Facts& facts, const Comparison& c) {
  std::vector<std::pair<std::string, std::string>> reasons;  // with the names that they are for
  for (const LeftOutPair& pair : c.left_out) {
    const std::string reason = reason_of(pair);
    const auto at = std::find_if(reasons.begin(), reasons.end(), [&](const auto& r) { return r.first == reason; });
    const std::string name = find_solver(pair.pair.solver) == nullptr ? pair.pair.preconditioner : text_of(pair.pair);
    if (at == reasons.end()) {
      reasons.emplace_back(reason, name);
    } else {
      at->second += ", " + name;
    }
  }
  for (const auto& [reason, names] : reasons) facts.row("not run", names + ": " + reason);
}

Facts facts_of(const CompareReport& r) {
  Facts facts;
  add_device(facts, r.device);
  add_matrix(facts, r.matrix, r.structure);
  facts.row("right-hand side", r.rhs);
  add_preparation(facts, r.comparison.preparation, "prepared");
  facts.row("format",
            r.comparison.format + ", for all; with the preparation in " + seconds_text(r.comparison.common_seconds));
  return facts;
}

/// What came of the race.
Facts verdict_of(const CompareReport& r) {
  const Comparison& c = r.comparison;
  Facts facts;
  add_left_out(facts, c);
  facts.row("time", fmt::format("{} of a budget of {}{}", seconds_text(c.seconds), seconds_text(r.budget),
                                c.interrupted ? "; interrupted" : ""));
  if (c.best() == nullptr) {
    facts.row("fastest", "none converged");
    return facts;
  }
  const ComparisonRow& best = *c.best();
  facts.row("fastest", (is_auto(best.pair) ? "auto, " + text_of(best.ended_with) : text_of(best.pair)) + ": " +
                           seconds_text(best.seconds()));
  for (const ComparisonRow& row : c.rows) {
    if (is_auto(row.pair) && !is_auto(best.pair) && row.is_solved())
      facts.more(fmt::format("auto takes {:.2g} times as long", row.seconds() / best.seconds()));
  }
  return facts;
}

void print_comparison(std::FILE* to, const CompareReport& r) {
  facts_of(r).print(to);
  put(to, "\n");
  if (!r.comparison.rows.empty()) {
    rows_of(r.comparison).print(to);
    put(to, "\n");
  }
  verdict_of(r).print(to);
  if (r.command.empty()) return;
  put(to, "\n" + printable(r.command) + "\n\n");
  for (const std::string& line : r.cpp) put(to, line + "\n");
}

html::Page page_of(const CompareReport& r) {
  html::Page page("ostinato compare " + r.matrix);
  page.facts(facts_of(r));
  add_pattern(page, r.pattern);
  page.heading("Solvers and preconditioners");
  std::vector<html::FormatBar> bars;
  for (const ComparisonRow& row : r.comparison.rows) {
    if (row.is_solved())
      bars.push_back({row.pair.solver + ", " + row.pair.preconditioner, row.seconds(), static_cast<double>(row.bytes)});
  }
  if (!bars.empty())
    page.picture(html::draw_bars(bars, {"pair", "set-up and solve", "memory", 300}),
                 "Time of set-up and solve, and memory of both, of the pairs that solved the system.");
  if (!r.comparison.rows.empty()) page.grid(rows_of(r.comparison));
  Facts verdict = verdict_of(r);
  if (!r.command.empty()) verdict.row("command", r.command);
  for (std::size_t k = 0; k < r.cpp.size(); ++k) verdict.row(k == 0 ? "in C++" : "", r.cpp[k]);
  page.facts(verdict);
  return page;
}

int write_reports(const CompareInput& in, const CompareReport& r) {
  const std::string &json = in.system.json, &html = in.system.html;
  Outputs outputs;
  outputs.attempt([&] { write_json(json, r); });
  outputs.attempt([&] {
    if (!html.empty()) html::write_page(html, page_of(r));
  });
  outputs.attempt([&] {
    print_comparison(table_stream({json, html}), r);
    require_printed();
  });
  if (r.comparison.interrupted) return outputs.finish(exit_interrupted);
  return outputs.finish(r.comparison.best() != nullptr ? exit_converged : exit_not_converged);
}

template <class T, class Space>
int compare_on(const Space& space, System<T> system, const CompareInput& in, const DeviceInfo& device) {
  LiveLine live(true);
  CompareReport r;
  r.matrix = in.system.matrix;
  r.rhs = in.system.rhs;
  r.device = device;
  r.budget = in.budget;
  if (!in.system.html.empty()) r.pattern = html::density_of(system.a);
  live.phase("analysing");
  const Analysis<Space, T> analysis(space, system.a.view());
  r.structure = analysis.structure();
  const Array<T> of_b = right_hand_side(system, r.structure, r);
  const Vector<Space, T> b(space, std::span<const T>(of_b));
  const InterruptFlag interrupt;  // until all is written
  ComparisonOptions options{.budget = in.budget};
  options.solve = solve_options(in.system, device.precision);
  options.solve.stop = StopOnInterrupt{&interrupt};
  options.on_run = [&live](const SolverPair& next, const Comparison& c) { live.phase(progress_text(next, c)); };
  r.rtol = options.solve.rtol;
  r.comparison = compare<Space, T>(analysis, b, options);
  live.clear();
  if (const ComparisonRow* const best = r.comparison.best()) {
    r.command = command_of(in, best->pair, r.needs_rhs);
    r.cpp = cpp_of(r, best->pair);
  }
  return write_reports(in, r);
}

void check_files(const CompareInput& in) {
  const SolveInput& s = in.system;
  if (s.matrix == "-" && s.rhs == "-") throw UsageError("only one of the matrix and --rhs can be the standard input");
  require_reports(s.json, s.html, s.matrix);
  require_output(s.json, {s.rhs});
  require_output(s.html, {s.rhs});
}

}  // namespace

std::function<int()> define_compare(Command& command) {
  const auto in = std::make_shared<CompareInput>();
  SolveInput& s = in->system;
  command.add(matrix_argument, s.matrix);
  command.add({.names = "-f,-b,--rhs",
               .description = "right-hand side b: .mtx, .npy or .txt; without it b = A * ones",
               .value = "FILE",
               .check = file_name()},
              s.rhs);
  command.add({.names = "--budget", .description = "seconds in all", .value = "X"}, in->budget, at_least(0));
  command.add({.names = "--rtol",
               .description = "a run ends at ||b - A x|| <= rtol ||b||",
               .value = "X",
               .default_text = "1e-8; 1e-5 in single precision"},
              s.rtol, at_least(0));
  command.add({.names = "--mem-limit",
               .description =
                   "what a preconditioner and the basis of gmres, gcrodr may take, such as 500M or 2G; 0: what is free",
               .value = "SIZE"},
              s.limits.mem_limit, byte_size());
  command.add(json_option, s.json);
  command.add(html_option, s.html);
  add_device_options(command, s.device);
  command.footer(
      "A run ends early once it takes 3 times as long as the fastest so far. Ctrl-C\n"
      "ends the race, and the table so far is written. Times are those of this machine\n"
      "as it is: differences of less than 1.3 times say little. b = A * ones may be\n"
      "easier than a b of yours, which -f takes. For formats of the matrix, see\n"
      "ostinato tune.\n");
  return [in] {
    check_files(*in);
    const SolveInput& system = in->system;
    MatrixMarketInfo file;
    const auto read = [&]<class T>() { return read_system<T>(system, file); };
    return with_device(system.device, system.matrix, read,
                       [&]<class T>(const auto& space, const DeviceInfo& on, System<T> given) {
                         return compare_on<T>(space, std::move(given), *in, on);
                       });
  };
}

}  // namespace ostinato::cli
