// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include <ostinato/spmv/cost/host_cost.hpp>
#include <ostinato/spmv/cost/traffic.hpp>

namespace ostinato::formats {

/// What a format tells streamed_cost() about itself.
struct Streamed {
  double bytes = 0;       ///< bytes of the stored matrix
  double slots = 0;       ///< stored values, padding included
  double efficiency = 1;  ///< share of the copy bandwidth that the kernel reaches on a GPU
  double waits = 0;       ///< dependent loads of the busiest thread, on a GPU
  HostKernel host = {};   ///< on the CPU
};

/// The cost of a product that reads the whole matrix, x and y once. The time is that of the memory traffic or that of
/// the busiest thread, whichever is longer.
template <class T>
Cost streamed_cost(const Structure& s, const Machine& m, const Streamed& f) {
  const double entries = static_cast<double>(s.nonzeros);
  Cost c;
  c.bytes = static_cast<std::size_t>(f.bytes);
  c.moved = f.bytes + sizeof(T) * (static_cast<double>(s.rows) + s.cols);
  c.padding = entries > 0 ? std::max(f.slots / entries - 1, 0.0) : 0;
  c.seconds = m.device
                  ? m.latency + std::max(traffic_seconds(s, m, c.moved, f.efficiency), m.load_latency * f.waits)
                  : host_seconds(s, m, f.host, {f.slots, double(s.rows), c.moved, std::ceil(s.rows / host_task_rows)});
  c.setup_seconds = 10 * m.latency + (2 * f.bytes + entries * (sizeof(T) + sizeof(Index))) / m.bandwidth;
  return c;
}

}  // namespace ostinato::formats
