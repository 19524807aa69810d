// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include "machine.hpp"

#include <ostinato/spmv/base/timing.hpp>
#include <ostinato/spmv/space/cuda/parallel.cuh>
#include <ostinato/spmv/space/vector.hpp>

namespace ostinato::bench {

namespace {

constexpr int repetitions = 15;
constexpr std::size_t mebi = std::size_t{1} << 20;

struct Nothing {
  __device__ void operator()(std::size_t) const {}
};

/// Cache lines of 128 bytes; each holds the index of the next line. A linear congruential generator of full period
/// makes one cycle of all lines, in an order that no prefetcher predicts.
struct Circle {
  static constexpr std::size_t words_of_line = 32, lines = 4 * mebi / 128;
  unsigned* next;

  __device__ void operator()(std::size_t line) const {
    next[line * words_of_line] = static_cast<unsigned>((line * 26125 + 12345) % lines * words_of_line);
  }
};

/// Each lane of a warp follows the cycle from a line of its own. Each load depends on the load before.
struct Follow {
  static constexpr int steps = 4096;
  const unsigned* next;
  unsigned* end;

  __device__ void operator()(std::size_t lane) const {
    unsigned at = static_cast<unsigned>(lane * Circle::words_of_line);
    for (int k = 0; k < steps; ++k) at = __ldcg(next + at);
    end[lane] = at;
  }
};

/// Gathers x at random indices, each in a sector of its own, and bypasses the first-level cache. The indices are
/// computed (two rounds of multiplication and folding), so that nothing else is loaded.
struct Gather {
  static constexpr std::size_t values = mebi, loads = 64 * mebi;
  const double* x;

  __device__ Sums<1> operator()(std::size_t i) const {
    unsigned place = static_cast<unsigned>(i) * 0x9e3779b1u;
    place = (place ^ (place >> 15)) * 0x85ebca77u;
    place ^= place >> 13;
    return {{__ldcg(x + place % values)}};
  }
};

/// Copies 4 MiB to other 4 MiB repeatedly. Threads that write the same element write the same value.
struct CopyAgain {
  static constexpr std::size_t pairs = 4 * mebi / sizeof(double2), times = 256;
  const double2* from;
  double2* to;

  __device__ void operator()(std::size_t i) const { to[i % pairs] = __ldcg(from + i % pairs); }
};

/// Returns n zeros. Waits, because the kernels read these arrays by loads that bypass the first-level cache.
template <class T>
Vector<Cuda, T> zeros(const Cuda& space, std::size_t n) {
  Vector<Cuda, T> all(space, n);
  space.zero(all.data(), all.bytes());
  space.wait();
  return all;
}

/// Returns the bytes per second, read and written, of a copy of 1 GiB.
double memory_bandwidth(const Cuda& space) {
  const Vector<Cuda, char> from = zeros<char>(space, 1024 * mebi);
  Vector<Cuda, char> to = zeros<char>(space, from.size());
  const double seconds = median_seconds(space, repetitions, [&] { space.copy(to.data(), from.data(), from.bytes()); });
  return 2 * static_cast<double>(from.bytes()) / seconds;
}

/// The same for a copy between the halves of 8 MiB, which fit into the second-level cache.
double cache_bandwidth(const Cuda& space) {
  const Vector<Cuda, double2> from = zeros<double2>(space, CopyAgain::pairs);
  Vector<Cuda, double2> to = zeros<double2>(space, CopyAgain::pairs);
  constexpr std::size_t n = CopyAgain::pairs * CopyAgain::times;
  const double seconds = median_seconds(space, repetitions, [&] {
    for_each(space, n, CopyAgain{from.data(), to.data()});
  });
  return 2.0 * n * sizeof(double2) / seconds;
}

double empty_kernel_seconds(const Cuda& space) {
  return median_seconds(space, repetitions, [&] { for_each(space, 1, Nothing{}); });
}

/// Returns the seconds of two dependent loads from the second-level cache, such as a column number and then its element
/// of x.
double load_seconds(const Cuda& space) {
  Vector<Cuda, unsigned> next = zeros<unsigned>(space, Circle::lines * Circle::words_of_line);
  Vector<Cuda, unsigned> end(space, 32);
  for_each(space, Circle::lines, Circle{next.data()});
  space.wait();
  const double seconds = median_seconds(space, repetitions, [&] {
    for_each(space, end.size(), Follow{next.data(), end.data()});
  });
  return 2 * seconds / Follow::steps;
}

double sector_seconds(const Cuda& space) {
  const Vector<Cuda, double> x = zeros<double>(space, Gather::values);
  Vector<Cuda, double> total(space, 1);
  const double seconds =
      median_seconds(space, repetitions, [&] { sum(space, Gather::loads, Gather{x.data()}, total.data()); });
  return seconds / static_cast<double>(Gather::loads);
}

}  // namespace

Calibration measure(const Cuda& space) {
  Calibration c = calibration_of(device_name(space), space.bandwidth());
  const double bandwidth = memory_bandwidth(space);
  c.copy_share = bandwidth / c.clocked_bandwidth;
  c.latency = empty_kernel_seconds(space);
  c.load_latency = load_seconds(space);
  c.sector_seconds = sector_seconds(space);
  c.cache_gain = cache_bandwidth(space) / bandwidth;
  return c;
}

}  // namespace ostinato::bench
