// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include <ostinato/solvers/options.hpp>
#include <ostinato/spmv/matrix/io/matrix_market.hpp>
#include <ostinato/spmv/selection/choice.hpp>
#include <ostinato/spmv/selection/search_engine.hpp>
#include <ostinato/spmv/team/distributed_operator.hpp>
#include <ostinato/spmv/team/rank_forecast.hpp>
#include <ostinato/strategy/any_preconditioner.hpp>
#include <ostinato/strategy/comparison.hpp>
#include <ostinato/strategy/examination.hpp>
#include <ostinato/strategy/numbered_matrix.hpp>
#include <ostinato/strategy/prepared_matrix.hpp>
#include <ostinato/strategy/solve_by_name.hpp>

#include "amortisation.hpp"
#include "device.hpp"
#include "format_options.hpp"
#include "html/bars.hpp"
#include "html/page.hpp"
#include "html/spy.hpp"
#include "table.hpp"

// The reports of the commands as values. json.cpp writes them as JSON. solve_table.cpp prints the table of solve; each
// other command prints its own.

namespace ostinato::cli {

struct Times {
  double read = 0;
  double upload = 0;  ///< upload of the matrix; 0 on the CPU
  double analyse = 0;
  double prepare = 0;   ///< to look at the rows, and to change the matrix where that helps
  double renumber = 0;  ///< the order, the new matrix, and the analysis of the old one; 0 when the numbers stay
  double tune = 0;      ///< measuring formats, or loading the times of an earlier run
  double convert = 0;
  double precondition = 0;
  double solve = 0;
  double total = 0;  ///< since the command began, including other work: starting the device, vectors, writing x
};

struct Bytes {
  std::size_t matrix = 0;
  std::size_t preconditioner = 0;
  std::optional<MemoryPrediction> predicted = {};  ///< of the preconditioner; without that of its fallback
  std::size_t workspace = 0;                       ///< memory that the solver allocates
  std::size_t vectors = 0;                         ///< x and b
};

/// What a rank had to do.
struct RankReport {
  HaloReport halo;
  double reduction_seconds = 0;
  double solve_seconds = 0;
};

/// The report of a solve.
struct SolveReport {
  std::string matrix, rhs, output;
  bool of_ones = false;  ///< b is A * ones, so that x is known
  DeviceInfo device;
  MatrixMarketInfo file;
  Structure structure;
  Choice choice;  ///< without candidates when there is no matrix: a stencil is the operator
  FormatInput formats;
  std::string generated;  ///< state of the kernels compiled for this matrix; empty without any
  std::optional<Amortisation> amortisation;
  Renumbering renumbering;
  SystemPreparation preparation;
  SolverChoice solver;
  PreconditionerChoice preconditioner;         ///< that of the end
  double goal = 0;                             ///< of ||b - A x|| / ||b||, from rtol and atol; for the page
  std::vector<PreconditionerLevel> hierarchy;  ///< of a multigrid preconditioner
  SolveOptions options;
  SolveResult result;
  Times times;
  Bytes bytes;
  std::optional<double> error;  ///< max |x - 1|, if the solution is known to be all ones
  html::Density pattern;        ///< for the page; empty without one
  bool is_of_ranks = false;
  std::vector<RankReport> ranks;  ///< empty without ranks, and where their set-up was stopped
  std::uint64_t reductions = 0;   ///< that each rank took part in
};

/// The entries of the operators of all levels over those of the finest; 0 without entries.
double operator_complexity(const std::vector<PreconditionerLevel>& levels);
/// The rows of all levels over those of the finest; 0 without rows.
double grid_complexity(const std::vector<PreconditionerLevel>& levels);
/// The set-up of a hierarchy, timed, in products with the chosen format, timed or else predicted. Nothing without a
/// hierarchy or without a format.
std::optional<double> precondition_products(const SolveReport& report);

/// The report of a matrix.
struct Inspection {
  std::string matrix;
  std::string to_see_all = "--all";  ///< what makes the caller look at all
  std::string to_measure;            ///< what makes the caller choose by times measured; empty where nothing does
  DeviceInfo device;
  MatrixMarketInfo file;
  Structure structure;
  ostinato::Grid grid;
  Choice choice;
  FormatInput formats;
  std::string generated;
  Amortisation amortisation;
  double scatter = 0;  ///< share of the median by which the middle half of repeated measurements differ
  SystemPreparation preparation;
  Examination examination;
  std::vector<PreconditionerMemory> preconditioners;  ///< all that there are; empty where A isn't square
  std::vector<RankForecast> ranks;                    ///< empty where they weren't asked for
  html::Density pattern;                              ///< for the page; empty without one
};

/// Whether the formats were timed to choose among them.
bool was_measured(const Choice& choice);
/// The seconds of a product in a format, where they were measured: to choose, or to judge the choice. 0 where not.
double measured_seconds(const Candidate& c, const Inspection& i);
/// Whether a product reads so many bytes that their rate means something: not where they are fewer than the values of
/// the entries, as in a compressed matrix, which a cache may hold.
bool has_rate(double bytes, Offset nonzeros, const std::string& precision);

/// The report of the trials.
struct TuneReport {
  std::string matrix;
  DeviceInfo device;
  FormatInput formats;
  double products = 0;
  Structure structure;
  Choice choice;
  std::vector<Candidate> trials;  ///< the fastest product first
  std::string solve;              ///< the command that uses the measured times
  html::Density pattern = {};     ///< for the page; empty without one

  const Candidate* csr() const {
    for (const Candidate& c : trials) {
      if (c.name == "csr" && c.is_measured()) return &c;
    }
    return nullptr;
  }
  double csr_seconds() const { return csr() != nullptr ? csr()->measured_seconds : std::nan(""); }
};

/// The timings of one format. Baselines of other libraries become rows of the same kind.
struct BenchRow {
  std::string name = {};
  std::string parameters = {};
  std::string why_not = {};  ///< why the format wasn't timed; empty otherwise
  bool elsewhere = false;    ///< the format runs on other devices only
  std::size_t bytes = 0;
  double moved = 0;  ///< bytes moved by a product that reads x once
  double build_seconds = 0;
  double seconds = 0;
  double error = 0;            ///< the largest of a row, in units of eps sum |a||x|
  bool right = true;           ///< whether rounding explains the error of each row
  std::string generated = {};  ///< state of the kernels compiled for this matrix
};

struct BenchReport {
  std::string matrix;
  DeviceInfo device;
  FormatInput formats;
  Structure structure;
  double bandwidth = 0;
  std::vector<BenchRow> rows;
  html::Density pattern;  ///< for the page; empty without one

  const BenchRow* csr() const {
    for (const BenchRow& r : rows) {
      if (r.name == "csr" && r.seconds > 0) return &r;
    }
    return nullptr;
  }
};

/// The report of a race of solvers and preconditioners.
struct CompareReport {
  std::string matrix, rhs;
  bool needs_rhs = false;  ///< solve would refuse the file without a right-hand side: A * ones is 0
  DeviceInfo device;
  Structure structure;
  double budget = 0, rtol = 0;
  Comparison comparison;
  std::string command;           ///< the fastest pair as a command line; empty where none solved the system
  std::vector<std::string> cpp;  ///< the same in C++
  html::Density pattern;         ///< for the page; empty without one
};

void print_table(std::FILE* to, const SolveReport& report);
html::Page page_of(const SolveReport& report);

/// Adds the pattern of a matrix, and the times and bytes of formats, where there are any.
void add_pattern(html::Page& page, const html::Density& pattern);
void add_bars(html::Page& page, const std::vector<html::FormatBar>& bars);

// Texts and rows of several tables.
std::string symmetry_text(const Structure& s);
/// What is done to the system before a solve: a row with this label, and a line for each further step.
void add_preparation(Facts& facts, const SystemPreparation& p, const std::string& label);
std::string main_diagonal_text(const Structure& s);
std::string size_text(const Structure& s);  ///< "5 x 5, 13 entries"
void add_device(Facts& facts, const DeviceInfo& device);
void add_matrix(Facts& facts, const std::string& path, const Structure& s);

/// Whether DIA-Adaptive's search engine applies: it needs a diagonal census with at least one diagonal.
bool is_searched(const Structure& s);
std::string diagonal_type_text(DiagonalType type);

}  // namespace ostinato::cli
