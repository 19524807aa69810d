// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>

#include <ostinato/spmv/analysis/profile.hpp>
#include <ostinato/spmv/cost/cost.hpp>
#include <ostinato/spmv/space/sums.hpp>

namespace ostinato::formats {

/// What a kernel of the CPU needs for its parts, as multiples of Machine::entry_seconds, and the share of the memory's
/// bandwidth that the kernel reaches. The figures of the formats come from bench_predictions with one thread, where all
/// data lie in a cache (EPYC, 2026-11).
struct HostKernel {
  double slot = 1;    ///< a stored value, padding included
  double row = 1.8;   ///< the end of a row
  double uneven = 0;  ///< more for the end of a row where the lengths of rows vary: a branch that can't be foreseen
  double chain = 0;   ///< more for a slot of a long row, whose terms are added one after the other
  double gather = 1;  ///< more for a slot that reads x at a column far from the last one, from outside the second cache
  double stream = 1;  ///< share of Machine::bandwidth
};

/// The amounts of work of one product.
struct HostWork {
  double slots = 0, rows = 0;
  double moved = 0;  ///< bytes
  double tasks = 1;  ///< parts that threads can take
};

/// The kernel of csr. Machine::entry_seconds is what makes the measured time of this kernel come out.
inline constexpr HostKernel csr_host_kernel = {.slot = 0.95, .row = 1.8, .uneven = 5.5, .gather = 1, .stream = 0.72};

/// Rows of a task, where a kernel hands out rows.
inline constexpr double host_task_rows = sum_block;

/// The share of the entries that read x at a column far from the last one, out of a vector that the second-level cache
/// of a core doesn't hold.
inline double far_gathers(const Structure& s) {
  constexpr double small = 7e5;  // bytes of x beside which the matrix still streams through 1 MiB
  if (s.profile == nullptr || 8.0 * s.cols < small) return 0;
  return std::clamp((s.profile->sectors - 12) / 18, 0.0, 1.0);
}

/// Seconds of a product on the CPU: those of the threads' work from a cache, or those of the memory for the part that
/// no cache holds, whichever is longer. Between half of the last cache and all of it, this part grows from none to all.
inline double host_seconds(const Structure& s, const Machine& m, const HostKernel& k, const HostWork& w) {
  // A core remembers the lengths of the rows of a small matrix from product to product.
  constexpr double remembered = 40000;
  const double forgotten = std::min(1.0, s.rows / remembered);
  const double unsteady = s.mean_row > 0 ? forgotten * std::min(1.0, 3 * s.row_deviation / s.mean_row) : 0;
  // A core has several rows in hand at once while they are short.
  constexpr double long_row = 30;
  const double slot = k.slot + k.gather * far_gathers(s) + k.chain * std::min(1.0, s.mean_row / long_row);
  const double threads = std::max(1, m.threads), tasks = std::max(1.0, std::floor(w.tasks));
  const double busy = tasks / std::ceil(tasks / threads);
  const double work = m.entry_seconds * (w.slots * slot + w.rows * (k.row + k.uneven * unsteady));
  const double outside = std::clamp(2 * w.moved / static_cast<double>(m.cache_bytes) - 1, 0.0, 1.0);
  const double start = threads > 1 && tasks > 1 ? m.latency : 0;
  return m.call_seconds + start + std::max(work / busy, outside * w.moved / (m.bandwidth * k.stream));
}

}  // namespace ostinato::formats
