// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The steps of a cycle over slabs of planes, as functors for both spaces.

#include <cstddef>
#include <cstdint>

#include <ostinato/preconditioners/multigrid/structured/cycle_steps.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/for_each.hpp>
#include <ostinato/spmv/space/rendezvous.hpp>
#include <ostinato/spmv/space/sum_parts.hpp>
#include <ostinato/spmv/space/sums.hpp>

namespace ostinato::multigrid {

/// A step over the planes of a slab, which are counted from its first one.
template <class F>
struct OnSlab {
  F f;
  Index y0, z0;

  OSTINATO_FUNCTION auto operator()(Index x, Index y, Index z) const { return f(x, y + y0, z + z0); }
  Range even(int n) const { return f.even(n); }
  auto segment(Index x, Index count, Index y, Index z) const { return f.segment(x, count, y + y0, z + z0); }
  OSTINATO_FUNCTION int column_axis() const requires requires(const F& g) { g.column_axis(); }
  { return f.column_axis(); }
  OSTINATO_FUNCTION auto column(Index x, Index y, Index z) const requires requires(const F& g) { g.column(x, y, z); }
  { return f.column(x, y + y0, z + z0); }
};

/// Interpolate, which reads no other coarse points than those that count: others aren't on the rank.
template <int Axes>
struct InterpolateNear {
  using H = Halved<Axes>;

  Interpolate<Axes> all;

  OSTINATO_FUNCTION void operator()(Index cx, Index y, Index z) const {
    const bool between_y = H::y && y % 2 == 0, between_z = H::z && z % 2 == 0;
    const Index cy = H::y ? y / 2 : y, cz = H::z ? z / 2 : z;
    float own = 0, before = 0;
    for (int back_z = 0; back_z <= (between_z ? 1 : 0); ++back_z) {
      for (int back_y = 0; back_y <= (between_y ? 1 : 0); ++back_y) {
        const Step d{0, !between_y ? 0 : back_y ? 1 : -1, !between_z ? 0 : back_z ? 1 : -1};
        add(cx, cy - back_y, cz - back_z, static_cast<std::size_t>(H::coefficient(d.number())), own, before);
      }
    }
    const Index at = Halving::fine(H::x, cx);
    const std::size_t i = all.fine.number(at, y, z);
    if (at < all.fine.x) all.out[i] = all.c * all.x[i] + own;
    if (H::x) all.out[i - 1] = all.c * all.x[i - 1] + before;
  }
  Range even(int n) const { return all.even(n); }
  void segment(Index cx, Index count, Index y, Index z) const { all.segment(cx, count, y, z); }

 private:
  /// Adds what the coarse points cx and cx - 1 of a line give, in the order of Interpolate.
  OSTINATO_FUNCTION void add(Index cx, Index cy, Index cz, std::size_t coefficient, float& own, float& before) const {
    const Coefficients& p = all.p;
    if (cy < 0 || cz < 0 || cy >= p.grid.y || cz >= p.grid.z) return;
    const std::size_t stride = p.stride();
    const auto weight = [&](std::size_t c, Index x, std::size_t j) { return p.a[c * stride + p.at(x, cy, cz, j)]; };
    if (cx < p.grid.x) {
      const std::size_t j = p.grid.number(cx, cy, cz);
      own += weight(coefficient, cx, j) * all.coarse[j];
      if constexpr (H::x) before += weight(coefficient - 1, cx, j) * all.coarse[j];
    }
    if constexpr (H::x) {
      if (cx == 0) return;
      const std::size_t j = p.grid.number(cx - 1, cy, cz);
      before += weight(coefficient + 1, cx - 1, j) * all.coarse[j];
    }
  }
};

/// A unit of memory that moves at once.
struct alignas(16) SixteenBytes {
  float v[4];
};

/// Copies some runs of units in one loop.
template <class Unit>
struct CopyRuns {
  static constexpr int most = ostinato::detail::most_sum_parts;

  int count;
  const Unit* from[most];
  Unit* to[most];
  std::size_t end[most];  ///< of a run, in units of all runs

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    int run = 0;
    while (i >= end[run]) ++run;
    const std::size_t at = i - (run == 0 ? 0 : end[run - 1]);
    to[run][at] = from[run][at];
  }
};

/// Copies n units into the memory of other ranks, and meets these: what a rank enqueues behind it comes after the
/// copies of all.
/// Exec      Enqueued, on all ranks that come to the rendezvous.
template <class Unit>
void copy_for_ranks(const Cuda& space, const ostinato::detail::RendezvousView& at, const CopyRuns<Unit>& runs,
                    std::size_t n);

/// Functor for sum() on GPUs of ranks: the sums that are there, one for each block of elements.
struct SumsThere {
  const double* sums;

  Sums<1> operator()(std::size_t) const;  ///< says what it sums; there are blocks alone
#ifdef __CUDACC__
  __device__ Sums<1> sum_of_block(std::size_t begin, std::size_t end) const;
#endif
};

/// Runs that are to be copied.
class RunCopies {
 public:
  /// bytes: a multiple of four.
  /// Requires  !is_full()
  void add(const void* from, void* to, std::size_t bytes) {
    copies_.from[copies_.count] = static_cast<const float*>(from);
    copies_.to[copies_.count] = static_cast<float*>(to);
    copies_.end[copies_.count] = all_ += bytes / sizeof(float);
    ++copies_.count;
    places_ |= reinterpret_cast<std::uintptr_t>(from) | reinterpret_cast<std::uintptr_t>(to) | bytes;
  }
  bool is_full() const { return copies_.count == CopyRuns<float>::most; }

  /// Copies them, and forgets them.
  template <class Space>
  void enqueue(const Space& space) {
    if (all_ > 0 && places_ % sizeof(SixteenBytes) == 0) {
      for_each(space, all_ / 4, in_sixteens());
    } else if (all_ > 0) {
      for_each(space, all_, copies_);
    }
    *this = {};
  }

  /// Copies them into the memory of other ranks, and meets these, also where there is nothing to copy.
  template <class Space>
  void enqueue_for_ranks(const Space& space, const ostinato::detail::RendezvousView& at) {
    if (places_ % sizeof(SixteenBytes) == 0) {
      copy_for_ranks(space, at, in_sixteens(), all_ / 4);
    } else {
      copy_for_ranks(space, at, copies_, all_);
    }
    *this = {};
  }

 private:
  CopyRuns<SixteenBytes> in_sixteens() const {
    CopyRuns<SixteenBytes> wide{};
    wide.count = copies_.count;
    for (int run = 0; run < copies_.count; ++run) {
      wide.from[run] = reinterpret_cast<const SixteenBytes*>(copies_.from[run]);
      wide.to[run] = reinterpret_cast<SixteenBytes*>(copies_.to[run]);
      wide.end[run] = copies_.end[run] / 4;
    }
    return wide;
  }

  CopyRuns<float> copies_ = {};
  std::size_t all_ = 0;        ///< floats
  std::uintptr_t places_ = 0;  ///< all addresses and lengths
};

}  // namespace ostinato::multigrid
