// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <ostinato/spmv/structure.hpp>

namespace ostinato {

/// What one format would cost for one matrix on one machine.
struct Cost {
  std::size_t bytes = 0;     ///< stored for the matrix
  double moved = 0;          ///< bytes from and to memory in one product y = A x, x read once
  double padding = 0;        ///< stored slots that hold no entry, over entries
  double seconds = 0;        ///< predicted for one product
  double setup_seconds = 0;  ///< predicted for analysis' end to the first product
  std::string reason_not;    ///< why the format can't hold the matrix; empty when it can

  bool applies() const { return reason_not.empty(); }
};

/// What the cost model knows of a machine.
struct Machine {
  double bandwidth = 0;     ///< bytes a second that a plain copy moves
  double latency = 0;       ///< seconds to start one product
  double load_latency = 0;  ///< seconds that a thread waits for memory; 0 where prefetching hides it
  double term_seconds = 0;  ///< for one value times one x, when caches feed both
  std::size_t cache_bytes = 0;
  bool device = false;
};
Machine machine_of(const Host& space);
Machine machine_of(const Cuda& space);

/// One format's place in the ranking.
struct Candidate {
  std::string name;
  Cost cost;
  double measured_seconds = 0;  ///< for one product; 0 when it wasn't measured
  double total_seconds = 0;     ///< set-up and all expected products
  std::string verdict;          ///< "chosen", or why it wasn't
};

/// The decision, with its reasons: chosen first, then the others by predicted time, then those that don't apply.
struct Choice {
  std::string format;
  std::string reason;
  std::vector<Candidate> candidates;
};

enum class Tune {
  off,      ///< no model: CSR
  model,    ///< the predicted time decides
  measure,  ///< the best few of the model are built and timed
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
  std::string format = "auto";     ///< or a name of the registry
  double expected_products = 500;  ///< how often the matrix will be applied; set-up is spread over them
  Tune tune = Tune::model;
  Jit jit = Jit::automatic;
  Compress compress = Compress::automatic;
};

/// Ranks the candidates and picks one. `candidates` comes with names and costs.
/// Throws ArgumentError when the format is unknown (it lists those known), when the forced one can't hold the matrix
/// (it says why) or none can.
Choice choose(std::vector<Candidate> candidates, const FormatOptions& options);

}  // namespace ostinato
