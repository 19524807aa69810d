// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include <ostinato/solvers/options.hpp>
#include <ostinato/spmv/matrix/stencil.hpp>
#include <ostinato/spmv/selection/choice.hpp>

#include "command_line.hpp"
#include "device.hpp"
#include "format_options.hpp"

// What the command line of `solve` says.

namespace ostinato::cli {

struct SolveInput {
  std::string matrix, rhs, guess, coordinates, output, history, json, html, options_file;
  DeviceOptions device;
  std::string solver = "auto", precond = "auto";
  FormatInput formats;
  std::string renumber = "auto", prepare = "auto";
  bool symmetric = false;
  std::string gpus;  ///< "all" or how many, of this process; empty without
  bool share_gpus = false;
  std::string partition;  ///< empty: entries
  double rank_timeout = 300;
  std::string effort = "normal";
  std::optional<double> rtol;
  SolveOptions limits;
  bool quiet = false;
};

/// Adds the options, but for those of the device.
void add_solve_options(Command& command, SolveInput& in);

/// The name in NAME:OPTIONS, as a preconditioner is given.
std::string name_of(const std::string& precond);

/// The options of a preconditioner that is given as NAME:OPTIONS.
std::string options_of(const std::string& precond);

/// Whether --partition names none of the ways to share rows.
bool names_file(const std::string& partition);

FormatOptions format_options(const SolveInput& in);
SolveOptions solve_options(const SolveInput& in, const std::string& precision);

/// The stencil of a generated matrix with constant coefficients, unless an option asks for a matrix. `preconditioners`:
/// those that a stencil has beside auto and multigrid.
std::optional<Stencil> stencil_of(const SolveInput& in, std::initializer_list<std::string_view> preconditioners);

/// Refuses coordinates that nothing would look at, and files that are to be read or written twice or are of no known
/// kind.
/// Throws    UsageError.
void check_files(const SolveInput& in);

/// Refuses options that the solver asked for by name would take no notice of, or that contradict each other.
/// Throws    UsageError.
void require_use_of_options(const SolveInput& in);

}  // namespace ostinato::cli
