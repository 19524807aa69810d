// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include "machine.hpp"

#include <ostinato/spmv/space/cuda/parallel.cuh>
#include <ostinato/spmv/space/timing.hpp>
#include <ostinato/spmv/space/vector.hpp>

namespace ostinato::bench {

namespace {

constexpr int repetitions = 15;
constexpr std::size_t mebi = std::size_t{1} << 20;

struct Nothing {
  __device__ void operator()(std::size_t) const {}
};

/// Lines of 128 bytes, each with the place of the next: a congruential generator of full period, so that one circle
/// visits all of them, in an order that nobody prefetches.
struct Circle {
  static constexpr std::size_t words_of_line = 32, lines = 4 * mebi / 128;
  unsigned* next;

  __device__ void operator()(std::size_t line) const {
    next[line * words_of_line] = static_cast<unsigned>((line * 26125 + 12345) % lines * words_of_line);
  }
};

/// The lanes of a warp go round from a line each; no load begins before the one before it has come.
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

/// x at random places, each in a sector of its own and past the first-level cache. The places are computed (two rounds
/// of multiplying and folding), so that nothing else is loaded.
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

/// 4 MiB to other 4 MiB, again and again: threads that meet at an element store the same.
struct CopyAgain {
  static constexpr std::size_t pairs = 4 * mebi / sizeof(double2), times = 256;
  const double2* from;
  double2* to;

  __device__ void operator()(std::size_t i) const { to[i % pairs] = __ldcg(from + i % pairs); }
};

/// n elements of 0. All that is loaded past the first-level cache lies ready before the kernels that do so begin.
template <class T>
Vector<Cuda, T> zeros(const Cuda& space, std::size_t n) {
  Vector<Cuda, T> all(space, n);
  space.zero(all.data(), all.bytes());
  space.wait();
  return all;
}

/// Bytes a second, read and written, of a copy of 1 GiB.
double memory_bandwidth(const Cuda& space) {
  const Vector<Cuda, char> from = zeros<char>(space, 1024 * mebi);
  Vector<Cuda, char> to = zeros<char>(space, from.size());
  const double seconds = median_seconds(space, repetitions, [&] { space.copy(to.data(), from.data(), from.bytes()); });
  return 2 * static_cast<double>(from.bytes()) / seconds;
}

/// The same between halves of 8 MiB.
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

/// Of a load from the second-level cache and the one whose place it tells: a column and then its x.
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
