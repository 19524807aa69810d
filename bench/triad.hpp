// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <ostinato/spmv/base/timing.hpp>
#include <ostinato/spmv/space/host.hpp>
#include <ostinato/spmv/space/parallel.hpp>
#include <ostinato/spmv/space/vector.hpp>

namespace ostinato::bench {

/// The triad of the STREAM benchmark: a = b + s c.
struct Triad {
  double* a;
  const double *b, *c;
  void operator()(std::size_t i) const { a[i] = b[i] + 3.0 * c[i]; }
};

/// Returns the memory bandwidth of the CPU in the triad, in bytes per second.
inline double triad_bandwidth(const Host& host) {
  const std::size_t n = std::size_t{1} << 25;
  Vector<Host, double> a(host, n), b(host, n), c(host, n);
  for_each(host, n, [a = a.data(), b = b.data(), c = c.data()](std::size_t i) { a[i] = 0, b[i] = 1, c[i] = 2; });
  return 3.0 * n * sizeof(double) / median_seconds(host, 15, [&] {
           for_each(host, n, Triad{a.data(), b.data(), c.data()});
         });
}

}  // namespace ostinato::bench
