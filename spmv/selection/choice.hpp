// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <ostinato/spmv/formats/cost.hpp>

namespace ostinato {

/// One format's place in the ranking, or one trial of a format.
struct Candidate {
  std::string name;
  std::string parameters = {};        ///< that `cost` is for: "height=8,version=2"; empty for a format without any
  Cost cost = {};                     ///< as predicted
  double measured_seconds = 0;        ///< for one product; 0 when it wasn't measured
  double measured_setup_seconds = 0;  ///< for building it
  double total_seconds = 0;           ///< set-up and all expected products, as measured or else as predicted
  std::string verdict = {};           ///< "chosen", or why it wasn't
  std::shared_ptr<const void> plan = {};  ///< what the format decided for these parameters, until it is built

  bool is_measured() const { return measured_seconds > 0; }
  double product_seconds() const { return is_measured() ? measured_seconds : cost.seconds; }
  double setup_seconds() const { return is_measured() ? measured_setup_seconds : cost.setup_seconds; }
  std::string full_name() const;  ///< as FormatOptions::format takes it: "csr", "cmrs:height=8,version=2"
};

/// What was built and timed for a matrix: formats, each with one or more sets of parameters.
struct Trials {
  std::vector<Candidate> candidates = {};  ///< by total time; in the end those that couldn't be built, with the reason
  double seconds = 0;                      ///< that it took in all
  double budget = 0;
  int pruned = 0;           ///< not tried because they would store far more than another variant of the same format
  int left_out = 0;         ///< not tried for want of time
  bool everything = false;  ///< that applies was to be tried
  bool before = false;      ///< in an earlier run, of which this is kept
  std::string file = {};    ///< that keeps it for later runs; empty when none does
};

/// The decision, with its reasons: chosen first, then the others by time, measured before predicted, then those that
/// don't apply.
struct Choice {
  std::string format;
  std::string parameters;  ///< empty for a format without any
  std::string reason;
  std::vector<Candidate> candidates;  ///< each format once: with the best of its trials when it was measured
  Trials trials;
};

enum class Tune {
  off,         ///< no model: CSR
  model,       ///< the predicted time decides
  measure,     ///< the best few of the model are built and timed, unless the times are known from an earlier run
  everything,  ///< the same with all formats that apply, and the variants of all of them
};

/// Kernels written and compiled for the matrix at hand, on GPUs. They give the same bits as the others.
enum class Jit {
  off,
  on,         ///< and waited for, where the format has any; DeviceError when they can't be compiled
  automatic,  ///< where the expected products take longer than the compilation, which runs beside them
};

/// Storing constants, mirrored and narrow values of diagonals in fewer bytes. No bit is lost.
enum class Compress {
  off,
  on,
  automatic,  ///< unless the matrix fits into a cache, where bytes don't count
};

struct FormatOptions {
  std::string format = "auto";     ///< or a name of the registry, with or without parameters: "cmrs:height=8,version=2"
  double expected_products = 500;  ///< how often the matrix will be applied; set-up is spread over them
  Tune tune = Tune::model;
  Jit jit = Jit::automatic;
  Compress compress = Compress::automatic;
  double tune_budget = 0;   ///< seconds for measuring; 0: a twentieth of the expected products' time, 20 ms to 5 s
  bool tune_again = false;  ///< measure also what was measured in an earlier run
  std::function<void(const Candidate& next, const Trials& so_far)> on_trial = {};  ///< called before each one
};

/// "cmrs:height=8,version=2" taken apart. Without parameters, the format chooses them.
struct FormatRequest {
  std::string name, parameters;
};
FormatRequest parse_format(std::string_view text);

/// Marks formats that may give other bits on the next run as not applicable: they are taken by name only.
void exclude_nonreproducible(std::vector<Candidate>& candidates);

/// Whether formats may store a matrix with so many values in fewer bytes.
bool may_compress(const FormatOptions& options, Offset nonzeros, std::size_t value_bytes);

/// Ranks the candidates and picks one. `candidates` comes with names, parameters and costs.
/// Throws ArgumentError when the format is unknown (it lists those known), when the forced one can't hold the matrix
/// (it says why) or none can.
Choice choose(std::vector<Candidate> candidates, const FormatOptions& options);

/// The same once some have been tried.
Choice choose(std::vector<Candidate> candidates, Trials trials, const FormatOptions& options);

/// Whether kernels for the matrix at hand are to be compiled, when a product takes so long without them.
bool worth_compiling(const FormatOptions& options, double product_seconds);

}  // namespace ostinato
