// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Element-wise work. Each functor is written once and runs on every space. parallel.hpp defines the functions for
// Host, cuda/parallel.cuh defines them for Cuda. A .cu file instantiates the Cuda functions for each functor. Another
// space has for_each and sum in its own namespace (concept.hpp); its for_grid and sum_grid are loops over the points.
//
// A functor is copied to the threads and has
//   operator()(std::size_t i) const  processes element i; for sum, returns Sums<K, S>, on Cuda with S = double
//   bool moves_fours() const, Sums<K> fours(std::size_t i) const
//                        (optional, sum only)  on Cuda, where moves_fours(), fours(i) is called in place of four calls,
//                                    for elements i to i + 3; i is a multiple of four
//   bool prepare()       (optional)  called before the first element, on Host once, on Cuda by each thread: reads the
//                                    scalars that the functor needs; when prepare returns false, no element is
//                                    processed
//   void skipped()       (optional)  called once, by one thread, when prepare returned false
//   static constexpr int blocks_of_multiprocessor
//                        (optional, sum only)  how many of its thread blocks a multiprocessor of a GPU holds at once,
//                                    where registers leave room for fewer than 8
//   void finish(const Sums<K>&)  (optional, sum only)  called once, by one thread, with the finished sums
//
// The order of summation depends on n alone (on Cuda also on the model of the GPU): each block gives a partial sum, and
// the partial sums are added in order. So the same input gives the same bits, whatever the number of threads.

#include <cstddef>
#include <type_traits>
#include <utility>

#include <ostinato/spmv/base/extents.hpp>
#include <ostinato/spmv/base/function.hpp>
#include <ostinato/spmv/base/index.hpp>

namespace ostinato {

class Host;
class Cuda;

namespace detail {

/// What a functor of sum() returns.
template <class F>
using SumsOf = std::remove_cvref_t<decltype(std::declval<const F&>()(std::size_t{}))>;

}  // namespace detail

/// Calls f(i) for i = 0 .. n - 1 in no particular order. A call must not touch the elements of another call.
/// Exec      Host: returns when all calls are done. Cuda: enqueued.
template <class F>
void for_each(const Host& space, std::size_t n, F f);
template <class F>
void for_each(const Cuda& space, std::size_t n, F f);

/// slots[k] := sum over i of f(i).v[k]; slots may be null when f.finish takes the sums.
/// Exec      Host: returns when all calls are done. Cuda: enqueued; the slots are in device memory.
template <class F>
void sum(const Host& space, std::size_t n, F f, typename detail::SumsOf<F>::value_type* slots);
template <class F>
void sum(const Cuda& space, std::size_t n, F f, double* slots);

/// Points of a column: for_grid and sum_grid on Cuda may call f.column(x, y, z), where f has it, for so many points of
/// a grid at once: (x, y, z) and the next ones along its last axis, z or y. f.column_axis() is the axis along which f
/// does that, 2 for z and 1 for y.
inline constexpr int column_points = 4;

/// Points of a segment: for_grid and sum_grid on Host may call f.segment(x, count, y, z), where f has it, for at most
/// so many points of a line at once, in loops that the compiler turns into vector instructions. f.even(n) gives the
/// range of x, of a line of n points, for which f can do that.
inline constexpr int segment_points = 256;
struct Range {
  int begin, end;
};

namespace detail {

/// A functor for the points of a grid, as one for their numbers.
template <class F>
struct PointOf {
  Extents grid;
  F f;
  OSTINATO_FUNCTION auto operator()(std::size_t i) const {
    const auto x = static_cast<std::size_t>(grid.x), y = static_cast<std::size_t>(grid.y), line = i / x;
    return f(static_cast<Index>(i % x), static_cast<Index>(line % y), static_cast<Index>(line / y));
  }
};

}  // namespace detail

/// Calls f(x, y, z) for the points of a grid, in no particular order. f has no prepare().
/// Exec      As for_each.
template <class F>
void for_grid(const Host& space, const Extents& grid, F f);
template <class F>
void for_grid(const Cuda& space, const Extents& grid, F f);
template <class Space, class F>
void for_grid(const Space& space, const Extents& grid, F f) {
  for_each(space, grid.points(), detail::PointOf<F>{grid, f});
}

/// slots[k] := sum over the points of a grid of f(x, y, z).v[k].
/// Exec      As sum.
template <class F>
void sum_grid(const Host& space, const Extents& grid, F f, double* slots);
template <class F>
void sum_grid(const Cuda& space, const Extents& grid, F f, double* slots);
template <class Space, class F>
void sum_grid(const Space& space, const Extents& grid, F f, double* slots) {
  sum(space, grid.points(), detail::PointOf<F>{grid, f}, slots);
}

/// Atomic integer operations on counters that threads share, for functors that run on every space (atomic.hpp).
template <class Space>
struct Atomic;
template <>
struct Atomic<Cuda>;

/// Atomic operations on shared 64-bit slots and counters.
template <class Space>
struct SlotAtomic;
template <>
struct SlotAtomic<Cuda>;

}  // namespace ostinato
