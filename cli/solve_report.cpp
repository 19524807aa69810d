// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include "solve_report.hpp"

#include <fmt/format.h>
#include <utility>

#include <ostinato/spmv/matrix/io/text.hpp>
#include <ostinato/strategy/runs.hpp>

#include "text.hpp"

namespace ostinato::cli {

SolveReport begun(const SolveInput& in) {
  SolveReport report;
  report.matrix = in.matrix;
  report.options = solve_options(in, in.device.precision);
  report.of_ones = in.rhs.empty();
  report.rhs = report.of_ones ? "b = A * ones, no --rhs was given" : in.rhs;
  return report;
}

namespace {

/// Why a preconditioner was taken; of one that was asked for also how, and what was made.
std::string why_taken(const SolveInput& in, const std::string& reason, const std::string& remarks = {}) {
  if (in.precond == "auto") return reason;
  const std::string options = options_of(in.precond);
  return reason + (options.empty() ? "" : " with " + options) + (remarks.empty() ? "" : "; " + remarks);
}

/// Takes what was set up.
void take_set_up(const SolveInput& in, SolveReport& report, const SetUp& s) {
  const SetUpSeconds& t = s.seconds;
  report.times.upload = t.upload;
  report.times.analyse = t.analyse;
  report.times.renumber = t.renumber;
  report.times.prepare = t.prepare;
  report.times.tune = t.tune;
  report.times.convert += t.convert + t.transpose;
  report.times.precondition = t.precondition;
  report.structure = s.structure;
  report.choice = s.choice;
  report.formats = in.formats;
  if (!s.choice.candidates.empty())
    report.amortisation = amortisation_of(s.choice, t.analyse, t.convert, format_options(in).expected_products);
  report.generated = s.generated;
  report.renumbering = s.renumbering;
  report.preparation = s.preparation;
  report.solver = s.solver;
  report.hierarchy = s.levels;  // which says more of multigrid than its remarks
  const std::string remarks = s.levels.empty() ? s.preconditioner_remarks : std::string();
  const std::string reason = as_in_files(s.preconditioner.reason);
  report.preconditioner = {s.preconditioner.name, s.unfinished ? reason : why_taken(in, reason, remarks)};
  report.bytes.matrix = s.matrix_bytes;
  report.bytes.preconditioner = s.preconditioner_bytes;
  report.bytes.predicted = s.predicted;
}

/// Names the solver and the preconditioner of the end, where "auto" has gone on to others, and what they took.
void take_last(SolveReport& report) {
  const SolveResult& result = report.result;
  if (SolverChoice& first = report.solver; result.solver != first.name)
    first = {result.solver, result.solver == "none" ? "no x solves the system, so that nothing was iterated"
                                                    : "after " + first.name + " (" + first.reason + ")"};
  if (!report.result.stages.empty()) report.result.stages.front().setup_seconds += report.times.precondition;
  report.times.precondition += result.setup_seconds;
  report.times.solve = result.seconds - result.setup_seconds;
  PreconditionerChoice& first = report.preconditioner;
  if (result.preconditioner == first.name) return;
  first = {result.preconditioner, "after " + first.name + " (" + first.reason + ")"};
  report.hierarchy.clear();
  report.bytes.preconditioner = result.preconditioner_bytes;
  report.bytes.predicted.reset();
}

}  // namespace

void write_history(const std::string& path, const std::vector<double>& history) {
  if (path.empty()) return;
  std::string text = "iteration,relative_residual\n";
  for (std::size_t k = 0; k < history.size(); ++k) text += fmt::format("{},{:.17g}\n", k, history[k]);
  io::Output file(path);
  file.write(text);
  file.close();
}

void take_result(const SolveInput& in, SolveReport& report, SolveResult result, const SetUp& set_up) {
  take_set_up(in, report, set_up);
  report.result = std::move(result);
  SolveResult& end = report.result;
  if (end.set_up_stopped)  // with the options of the preconditioner
    runs::take_stopped_set_up(end, end.status, in.limits.time_limit, report.times.precondition,
                              " while " + in.precond + " was made");
  take_last(report);
  if (!in.partition.empty())
    end.notes.push_back("--partition " + in.partition +
                        " changed nothing: one process has all rows; start more with mpirun, or give --gpus");
  end.reason = as_in_files(end.reason);
  for (std::string& note : end.notes) note = as_in_files(note);
  report.bytes.workspace = end.workspace_bytes;
}

}  // namespace ostinato::cli
