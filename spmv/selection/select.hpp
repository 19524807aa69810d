// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <ostinato/spmv/formats/machine.hpp>
#include <ostinato/spmv/analysis/structure.hpp>

namespace ostinato {

/// What one format would cost for one matrix on one machine.
struct Cost {
  std::size_t bytes = 0;        ///< stored for the matrix
  double moved = 0;             ///< bytes from and to memory in one product y = A x, x read once
  double padding = 0;           ///< stored slots that hold no entry, over entries
  double seconds = 0;           ///< predicted for one product
  double setup_seconds = 0;     ///< predicted for analysis' end to the first product
  std::string reason_not = {};  ///< why the format can't hold the matrix; empty when it can
  bool reproducible = true;     ///< the same input gives the same bits; else the format is taken only by name

  bool applies() const { return reason_not.empty(); }
};

/// One format's place in the ranking, or one trial of a format.
struct Candidate {
  std::string name;
  std::string parameters = {};        ///< that `cost` is for: "height=8,version=2"; empty for a format without any
  Cost cost = {};                     ///< as predicted
  double measured_seconds = 0;        ///< for one product; 0 when it wasn't measured
  double measured_setup_seconds = 0;  ///< for building it
  double total_seconds = 0;           ///< set-up and all expected products, as measured or else as predicted
  std::string verdict = {};           ///< "chosen", or why it wasn't

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

/// What isn't reproducible doesn't apply: for a choice that nobody made by name.
void leave_to_name(std::vector<Candidate>& candidates);

/// Ranks the candidates and picks one. `candidates` comes with names, parameters and costs.
/// Throws ArgumentError when the format is unknown (it lists those known), when the forced one can't hold the matrix
/// (it says why) or none can.
Choice choose(std::vector<Candidate> candidates, const FormatOptions& options);

/// The same once some have been tried.
Choice choose(std::vector<Candidate> candidates, Trials trials, const FormatOptions& options);

/// Whether kernels for the matrix at hand are to be compiled, when a product takes so long without them.
bool worth_compiling(const FormatOptions& options, double product_seconds);

}  // namespace ostinato
