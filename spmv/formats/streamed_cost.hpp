// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include <ostinato/spmv/formats/traffic.hpp>

namespace ostinato::formats {

/// What a format says of itself, for streamed_cost().
struct Streamed {
  double bytes = 0;       ///< of the matrix
  double slots = 0;       ///< values stored, padding included
  double efficiency = 1;  ///< share of the copy bandwidth
  double waits = 0;       ///< loads of the thread with most to do that wait for one another
};

/// The cost of a product that reads all of its matrix, x and y once and takes as long as that, or as its slowest
/// thread.
template <class T>
Cost streamed_cost(const Structure& s, const Machine& m, const Streamed& f) {
  const double entries = static_cast<double>(s.nonzeros);
  Cost c;
  c.bytes = static_cast<std::size_t>(f.bytes);
  c.moved = f.bytes + sizeof(T) * (static_cast<double>(s.rows) + s.cols);
  c.padding = entries > 0 ? std::max(f.slots / entries - 1, 0.0) : 0;
  c.seconds = m.latency + std::max(traffic_seconds(s, m, c.moved, f.efficiency), m.load_latency * f.waits);
  c.setup_seconds = 10 * m.latency + (2 * f.bytes + entries * (sizeof(T) + sizeof(Index))) / m.bandwidth;
  return c;
}

}  // namespace ostinato::formats
