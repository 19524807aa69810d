// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <vector>

#include <ostinato/spmv/space/atomic.hpp>
#include <ostinato/spmv/space/for_each.hpp>
#include <ostinato/spmv/space/host.hpp>
#include <ostinato/spmv/space/sums.hpp>

// for_each and sum on Host. The contract of the functors is in for_each.hpp.

namespace ostinato {

/// Elements per block in for_each and sum on Host.
inline constexpr std::size_t host_block = sum_block;
/// The calling thread processes up to this many blocks alone, because waking the other threads would take as long.
inline constexpr std::size_t serial_blocks = 4;

namespace detail {

/// Calls f(block) for each block, on the calling thread when there are at most serial_blocks blocks.
template <class F>
void for_blocks(const Host& host, std::size_t blocks, F f) {
  if (blocks > serial_blocks) return parallel_for(host, blocks, f);
  for (std::size_t block = 0; block < blocks; ++block) f(block);
}

/// One thread looks at this many numbers in the time that waking the others takes.
inline constexpr Offset serial_looks = 32768;

/// Calls f(k) for k = 0 .. count - 1, on the calling thread where all calls together look at few numbers: at so many
/// rows and entries of a matrix, for example.
template <class F>
void for_parts(const Host& host, std::size_t count, Offset looks, F f) {
  if (looks > serial_looks) return parallel_for(host, count, f);
  for (std::size_t k = 0; k < count; ++k) f(k);
}

template <class F>
OSTINATO_FUNCTION bool prepare(F& f) {
  if constexpr (requires { f.prepare(); }) {
    return f.prepare();
  } else {
    return true;
  }
}

template <class F>
OSTINATO_FUNCTION void skipped(F& f) {
  if constexpr (requires { f.skipped(); }) f.skipped();
}

/// Sums over a block in 16 independent lanes, so that additions overlap. The i-th element of the block goes to lane
/// i % 16. `f` is a copy, whose members no store of the loop can change: they stay in registers.
template <class F>
auto block_sums(const F f, std::size_t begin, std::size_t end) {
  using Result = std::remove_cvref_t<decltype(f(begin))>;
  constexpr int count = Result::count;
  constexpr std::size_t lanes = 16;
  typename Result::value_type lane[count][lanes] = {};
  std::size_t i = begin;
  for (; i + lanes <= end; i += lanes) {
#pragma omp simd
    for (std::size_t l = 0; l < lanes; ++l) {
      const Result s = f(i + l);
      for (int k = 0; k < count; ++k) lane[k][l] += s.v[k];
    }
  }
  for (std::size_t l = 0; i + l < end; ++l) {
    const Result s = f(i + l);
    for (int k = 0; k < count; ++k) lane[k][l] += s.v[k];
  }
  Result total{};
  for (std::size_t l = 0; l < lanes; ++l) {
    for (int k = 0; k < count; ++k) total.v[k] += lane[k][l];
  }
  return total;
}

}  // namespace detail

template <class F>
void for_each(const Host& host, std::size_t n, F f) {
  if (!detail::prepare(f)) return detail::skipped(f);
  detail::for_blocks(host, (n + host_block - 1) / host_block, [=](std::size_t block) {
    const std::size_t begin = block * host_block, end = std::min(begin + host_block, n);
    const F own = f;  // whose members no store of the loop can change: they stay in registers
#pragma omp simd
    for (std::size_t i = begin; i < end; ++i) own(i);
  });
}

namespace detail {

/// sums[b] := the sum of f(i) over block b of the elements begin .. end - 1. f is prepared, and f.finish isn't called.
template <class F>
void sum_blocks(const Host& host, std::size_t begin, std::size_t end, F f, SumsOf<F>* sums) {
  for_blocks(host, (end - begin + host_block - 1) / host_block, [=](std::size_t block) {
    const std::size_t first = begin + block * host_block;
    sums[block] = block_sums(f, first, std::min(first + host_block, end));
  });
}

/// Adds the sums of the blocks in order, stores them in the slots, which may be null, and lets f finish.
template <class F>
OSTINATO_FUNCTION void finish_sum(F& f, std::size_t blocks, const SumsOf<F>* sums,
                                  typename SumsOf<F>::value_type* slots) {
  SumsOf<F> total{};
  for (std::size_t block = 0; block < blocks; ++block) total += sums[block];
  if (slots != nullptr) {
    for (int k = 0; k < SumsOf<F>::count; ++k) slots[k] = total.v[k];
  }
  if constexpr (requires { f.finish(total); }) f.finish(total);
}

}  // namespace detail

template <class F>
void sum(const Host& host, std::size_t n, F f, typename detail::SumsOf<F>::value_type* slots) {
  if (!detail::prepare(f)) return detail::skipped(f);
  const std::size_t blocks = (n + host_block - 1) / host_block;
  static thread_local std::vector<detail::SumsOf<F>> partial;
  partial.resize(blocks);
  detail::sum_blocks(host, 0, n, f, partial.data());
  detail::finish_sum(f, blocks, partial.data(), slots);
}

namespace detail {

/// Calls f(y, z, line) for the lines of a grid along x, several lines a block when the lines are short.
template <class F>
void for_lines(const Host& host, const Extents& grid, F f) {
  const std::size_t lines = static_cast<std::size_t>(grid.y) * static_cast<std::size_t>(grid.z);
  const std::size_t together = std::max<std::size_t>(1, host_block / static_cast<std::size_t>(std::max(grid.x, 1)));
  for_blocks(host, (lines + together - 1) / together, [=](std::size_t block) {
    const std::size_t end = std::min(lines, (block + 1) * together), height = static_cast<std::size_t>(grid.y);
    for (std::size_t line = block * together; line < end; ++line)
      f(static_cast<Index>(line % height), static_cast<Index>(line / height), line);
  });
}

}  // namespace detail

namespace detail {

/// Calls use(call) with a call of f for every point of a line or, where f has segments, for several points.
template <class F, class Use>
void for_line(const Extents& grid, const F& f, Index y, Index z, Use use) {
  Index x = 0;
  if constexpr (requires { f.even(x); }) {
    const Range even = f.even(grid.x);
    for (; x < std::min(even.begin, grid.x); ++x) use([&] { return f(x, y, z); });
    for (Index count; x < even.end; x += count) {
      count = std::min(segment_points, even.end - x);
      use([&] { return f.segment(x, count, y, z); });
    }
  }
  for (; x < grid.x; ++x) use([&] { return f(x, y, z); });
}

}  // namespace detail

template <class F>
void for_grid(const Host& host, const Extents& grid, F f) {
  if (grid.points() == 0) return;
  detail::for_lines(host, grid,
                    [=](Index y, Index z, std::size_t) { detail::for_line(grid, f, y, z, [](auto call) { call(); }); });
}

template <class F>
void sum_grid(const Host& host, const Extents& grid, F f, double* slots) {
  using Result = std::remove_cvref_t<decltype(f(Index{}, Index{}, Index{}))>;
  const std::size_t lines =
      grid.points() == 0 ? 0 : static_cast<std::size_t>(grid.y) * static_cast<std::size_t>(grid.z);
  static thread_local std::vector<Result> partial;
  partial.assign(lines, Result{});
  Result* const out = partial.data();
  if (lines > 0) {
    detail::for_lines(host, grid, [=](Index y, Index z, std::size_t line) {
      detail::for_line(grid, f, y, z, [&](auto call) { out[line] += call(); });
    });
  }
  Result total{};
  for (std::size_t line = 0; line < lines; ++line) total += out[line];
  std::copy(total.v, total.v + Result::count, slots);
}

}  // namespace ostinato
