// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <ostinato/solvers/list.hpp>

#include "exit_code.hpp"
#include "html/convergence.hpp"
#include "sparkline.hpp"
#include "text.hpp"

namespace ostinato::cli {

namespace {

std::string entries_text(const Structure& s) {
  return count_text(s.nonzeros) + (s.nonzeros == 1 ? " entry" : " entries");
}

std::string goal_text(const SolveOptions& o) {
  return o.atol > 0 ? fmt::format("rtol {:.3g} or ||b - A x|| = {:.3g}", o.rtol, o.atol)
                    : fmt::format("{:.3g}", o.rtol);
}

std::string interrupted_hint(const SolveReport& r) {
  return r.output.empty() ? "x so far was not kept; -o FILE keeps it" : "go on from here with -x " + r.output;
}

/// Returns advice for a residual that rounding keeps from falling.
std::string limit_hint(const SolveReport& r) {
  if (r.device.precision == "single") return "--precision double reaches further";
  return std::string("a looser --rtol ends as ") + (takes_any_shape(r.result.solver) ? "least squares" : "converged");
}

/// Returns advice where the method needs another matrix, or nothing.
std::string method_hint(const SolveReport& r) {
  const bool failed = exit_code(r.result.status) == exit_failed,
             symmetric = r.structure.symmetric || r.preparation.symmetrised;
  const SolverInfo* const method = find_solver(r.result.solver);
  if (method == nullptr || !method->needs_symmetry) return {};
  if (symmetric && !(method->needs_definiteness && failed)) return {};
  const Cause cause = r.result.cause;
  if (cause == Cause::not_symmetric || cause == Cause::not_definite || cause == Cause::indefinite_m)
    return "try --solver auto";
  return fmt::format("{} needs a symmetric {}matrix; try --solver auto", method->name,
                     method->needs_definiteness ? "positive definite " : "");
}

/// Returns advice for a matrix that seems to be singular, or nothing.
std::string singular_hint(const SolveReport& r) {
  const SolveResult& result = r.result;
  if (result.cause == Cause::no_solution) return "--solver lsmr finds the x with the smallest residual";
  if (result.cause == Cause::singular) return "b has to be in the range of A, or no x solves the system";
  if (!(result.relative_residual > 1e-2)) return {};
  const double rounding = r.device.precision == "single" ? 1e-5 : 1e-14;
  if (result.backward_error < rounding) return "x has grown without end: the matrix may be singular or nearly so";
  if ((result.solver == name_in_auto<RoleInAuto::symmetric> && (r.structure.symmetric || r.preparation.symmetrised)) ||
      result.cause == Cause::nearly_singular)
    return "the matrix may be singular: then b must be in its range, or no x solves the system";
  return {};
}

/// Returns advice for a method that couldn't go on.
std::string failure_hint(const SolveReport& r) {
  const SolveResult& result = r.result;
  if (const std::string text = singular_hint(r); !text.empty()) return text;
  if (const std::string text = method_hint(r); !text.empty()) return text;
  constexpr std::string_view general = name_in_auto<RoleInAuto::general>;
  if (result.solver == general && r.options.restart != automatic_restart)
    return "try --restart auto, another --precond, or a looser --rtol";
  if (result.solver == general || result.solver == name_in_auto<RoleInAuto::symmetric> ||
      result.status == Status::stagnated)
    return "try another --precond or --solver, or a looser --rtol";
  return fmt::format("try --solver {}, or another --precond", general);
}

/// Returns advice for a solve that didn't converge.
std::string hint(const SolveReport& r) {
  if (r.result.at_precision_limit) return limit_hint(r);
  switch (r.result.status) {
    case Status::converged:
    case Status::least_squares:
      return {};
    case Status::iteration_limit:
      if (const std::string text = method_hint(r); !text.empty()) return text;
      return "raise --maxiter, or try another --precond or --solver";
    case Status::time_limit:
      return "raise --time-limit, or try another --precond or --solver";
    case Status::stagnated:
    case Status::breakdown:
    case Status::diverged:
      return failure_hint(r);
    case Status::not_finite:
      return r.result.bad_input ? "look for NaN, infinite or huge values in the matrix, right-hand side and guess"
                                : "try another --precond: ilut pivots, and lu more so";
    case Status::interrupted:
      return interrupted_hint(r);
  }
  return {};
}

/// Adds the chosen format, and the verdicts on the next formats and on csr; or what takes the place of a matrix.
void add_format(Facts& facts, const Choice& choice) {
  if (choice.candidates.empty()) return facts.row("operator", choice.format + ", " + choice.reason);
  constexpr std::size_t shown = 3;
  const Candidate& chosen = choice.candidates.front();
  facts.row("format", chosen.full_name() + ": " + choice.reason);
  std::size_t others = 0;
  for (std::size_t k = 1; k < choice.candidates.size(); ++k) {
    const Candidate& c = choice.candidates[k];
    if (k <= shown || c.name == "csr") {
      facts.more("not " + c.name + ": " + c.verdict);
    } else if (!c.cost.elsewhere) {
      ++others;
    }
  }
  if (others > 0) facts.more(fmt::format("nor {} more, which inspect lists", others));
}

void add_hierarchy(Facts& facts, const SolveReport& r) {
  const std::vector<PreconditionerLevel>& levels = r.hierarchy;
  if (levels.empty()) return;
  facts.more(fmt::format("{}, down to {}", counted(static_cast<Offset>(levels.size()), "grid"), levels.back().grid));
  if (levels.front().rows > 0)
    facts.more(fmt::format("{:.3g} times the points, {:.3g} times the entries, kept as {}", grid_complexity(levels),
                           operator_complexity(levels), levels.front().storage));
  if (const auto products = precondition_products(r))
    facts.more("set-up: " + counted(std::llround(*products), "product"));
}

void add_renumbering(Facts& facts, const Renumbering& r) {
  if (r.order.empty()) return;
  facts.row("numbering", r.way + ": " + r.reason);
  facts.more(
      fmt::format("32 entries now read x from {:.0f} places, before from {:.0f}; x is written as the file "
                  "numbers it",
                  r.places, r.places_before));
}

void add_choices(Facts& facts, const SolveReport& r) {
  std::string solver = r.solver.name;
  if (const SolverInfo* const method = find_solver(solver)) solver += method->variant(r.options);
  facts.row("solver", solver + ": " + r.solver.reason);
  facts.row("preconditioner", r.preconditioner.name + ": " + r.preconditioner.reason);
  add_hierarchy(facts, r);
  add_format(facts, r.choice);
  if (!r.generated.empty()) facts.row("kernels", r.generated);
  const auto text = [](std::size_t bytes) { return bytes_text(static_cast<double>(bytes)); };
  facts.row("memory", "matrix " + text(r.bytes.matrix) + ", solver " + text(r.bytes.workspace));
  const std::string measured = text(r.bytes.preconditioner),
                    predicted = r.bytes.predicted ? in_words(*r.bytes.predicted) : std::string(),
                    verdict = predicted.empty()       ? ""
                              : predicted == measured ? " (as predicted)"
                                                      : " (predicted: " + predicted + ")";
  const std::string preconditioner =
      r.bytes.preconditioner > 0 ? "preconditioner " + measured + verdict + ", " : std::string();
  facts.more(preconditioner + "x and b " + text(r.bytes.vectors));
}

/// Returns the number of products with A in an iteration, or 0 when several methods took part.
int products_per_iteration(const SolveReport& r) {
  if (r.result.solver != r.solver.name) return 0;
  for (const SolverInfo& info : solver_infos) {
    if (info.name == r.result.solver) return info.products_per_iteration;
  }
  return 0;
}

std::string iteration_text(const SolveReport& r) {
  if (r.result.iterations == 0) return {};
  return fmt::format("{} an iteration", seconds_text(r.times.solve / r.result.iterations));
}

/// Returns the rate at which the solve read the matrix: the bytes of all products over the whole solve time.
std::string traffic_text(const SolveReport& r) {
  const int products = products_per_iteration(r) * r.result.iterations;
  const double bytes = static_cast<double>(r.bytes.matrix);
  if (products == 0 || !(r.times.solve > 0) || r.choice.candidates.empty()) return {};
  if (!has_rate(bytes, r.structure.nonzeros, r.device.precision)) return {};
  return fmt::format("{} read the matrix at {}", counted(products, "product"),
                     rate_text(products * bytes / r.times.solve));
}

void add_times(Facts& facts, const SolveReport& r) {
  const Times& t = r.times;
  const auto row = [&facts](const char* label, double seconds, const std::string& remark = {}) {
    facts.row(label, fmt::format("{:>7}{}", seconds_text(seconds), remark.empty() ? "" : "   " + remark));
  };
  row("read", t.read);
  if (t.upload > 0) row("upload", t.upload);
  row("analyse", t.analyse);
  if (t.renumber > 0) row("renumber", t.renumber);
  if (r.preparation.changes_matrix()) row("prepare", t.prepare);
  if (t.tune > 0) row("tune", t.tune);
  row("convert", t.convert);
  row("precondition", t.precondition);
  row("solve", t.solve, iteration_text(r));
  if (const std::string traffic = traffic_text(r); !traffic.empty()) facts.more("          " + traffic);
  row("in total", t.total);
  if (r.amortisation) add_amortisation(facts, *r.amortisation);
}

/// ", each leaves 0.7"; nothing where the residual doesn't fall.
std::string fall_text(const Stage& stage) {
  const double rate = stage.rate();
  return rate > 0 && rate < 1 ? fmt::format(", each leaves {:.3g}", rate) : "";
}

/// What each method and preconditioner did, where there were several.
void add_stages(Facts& facts, const std::vector<Stage>& stages) {
  for (std::size_t k = 0; k < stages.size() && stages.size() > 1; ++k) {
    const Stage& s = stages[k];
    const std::string done = fmt::format("{}: {} in {}{}", s.text(), counted(s.iterations, "iteration"),
                                         seconds_text(s.seconds), fall_text(s));
    k == 0 ? facts.row("stages", done) : facts.more(done);
    constexpr double least = 1e-6;
    if (s.preconditioner_bytes > 0 && s.setup_seconds > least)
      facts.more(fmt::format("  {} takes {}, made in {}", s.preconditioner,
                             bytes_text(static_cast<double>(s.preconditioner_bytes)), seconds_text(s.setup_seconds)));
  }
}

/// How far x may be from the solution, where that can be estimated.
void add_forward_error(Facts& facts, const SolveResult& result) {
  const double error = result.forward_error();
  if (!std::isfinite(error)) return;
  const std::string size = error < 1 ? fmt::format("about {:.0e}", error) : "1 or more: no digit of x is certain";
  const char* const how = result.condition.of == Condition::Of::preconditioned
                              ? "as far as CG has seen: condition of M^-1 A at least"
                              : "estimated: condition of A about";
  facts.row("forward error", fmt::format("{}, {} {:.1e}", size, how, result.condition.value));
}

void add_end(Facts& facts, const SolveReport& r) {
  const SolveResult& result = r.result;
  // The residual of a least squares problem ends at a value of its own.
  const bool falls =
      result.stages.size() == 1 && !(takes_any_shape(result.solver) && result.status != Status::converged);
  const std::string fall = falls ? fall_text(result.stages.front()) : "";
  facts.row("iterations", count_text(result.iterations) + fall + (fall.empty() ? "" : " of the residual on average"));
  add_stages(facts, result.stages);
  facts.row("residual", fmt::format("||b - A x|| / ||b|| = {:.2e}, recomputed; asked for {}", result.relative_residual,
                                    goal_text(r.options)));
  if (std::isfinite(result.backward_error)) {
    facts.row("backward error", fmt::format("||b - A x|| / (||A|| ||x|| + ||b||) = {:.2e}", result.backward_error));
  }
  if (std::isfinite(result.row_error)) {
    facts.row("by row", fmt::format("|b - A x| / (|A| |x| + |b|) = {:.2e} at most", result.row_error));
  }
  add_forward_error(facts, result);
  if (result.status != Status::converged && std::isfinite(result.gradient)) {
    facts.row("gradient",
              fmt::format("max |a_j . r| / (||a_j|| ||r||) = {:.2e} over the columns of A, for r = b - A x, "
                          "recomputed",
                          result.gradient));
  }
  if (r.error) facts.row("error", fmt::format("max |x - 1| = {:.2e}", *r.error));
  for (const std::string& note : result.notes) {
    if (note.find(r.solver.reason) == std::string::npos && note != result.reason) facts.row("note", note);
  }
}

Colour colour_of(Status status) {
  if (exit_code(status) == exit_converged) return Colour::green;
  return exit_code(status) == exit_failed ? Colour::red : Colour::yellow;
}

/// After the status: when the solve ended, or the set-up.
std::string when_ended(const SolveReport& r) {
  if (r.result.set_up_stopped) return " in the set-up, after " + seconds_text(r.times.precondition);
  return " after " + counted(r.result.iterations, "iteration") + " in " + seconds_text(r.times.solve);
}

/// Prints the last lines: how the solve ended, why, and advice.
void print_end(std::FILE* to, const SolveReport& r) {
  put(to, "\n" + coloured(to, colour_of(r.result.status), in_words(r.result.status)) + when_ended(r) + "\n");
  for (const std::string& text : {r.result.reason, hint(r)}) {
    for (const std::string& line : wrap(printable(text), line_width)) {
      if (!line.empty()) put(to, line + "\n");
    }
  }
}

}  // namespace

double operator_complexity(const std::vector<PreconditionerLevel>& levels) {
  double entries = 0;
  for (const PreconditionerLevel& level : levels) entries += static_cast<double>(level.nonzeros);
  return entries > 0 ? entries / static_cast<double>(levels.front().nonzeros) : 0;
}

double grid_complexity(const std::vector<PreconditionerLevel>& levels) {
  double points = 0;
  for (const PreconditionerLevel& level : levels) points += static_cast<double>(level.rows);
  return points > 0 ? points / static_cast<double>(levels.front().rows) : 0;
}

std::optional<double> precondition_products(const SolveReport& r) {
  if (r.hierarchy.empty() || r.choice.candidates.empty()) return {};
  const Candidate& chosen = r.choice.candidates.front();
  return r.times.precondition / (chosen.is_measured() ? chosen.measured_seconds : chosen.cost.seconds);
}

bool was_measured(const Choice& choice) {
  for (const Candidate& c : choice.candidates) {
    if (c.is_measured()) return true;
  }
  return false;
}

double measured_seconds(const Candidate& c, const Inspection& i) {
  if (was_measured(i.choice)) return c.measured_seconds;
  if (c.name == i.choice.format) return i.amortisation.product_seconds;
  return c.name == i.amortisation.csr_is ? i.amortisation.csr_seconds : 0;
}

bool has_rate(double bytes, Offset nonzeros, const std::string& precision) {
  return bytes >= (precision == "single" ? 4.0 : 8.0) * static_cast<double>(nonzeros);
}

void add_device(Facts& facts, const DeviceInfo& device) {
  facts.row("device", device.description + (device.precision == "single" ? ", single precision" : "") +
                          (device.remark.empty() ? "" : " (" + device.remark + ")"));
}

void add_preparation(Facts& facts, const SystemPreparation& p, const std::string& label) {
  std::vector<std::string> steps;
  if (p.diagonal_rows > 0)
    steps.push_back(counted(p.diagonal_rows, "row") + " with nothing beside the diagonal solved alone");
  if (p.zero_rows > 0)
    steps.push_back(counted(p.zero_rows, "row") + " without an entry left out; x stays the guess there");
  if (p.symmetrised) {
    steps.push_back(p.asymmetry > 0 ? fmt::format("symmetric up to {:.1g}: solved with the symmetric part", p.asymmetry)
                                    : "solved with the symmetric part, as --symmetric asks, though A isn't symmetric");
  }
  if (p.scaled_by > 0) {
    const int decades = static_cast<int>(p.scaled_by * std::log10(2.0));  // 10^decades may be out of range
    steps.push_back(fmt::format("rows differ by 1e{:+03} in size: scaled by powers of two", decades));
  }
  if (p.equal_rows > 0)
    steps.push_back(counted(p.equal_rows, "row") + (p.equal_rows == 1 ? " equals another" : " equal others") +
                    ": A is singular");
  if (p.has_constants) steps.emplace_back("A * ones = 0: what b has along the constants is taken out");
  for (std::size_t k = 0; k < steps.size(); ++k) k == 0 ? facts.row(label, steps[k]) : facts.more(steps[k]);
}

std::string symmetry_text(const Structure& s) {
  if (s.rows != s.cols) return "rectangular";
  if (s.symmetric) return "symmetric";
  return s.pattern_symmetric ? "symmetric in pattern only" : "not symmetric";
}

std::string main_diagonal_text(const Structure& s) {
  if (s.missing_diagonal > 0) return "missing or 0 in " + counted(s.missing_diagonal, "row");
  const char* const sign = s.positive_diagonal ? "positive" : s.negative_diagonal ? "negative" : "of mixed sign";
  return std::string(sign) + (s.constant_diagonal ? " and constant" : "");
}

std::string size_text(const Structure& s) {
  return fmt::format("{} x {}, {}", count_text(s.rows), count_text(s.cols), entries_text(s));
}

void add_matrix(Facts& facts, const std::string& path, const Structure& s) {
  const std::string main = s.rows == s.cols ? ", the main one " + main_diagonal_text(s) : "";
  facts.row("matrix", path == "-" ? "standard input" : path);
  facts.more(fmt::format("{}, {:.3g} a row, at most {}", size_text(s), s.mean_row, count_text(s.longest_row)));
  facts.more(symmetry_text(s) + ", " + counted(s.diagonals, "diagonal") + main);
  if (!s.finite) facts.more("holds NaN or infinite values");
}

bool is_searched(const Structure& s) { return s.census != nullptr && !s.census->diagonals.empty(); }

std::string diagonal_type_text(DiagonalType type) {
  return type == DiagonalType::one ? "I" : type == DiagonalType::two ? "II" : "III";
}

void add_pattern(html::Page& page, const html::Density& pattern) {
  if (pattern.entries > 0) page.picture(draw_spy(pattern), spy_caption(pattern));
}

void add_bars(html::Page& page, const std::vector<html::FormatBar>& bars) {
  if (bars.empty()) return;
  const auto predicted = std::count_if(bars.begin(), bars.end(), [](const html::FormatBar& b) { return !b.measured; });
  page.picture(draw_bars(bars), predicted > 0
                                    ? "Time of a product (~ and paler: predicted) and bytes stored, by format."
                                    : "Time of a product, measured, and bytes stored, by format.");
}

namespace {

/// All of the table but the curve, which is a picture of its own on a page.
Facts facts_of(const SolveReport& r, const std::string& curve) {
  Facts facts;
  add_device(facts, r.device);
  add_matrix(facts, r.matrix, r.structure);
  facts.row("right-hand side", r.rhs);
  add_renumbering(facts, r.renumbering);
  add_preparation(facts, r.preparation, "prepared");
  add_choices(facts, r);
  facts.gap();
  add_end(facts, r);
  if (!curve.empty()) facts.row("convergence", curve);
  facts.gap();
  add_times(facts, r);
  if (!r.output.empty()) facts.row("solution", r.output == "-" ? "standard output" : r.output);
  return facts;
}

std::string convergence_caption(const SolveResult& result) {
  return std::string("Residual of the recurrence after each iteration; dots: recomputed, b - A x") +
         (result.stages.size() > 1 ? "; dotted lines: another method or preconditioner goes on" : "") +
         ". Below: the time of iterations and, paler, of making preconditioners.";
}

std::vector<html::FormatBar> bars_of(const Choice& choice) {
  std::vector<html::FormatBar> bars;
  for (const Candidate& c : choice.candidates) {
    if (c.cost.applies() && c.is_measured() == choice.candidates.front().is_measured())
      bars.push_back({c.name, c.product_seconds(), static_cast<double>(c.cost.bytes), c.is_measured()});
  }
  return bars;
}

}  // namespace

html::Page page_of(const SolveReport& r) {
  html::Page page("ostinato solve " + r.matrix);
  page.paragraph(in_words(r.result.status) + when_ended(r));
  for (const std::string& text : {r.result.reason, hint(r)}) {
    if (!text.empty()) page.paragraph(text);
  }
  if (html::has_convergence(r.result)) {
    page.heading("Convergence");
    page.picture(html::draw_convergence(r.result, r.goal), convergence_caption(r.result));
  }
  page.heading("Report");
  page.facts(facts_of(r, {}));
  page.heading("Matrix and formats");
  add_pattern(page, r.pattern);
  add_bars(page, bars_of(r.choice));
  return page;
}

void print_table(std::FILE* to, const SolveReport& r) {
  facts_of(r, shows_blocks(to) ? sparkline(r.result.history) : "").print(to);
  print_end(to, r);
}

}  // namespace ostinato::cli
