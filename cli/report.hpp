// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <optional>
#include <string>

#include <ostinato/preconditioners/any_preconditioner.hpp>
#include <ostinato/solvers/options.hpp>
#include <ostinato/solvers/solve.hpp>
#include <ostinato/spmv/matrix/io/matrix_market.hpp>
#include <ostinato/spmv/selection/choice.hpp>

#include "amortisation.hpp"
#include "device.hpp"
#include "format_options.hpp"
#include "json.hpp"
#include "table.hpp"

namespace ostinato::cli {

struct Times {
  double read = 0;
  double upload = 0;  ///< of the matrix; 0 on the CPU
  double analyse = 0;
  double tune = 0;  ///< measuring formats, or finding what was measured before
  double convert = 0;
  double precondition = 0;
  double solve = 0;
  double total = 0;  ///< since the command began, with what isn't listed: starting the device, vectors, writing x
};

struct Bytes {
  std::size_t matrix = 0;
  std::size_t preconditioner = 0;
  std::size_t workspace = 0;  ///< the solver's own
  std::size_t vectors = 0;    ///< x and b
};

/// All that is told of a solve.
struct SolveReport {
  std::string matrix, rhs, output;
  DeviceInfo device;
  MatrixMarketInfo file;
  Structure structure;
  Choice choice;
  FormatInput formats;
  std::string generated;  ///< what became of the kernels for this matrix; empty when there was no need for them
  std::optional<Amortisation> amortisation;
  SolverChoice solver;
  PreconditionerChoice preconditioner;
  SolveOptions options;
  SolveResult result;
  Times times;
  Bytes bytes;
  std::optional<double> error;  ///< max |x - 1|, where the solution is known to be all ones
};

Json to_json(const SolveReport& report);
void print_table(std::FILE* to, const SolveReport& report);

// Texts and rows that several tables share.
std::string symmetry_text(const Structure& s);
std::string main_diagonal_text(const Structure& s);
std::string size_text(const Structure& s);  ///< "5 x 5, 13 entries"
void add_device(Facts& facts, const DeviceInfo& device);
void add_matrix(Facts& facts, const std::string& path, const Structure& s);

}  // namespace ostinato::cli
