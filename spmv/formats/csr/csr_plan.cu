// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0

// How a CSR product is distributed over the GPU: the threads of a row, and which rows are long.

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <ostinato/spmv/formats/csr/csr_plan.hpp>
#include <ostinato/spmv/formats/int32_offsets.hpp>
#include <ostinato/spmv/space/cuda/parallel.cuh>
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/space/together.hpp>

namespace ostinato::formats {

namespace {

constexpr int share_count = 3;

/// The most entries of a row that one thread adds up; longer rows go to whole thread blocks. A small limit shortens the
/// wait for long rows, above all with cold caches. But thread blocks for many long rows hold up the other rows. memplus
/// has 165 rows past 8 entries a thread: with limit 8 the product takes 3.5 us in a graph and 7.6 us with cold caches,
/// with limit 32 4.8 and 13.1 us. c-62 has 1344 such rows: 8.5 us with limit 8, 5.2 us with limit 16 (H200, 2026-11).
__host__ __device__ constexpr int most_entries_per_thread(int k) { return 8 << k; }

/// Number of threads that share a row. Mukunoki & Takahashi take 2^ceil(log2(mean)) on Kepler. Hopper's first-level
/// cache keeps the sectors that a thread walks along, so about four entries a thread are better: 1.1 to 2.4 times on
/// stencils and FEM (H200, 2026-11). Columns far apart and rows of uneven length need more threads in flight. A matrix
/// too small to fill the GPU gets more threads, too, down to two entries a thread: nos3, with 16 entries a row, takes
/// 0.9 us in a graph with 8 threads a row and 1.3 us with 4.
int threads_for(const Cuda& space, const Structure& s) {
  const auto power_below = [](double value) {
    return value < 2 ? 1 : 1 << std::min(5, static_cast<int>(std::log2(value)));
  };
  int threads = power_below(s.mean_row / 4);
  if (s.diagonals > s.rows / 4) threads *= 2;
  if (s.row_deviation > s.mean_row) threads *= 2;
  const double half_full = 1024.0 * space.multiprocessors();
  const int most_to_fill = std::max(8, power_below(s.mean_row / 2));
  while (threads < most_to_fill && static_cast<double>(s.rows) * threads < half_full) threads *= 2;
  threads = std::min(threads, power_below(s.mean_row));
  // A small matrix waits for its longest row as long as the GPU isn't full: add20 takes 2.2 us with 32 threads a row
  // and 4.0 us with 4.
  while (threads < 32 && threads * 4 < s.longest_row && static_cast<double>(s.rows) * threads < half_full) threads *= 2;
  return threads;
}

/// Counts the rows that are long for each of the limits most_entries_per_thread(0), most_entries_per_thread(1),
/// most_entries_per_thread(2).
struct CountLong {
  const Offset* row_ptr;
  int threads;
  __device__ Sums<share_count> operator()(std::size_t i) const {
    const Offset length = row_ptr[i + 1] - row_ptr[i];
    Sums<share_count> longer{};
    for (int k = 0; k < share_count; ++k) longer.v[k] = length > most_entries_per_thread(k) * threads ? 1.0 : 0.0;
    return longer;
  }
};

struct LongRow {
  Offset begin;
  Index row;
  int length;
};

struct ListLong {
  const Offset* row_ptr;
  int longest_short;
  int* listed;
  LongRow* list;
  __device__ void operator()(std::size_t i) const {
    const Offset length = row_ptr[i + 1] - row_ptr[i];
    if (length > longest_short)
      list[atomicAdd(listed, 1)] = {row_ptr[i], static_cast<Index>(i), static_cast<int>(length)};
  }
};

struct LongRows {
  int longest_short;
  std::vector<LongRow> rows;
};

/// The long rows by the smallest limit that leaves no more than two long rows a multiprocessor, or else by the largest
/// limit.
LongRows find_long_rows(const Cuda& space, const Offset* row_ptr, std::size_t rows, int threads) {
  Vector<Cuda, double> counts(space, share_count);
  sum(space, rows, CountLong{row_ptr, threads}, counts.data());
  const std::vector<double> count = counts.download();
  int k = 0;
  while (k + 1 < share_count && count[static_cast<std::size_t>(k)] > 2.0 * space.multiprocessors()) ++k;
  LongRows found{most_entries_per_thread(k) * threads, {}};
  Vector<Cuda, LongRow> list(space, static_cast<std::size_t>(count[static_cast<std::size_t>(k)]));
  if (list.size() == 0) return found;
  Vector<Cuda, int> listed(space, 1);
  space.zero(listed.data(), listed.bytes());
  for_each(space, rows, ListLong{row_ptr, found.longest_short, listed.data(), list.data()});
  found.rows = list.download();
  std::sort(found.rows.begin(), found.rows.end(), [](const LongRow& a, const LongRow& b) { return a.row < b.row; });
  return found;
}

std::vector<CsrPlan<Cuda>::Piece> cut_rows(const std::vector<LongRow>& rows) {
  constexpr int length = CsrPlan<Cuda>::piece_length;
  std::vector<CsrPlan<Cuda>::Piece> cut;
  for (const LongRow& r : rows) {
    const int first = static_cast<int>(cut.size()), count = 1 + (r.length - 1) / length;
    for (int k = 0; k < count; ++k)
      cut.push_back({r.begin + k * Offset{length}, std::min(length, r.length - k * length), r.row, first, count});
  }
  return cut;
}

}  // namespace

template <class T>
CsrPlan<Cuda>::CsrPlan(const Cuda& space, const CsrView<T>& a, const Structure& s)
    : threads_per_row(threads_for(space, s)),
      longest_short(most_entries_per_thread(share_count - 1) * threads_per_row) {
  const std::size_t rows = static_cast<std::size_t>(a.rows);
  // The kernels step up to a thread block past the end of a row; 4 bytes have to hold that position, too.
  if (a.nonzeros() <= std::numeric_limits<std::int32_t>::max() - cuda::block_threads)
    row_ptr = detail::to_int32(space, a.row_ptr);
  if (s.longest_row > most_entries_per_thread(0) * threads_per_row) {
    const LongRows found = find_long_rows(space, a.row_ptr.data(), rows, threads_per_row);
    longest_short = found.longest_short;
    take_pieces(space, cut_rows(found.rows));
  }
  settle(space);  // later products may read these arrays before the preceding kernel ends (overlap.cuh)
}

void CsrPlan<Cuda>::take_pieces(const Cuda& space, const std::vector<Piece>& cut) {
  pieces = Vector<Cuda, Piece>(space, cut);
  partial = Vector<Cuda, double>(space, cut.size());
  arrived = Vector<Cuda, std::uint32_t>(space, cut.size());
  if (!cut.empty()) space.zero(arrived.data(), arrived.bytes());
}

#define OSTINATO_INSTANTIATE(T) template CsrPlan<Cuda>::CsrPlan(const Cuda&, const CsrView<T>&, const Structure&)
OSTINATO_FOR_VALUES(OSTINATO_INSTANTIATE);
#undef OSTINATO_INSTANTIATE

}  // namespace ostinato::formats
