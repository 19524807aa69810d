// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <ostinato/spmv/cost/cost.hpp>

namespace ostinato {

/// A format with one set of parameters: its predicted cost and, after a trial, its measured times.
struct Candidate {
  std::string name;
  std::string parameters = {};            ///< "height=8,version=2"; empty for a format without parameters
  Cost cost = {};                         ///< predicted for these parameters
  double measured_seconds = 0;            ///< for one product; 0 when not measured
  double measured_setup_seconds = 0;      ///< for building the format
  double total_seconds = 0;               ///< set-up and all expected products; predicted where not measured
  std::string verdict = {};               ///< "chosen", or the reason against this format
  std::shared_ptr<const void> plan = {};  ///< what the format decided for these parameters; dropped once it is built

  bool is_measured() const { return measured_seconds > 0; }
  double product_seconds() const { return is_measured() ? measured_seconds : cost.seconds; }
  double setup_seconds() const { return is_measured() ? measured_setup_seconds : cost.setup_seconds; }
  std::string full_name() const;  ///< in the syntax of FormatOptions::format: "csr", "cmrs:height=8,version=2"
};

/// The formats that were built and timed for a matrix, each with one or more sets of parameters.
struct Trials {
  std::vector<Candidate> candidates = {};  ///< by total time; failed candidates come last, with the reason
  double seconds = 0;                      ///< that all trials took together
  double budget = 0;
  int pruned = 0;    ///< variants not tried: they can't hold the matrix, or store far more bytes than another variant
  int left_out = 0;  ///< candidates not tried because the budget was spent
  bool everything = false;  ///< true with Tune::everything
  bool before = false;      ///< true when loaded from an earlier run
  std::string file = {};    ///< the file that keeps the trials for later runs; empty when there is none
};

/// The chosen format and the reasons. Candidates are in this order: the chosen format, then measured formats by time,
/// then formats with predicted times only, then formats that can't hold the matrix.
struct Choice {
  std::string format;
  std::string parameters;  ///< empty for a format without parameters
  std::string reason;
  std::vector<Candidate> candidates;  ///< each format once; a measured format with its best trial
  Trials trials;
};

enum class Tune {
  off,         ///< no selection: CSR
  model,       ///< the format with the smallest predicted time
  measure,     ///< formats with good predictions are built and timed, unless an earlier run kept their times
  everything,  ///< as measure, but with all formats that can hold the matrix and all of their variants
};

/// Whether kernels are generated and compiled for the given matrix, on GPUs. They give the same bits as the precompiled
/// kernels.
enum class Jit {
  off,
  on,         ///< compile, and wait for the kernels; DeviceError when they can't be compiled
  automatic,  ///< compile in the background if the expected products take long enough to repay the compilation
};

/// Whether diagonals are stored in fewer bytes if their values are constant, mirrored (symmetric) or fit a narrower
/// type. No bit is lost.
enum class Compress {
  off,
  on,
  automatic,  ///< compress unless the matrix fits into a cache, where fewer bytes don't help
};

struct FormatOptions {
  std::string format = "auto";     ///< or the name of a format, with or without parameters: "cmrs:height=8,version=2"
  double expected_products = 500;  ///< number of products with the matrix; the set-up time is spread over them
  Tune tune = Tune::model;
  Jit jit = Jit::automatic;
  Compress compress = Compress::automatic;
  double tune_budget = 0;   ///< seconds for measuring; 0: 5 % of the products' time, 20 ms to 5 s (everything: 10 s)
  bool tune_again = false;  ///< measure again, even if an earlier run kept the times
  std::function<void(const Candidate& next, const Trials& so_far)> on_trial = {};  ///< called before each trial
};

/// The name and parameters in a text such as "cmrs:height=8,version=2". Without parameters the format chooses its own.
struct FormatRequest {
  std::string name, parameters;
};
FormatRequest parse_format(std::string_view text);

/// Marks formats whose results may differ in bits from run to run as not applicable. Such formats are used only by
/// name.
void exclude_nonreproducible(std::vector<Candidate>& candidates);

/// Whether formats may compress a matrix with this number of nonzeros.
bool may_compress(const FormatOptions& options, Offset nonzeros, std::size_t value_bytes);

/// Ranks the candidates and picks one. Each candidate has a name, parameters and a cost.
/// Throws    ArgumentError when the format is unknown (the message lists the known formats), when the forced format
///           can't hold the matrix (the message gives the reason), or when no format can.
Choice choose(std::vector<Candidate> candidates, const FormatOptions& options);

/// The same with measured times, which replace the predicted times of their candidates.
Choice choose(std::vector<Candidate> candidates, Trials trials, const FormatOptions& options);

/// Whether to compile kernels for the matrix. `product_seconds` is the time of a product without them.
bool worth_compiling(const FormatOptions& options, double product_seconds);

}  // namespace ostinato
