// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include <ostinato/preconditioners/any_preconditioner.hpp>
#include <ostinato/solvers/options.hpp>
#include <ostinato/solvers/solve.hpp>
#include <ostinato/spmv/analysis/search_engine.hpp>
#include <ostinato/spmv/matrix/io/matrix_market.hpp>
#include <ostinato/spmv/selection/choice.hpp>

#include "amortisation.hpp"
#include "device.hpp"
#include "format_options.hpp"
#include "table.hpp"

// What the commands tell: as values, as JSON (json.cpp) and as tables (solve_table.cpp; those of the other commands
// are in the commands' own files).

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

/// All that is told of a matrix.
struct Inspection {
  std::string matrix;
  DeviceInfo device;
  MatrixMarketInfo file;
  Structure structure;
  Choice choice;
  FormatInput formats;
  std::string generated;
  Amortisation amortisation;
  SolverChoice solver;
  PreconditionerChoice preconditioner;
};

/// All that is told of the trials.
struct TuneReport {
  std::string matrix;
  DeviceInfo device;
  FormatInput formats;
  double products = 0;
  Structure structure;
  Choice choice;
  std::vector<Candidate> trials;  ///< the fastest product first
  std::string solve;              ///< the command that uses what was found

  const Candidate* csr() const {
    for (const Candidate& c : trials) {
      if (c.name == "csr" && c.is_measured()) return &c;
    }
    return nullptr;
  }
  double csr_seconds() const { return csr() != nullptr ? csr()->measured_seconds : std::nan(""); }
};

inline constexpr double largest_rounding = 10;  ///< times eps sum |a||x|

/// One format, timed. Baselines of other libraries become rows of the same kind.
struct BenchRow {
  std::string name = {};
  std::string parameters = {};
  std::string why_not = {};  ///< why there are no figures; empty otherwise
  std::size_t bytes = 0;
  double moved = 0;  ///< bytes of a product, x read once
  double build_seconds = 0;
  double seconds = 0;
  double error = 0;            ///< times eps sum |a||x|
  std::string generated = {};  ///< what became of the kernels for this matrix

  bool right() const { return error <= largest_rounding; }
};

struct BenchReport {
  std::string matrix;
  DeviceInfo device;
  FormatInput formats;
  Structure structure;
  double bandwidth = 0;
  std::vector<BenchRow> rows;

  const BenchRow* csr() const {
    for (const BenchRow& r : rows) {
      if (r.name == "csr" && r.seconds > 0) return &r;
    }
    return nullptr;
  }
};

void print_table(std::FILE* to, const SolveReport& report);

// Texts and rows that several tables share.
std::string symmetry_text(const Structure& s);
std::string main_diagonal_text(const Structure& s);
std::string size_text(const Structure& s);  ///< "5 x 5, 13 entries"
void add_device(Facts& facts, const DeviceInfo& device);
void add_matrix(Facts& facts, const std::string& path, const Structure& s);

/// DIA-Adaptive's search engine is for matrices with diagonals to count.
bool is_searched(const Structure& s);
std::string diagonal_type_text(DiagonalType type);

}  // namespace ostinato::cli
