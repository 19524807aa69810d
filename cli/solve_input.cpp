// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include "solve_input.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <filesystem>

#include <ostinato/ostinato.hpp>
#include <ostinato/preconditioners/synonyms.hpp>
#include <ostinato/solvers/list.hpp>

#include "commands.hpp"
#include "exit_code.hpp"
#include "files.hpp"
#include "generated.hpp"
#include "text.hpp"

namespace ostinato::cli {

std::string name_of(const std::string& precond) { return precond.substr(0, precond.find(':')); }

std::string options_of(const std::string& precond) {
  const std::size_t colon = precond.find(':');
  return colon == std::string::npos ? "" : precond.substr(colon + 1);
}

bool names_file(const std::string& partition) {
  constexpr std::array ways = {"entries", "rows", "rcm", "metis", "grid"};
  return std::find(ways.begin(), ways.end(), partition) == ways.end();
}

namespace {

void add_files(Command& command, SolveInput& in) {
  const auto file = [&command](const char* names, std::string& path, const char* what) {
    command.add({.names = names, .description = what, .value = "FILE", .check = file_name()}, path);
  };
  command.add(matrix_argument, in.matrix);
  file("-f,-b,--rhs", in.rhs, "right-hand side b: .mtx, .npy or .txt; without it b = A * ones");
  file("-x,--guess", in.guess,
       "initial guess, in the same kinds of files; without it x = 0. The goal stays relative to ||b||");
  file("--coordinates", in.coordinates,
       "where the points are, a row of 2 or 3 numbers each, .mtx or .npy: for aggregation of displacements, which "
       "auto then takes");
  file("-o,--output", in.output,
       "write the solution x to .mtx, .npy or .txt, also when the solve ended early; - is the standard output");
  file("--history", in.history, "write the residual after each iteration, as CSV; - is the standard output");
  command.add(json_option, in.json);
  command.add(html_option, in.html);
  file("-P,--options", in.options_file,
       "take options from a JSON object whose keys are their long names; the command line goes first");
  command.add_flag({.names = "--quiet", .description = "no live line, no table; the exit code and --json tell"},
                   in.quiet);
}

/// Says what is wrong with the name of a solver; empty when nothing is. A synonym stays, for the library to note.
std::string unusable_solver(std::string& text, const std::string& known) {
  text = lower(text);
  std::string name = usual_name(NameOf::solver, text).name;
  return one_of(known)(name);
}

/// The same for a text such as "multigrid:sweeps=2".
std::string unusable_preconditioner(std::string& text, const std::string& known) {
  text = lower(text);
  std::string name = name_of(usual_name(NameOf::preconditioner, text).name);
  if (std::string unknown = one_of(known)(name); !unknown.empty()) return unknown;
  try {
    check_preconditioner(text);
    return {};
  } catch (const ArgumentError& e) {
    return e.what();
  }
}

void add_choices(Command& command, SolveInput& in) {
  const std::string solvers = names_of(solver_infos, "auto"),
                    preconditioners = names_of(preconditioner_infos(), "auto");
  command.add({.names = "--solver",
               .description = solvers + "; or a name of another library, such as bcgs, fgmres or lsqr",
               .value = "NAME",
               .words = solvers,
               .check = [solvers](std::string& text) { return unusable_solver(text, solvers); }},
              in.solver);
  command.add(
      {.names = "--precond,--preconditioner",
       .description = preconditioners +
                      "; with options: NAME:KEY=VALUE,KEY=VALUE; or a name of another library, such as amg or icc",
       .value = "NAME",
       .words = preconditioners,
       .check = [preconditioners](std::string& text) { return unusable_preconditioner(text, preconditioners); }},
      in.precond);
  add_format_option(command, in.formats);
  add_tune_option(command, in.formats, "off, model, measure",
                  "how auto finds the format: off (csr), model (predict), measure (time the best few)");
  add_kernel_options(command, in.formats);
  command.add(
      {.names = "--renumber",
       .description = "auto, on, off: whether rows get new numbers (breadth first on a CPU, by clusters on a GPU), so "
                      "that neighbours are near each other; x comes out in the order of the file",
       .value = "WHEN",
       .words = "auto, on, off"},
      in.renumber);
  command.add({.names = "--prepare",
               .description = "auto, off: whether rows that stand alone are solved by themselves, rows of very "
                              "different size are scaled, and A is made symmetric where it is but for rounding",
               .value = "WHEN",
               .words = "auto, off"},
              in.prepare);
  command.add_flag({.names = "--symmetric",
                    .description = "A is symmetric, whatever its last digits say: solve with its symmetric part"},
                   in.symmetric);
}

void add_limits(Command& command, SolveInput& in) {
  const auto number = [&command](const char* name, auto& value, const char* what, const char* otherwise = "") {
    command.add({.names = name, .description = what, .value = "X", .default_text = otherwise}, value, at_least(0));
  };
  const auto count = [&command](const char* name, int& value, const Reading<int>& read, const char* what,
                                const char* otherwise = "") {
    command.add({.names = name, .description = what, .value = "N", .default_text = otherwise}, value, read);
  };
  number("--rtol", in.rtol, "stop at ||b - A x|| <= rtol ||b||", "1e-8; 1e-5 in single precision");
  number("--atol", in.limits.atol, "or at ||b - A x|| <= atol");
  count("--maxiter,--max-iterations", in.limits.max_iterations, whole(0), "iterations at most");
  number("--time-limit", in.limits.time_limit, "seconds at most of the solve, and to make its preconditioner; 0: none");
  command.add({.names = "--mem-limit",
               .description =
                   "what preconditioners and the basis of gmres, gcrodr may take, such as 500M or 2G; 0: what is free",
               .value = "SIZE"},
              in.limits.mem_limit, byte_size());
  number("--divergence-limit", in.limits.divergence_limit,
         "give up when the residual is so many times ||b|| or its start; 0: never");
  count("--restart", in.limits.restart, whole_or_auto(1, automatic_restart),
        "vectors before a restart; auto: as many as help and memory allows for gmres, 50 for gcrodr", "auto");
  count("--recycle", in.limits.recycle, whole_or_auto(1, automatic_recycle),
        "gcrodr: directions kept at a restart; auto: a fifth of --restart", "auto");
  count("--shadow", in.limits.shadow, whole(1, most_shadow_vectors), "idr: shadow vectors, the s of IDR(s)");
  count("--check-every", in.limits.check_every, whole(0),
        "iterations between checks of the residual; 0: chosen by cost");
  command.add(
      {.names = "--effort",
       .description = "quick, normal, thorough: how far auto goes where the first preconditioner doesn't get there",
       .value = "HOW",
       .words = "quick, normal, thorough"},
      in.effort);
  command.add_flag({.names = "--flexible", .description = "gmres: allow a preconditioner that varies (FGMRES)"},
                   in.limits.flexible);
}

/// A number of GPUs, or all.
std::string unknown_gpus(std::string& count) {
  const bool is_number =
      !count.empty() && count.size() < 5 && count.find_first_not_of("0123456789") == std::string::npos;
  if (count == "all" || (is_number && std::stoi(count) > 0)) return {};
  return "'" + count + "' is no number of GPUs; give 1, 2, .. or all";
}

std::string unknown_partition(std::string& how) {
  if (!names_file(how) || std::filesystem::exists(how)) return {};
  return "'" + how + "': there is no such file; known: entries, rows, rcm, metis, grid";
}

void add_ranks(Command& command, SolveInput& in) {
  command.add({.names = "--gpus",
               .description = "GPUs of this machine that share the rows, each as a rank; all: as many as there are",
               .value = "N",
               .words = "all",
               .check = unknown_gpus},
              in.gpus);
  command.add_flag({.names = "--share-gpus", .description = "let ranks be more than GPUs: some of them share one"},
                   in.share_gpus);
  command.add({.names = "--partition",
               .description = "how ranks, of --gpus or of mpirun, share the rows: entries, rows: as many for each; "
                              "rcm, metis: in another order; grid: by planes; or a file with the rank of each row",
               .value = "HOW",
               .words = "entries, rows, rcm, metis, grid",
               .check = unknown_partition,
               .default_text = "entries"},
              in.partition);
  command.add({.names = "--rank-timeout", .description = "seconds that a rank waits for the others", .value = "X"},
              in.rank_timeout, at_least(0));
}

/// Refuses coordinates that nothing would look at.
void require_points_together(const SolveInput& in) {
  if (in.renumber == "on" && (!in.coordinates.empty() || rows_named_by(in.precond) == RowsNamed::points))
    throw UsageError("--renumber on takes the unknowns of a point apart; leave --coordinates and unknowns= out");
}

void require_use_of_points(const SolveInput& in) {
  if (in.coordinates.empty()) return;
  const PreconditionerRequest asked = parse_preconditioner(in.precond);
  const auto* const multigrid = std::any_cast<MultigridOptions>(&asked.options);
  const bool takes_points =
      asked.name == "auto" || (multigrid != nullptr && multigrid->kind == MultigridKind::aggregation);
  if (!takes_points || takes_any_shape(in.solver))
    throw UsageError("--coordinates are for --precond auto or multigrid:kind=aggregation");
}

}  // namespace

void add_solve_options(Command& command, SolveInput& in) {
  add_files(command, in);
  add_choices(command, in);
  add_limits(command, in);
  add_ranks(command, in);
}

FormatOptions format_options(const SolveInput& in) {
  FormatOptions o = format_options(in.formats);
  if (in.formats.products == 0)
    o.expected_products = std::min<double>(o.expected_products, std::max(1, in.limits.max_iterations));
  return o;
}

SolveOptions solve_options(const SolveInput& in, const std::string& precision) {
  SolveOptions o = in.limits;
  o.rtol = in.rtol.value_or(precision == "single" ? usual_rtol<float> : usual_rtol<double>);
  return o;
}

std::optional<Stencil> stencil_of(const SolveInput& in, std::initializer_list<std::string_view> preconditioners) {
  const PreconditionerRequest precond = parse_preconditioner(in.precond);
  const auto* const multigrid = std::any_cast<MultigridOptions>(&precond.options);
  const bool is_by_grid = multigrid != nullptr &&
                          (multigrid->kind == MultigridKind::automatic || multigrid->kind == MultigridKind::structured);
  const bool is_known =
      std::find(preconditioners.begin(), preconditioners.end(), precond.name) != preconditioners.end();
  const bool asks = !in.coordinates.empty() || in.formats.format != "auto" || in.formats.tune != FormatInput{}.tune ||
                    !(precond.name == "auto" || is_known || is_by_grid) || takes_any_shape(in.solver) ||
                    in.renumber == "on";
  const std::optional<Generated> made = asks ? std::nullopt : generated_matrix(in.matrix);
  if (!made) return {};
  return with_usage_errors([&] { return generate_stencil(made->family, made->options); });
}

void check_files(const SolveInput& in) {
  if ((in.matrix == "-") + (in.rhs == "-") + (in.guess == "-") + (in.coordinates == "-") > 1) {
    throw UsageError("only one of the matrix, --rhs, --guess and --coordinates can be the standard input");
  }
  require_use_of_points(in);
  require_points_together(in);
  if ((in.json == "-") + (in.html == "-") + (in.output == "-") + (in.history == "-") > 1)
    throw UsageError("only one of --json, --html, --output and --history can be the standard output");
  require_output(in.output, {in.matrix, in.rhs, in.coordinates, in.options_file});  // x may take the place of the guess
  require_output(in.json, {in.matrix, in.rhs, in.guess, in.coordinates, in.options_file}, in.output);
  require_output(in.history, {in.matrix, in.rhs, in.guess, in.coordinates, in.options_file}, in.output);
  require_output(in.history, {}, in.json);
  require_output(in.html, {in.matrix, in.rhs, in.guess, in.coordinates, in.options_file}, in.output);
  require_output(in.html, {in.history}, in.json);
  require_kind(in.json, "a report is written as JSON", {".json"});
  require_kind(in.html, "a page is written as HTML", {".html"});
  require_kind(in.history, "a history is written as CSV", {".csv"});
  if (!in.output.empty()) check_vector_name(in.output);
}

void require_use_of_options(const SolveInput& in) {
  require_use_of_formats(in.formats, in.device.device);
  const SolveOptions o = solve_options(in, "");
  const std::string unused = unused_options(o, usual_name(NameOf::solver, in.solver).name);
  if (!unused.empty()) throw UsageError(unused + ", and --solver is " + in.solver + "; leave the option out");
  if (o.restart != automatic_restart && o.recycle != automatic_recycle && o.recycle >= o.restart)
    throw UsageError(fmt::format("--recycle is {}; it has to be less than --restart, {}", o.recycle, o.restart));
}

}  // namespace ostinato::cli
