// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include <ostinato/spmv/matrix/csr.hpp>
#include <ostinato/spmv/space/host.hpp>

namespace ostinato::detail {

/// Rows first .. last - 1. Their `kept` entries are stored without gaps from position `begin` on.
struct RowRun {
  Index first = 0;
  Index last = 0;
  Offset begin = 0;
  Offset kept = 0;
};

/// Cuts 0 .. rows - 1 into runs of about equal length. The number of runs depends on `rows` alone.
inline std::vector<RowRun> cut_rows(Index rows) {
  const Offset count = std::clamp<Offset>(rows / 256, 1, 256);
  std::vector<RowRun> runs(static_cast<std::size_t>(count));
  for (Offset k = 0; k < count; ++k) {
    runs[static_cast<std::size_t>(k)].first = static_cast<Index>(rows * k / count);
    runs[static_cast<std::size_t>(k)].last = static_cast<Index>(rows * (k + 1) / count);
  }
  return runs;
}

/// Sorts one row by column and adds up duplicates in the order in which they are stored. Returns the number of entries
/// left.
///
/// Requires  `scratch` has room for n entries. The scratch is touched only when the row isn't sorted already.
/// Exec      Does not allocate and does not throw, so it may run inside parallel_for.
template <class T>
std::size_t order_row(Index* col, T* val, std::size_t n, Triplet<T>* scratch) {
  if (std::adjacent_find(col, col + n, std::greater_equal<Index>()) == col + n) return n;
  for (std::size_t k = 0; k < n; ++k) scratch[k] = {static_cast<Index>(k), col[k], val[k]};
  // The position in the row breaks ties, because std::sort isn't stable and std::stable_sort allocates.
  std::sort(scratch, scratch + n,
            [](const Triplet<T>& a, const Triplet<T>& b) { return a.col != b.col ? a.col < b.col : a.row < b.row; });
  std::size_t out = 0;
  for (std::size_t k = 0; k < n; ++k) {
    if (out > 0 && col[out - 1] == scratch[k].col) {
      val[out - 1] += scratch[k].val;
    } else {
      col[out] = scratch[k].col;
      val[out++] = scratch[k].val;
    }
  }
  return out;
}

/// Sorts the rows of one run and moves them towards run.begin, so that all gaps are at the end of the run.
///
/// Requires  row_ptr[r + 1] is the end of row r for the rows of the run. The function doesn't read row_ptr[run.first],
///           because another thread may be changing this element for the previous run.
template <class T>
void order_run(Csr<T>& a, RowRun& run, Triplet<T>* scratch) {
  Offset start = run.begin;
  Offset out = run.begin;
  for (Index r = run.first; r < run.last; ++r) {
    Offset& row_end = a.row_ptr[static_cast<std::size_t>(r) + 1];
    const Offset stop = row_end;
    const std::size_t n =
        order_row(a.col.data() + start, a.val.data() + start, static_cast<std::size_t>(stop - start), scratch + start);
    if (out != start) {
      std::copy_n(a.col.data() + start, n, a.col.data() + out);
      std::copy_n(a.val.data() + start, n, a.val.data() + out);
    }
    out += static_cast<Offset>(n);
    row_end = out;
    start = stop;
  }
  run.kept = out - run.begin;
}

/// Closes the gaps between the runs after order_run(). The function is serial, because only duplicates leave gaps.
template <class T>
void close_gaps(Csr<T>& a, std::span<const RowRun> runs) {
  Offset out = 0;
  for (const RowRun& run : runs) {
    const Offset shift = run.begin - out;
    if (shift > 0) {
      std::copy_n(a.col.data() + run.begin, run.kept, a.col.data() + out);
      std::copy_n(a.val.data() + run.begin, run.kept, a.val.data() + out);
      for (Index r = run.first; r < run.last; ++r) a.row_ptr[static_cast<std::size_t>(r) + 1] -= shift;
    }
    out += run.kept;
  }
  a.col.resize(static_cast<std::size_t>(out));
  a.val.resize(static_cast<std::size_t>(out));
}

/// Builds a CSR matrix from entries that arrive in chunks, in parallel, in any order.
///
/// The entries are first counted and then put: count(k).add(row) for each entry of chunk k, allocate(), put(k).add()
/// for the same entries, finish(). Rows are grouped in buckets, and each chunk has its own range in each bucket. So
/// threads share no data, and the part of the matrix that belongs to a bucket stays in cache. Entries keep the order of
/// the chunks and of arrival within a chunk. So the result depends neither on the cuts between chunks nor on the number
/// of threads.
///
/// Traffic   Peak memory: one Triplet and one CSR entry for each entry put, and 16 bytes per chunk and bucket.
template <class T>
class Assembly {
 public:
  Assembly(const Host& host, Index rows, Index cols, std::size_t chunks) : host_(host), rows_(rows), cols_(cols) {
    while (((rows - 1) >> shift_) >= most_buckets) ++shift_;
    for (Index r = 0; r < rows; r = buckets_.back().last) {
      const auto last = std::min<Offset>(rows, static_cast<Offset>(r) + (Offset{1} << shift_));
      buckets_.push_back({r, static_cast<Index>(last), 0, 0});
    }
    next_.assign(chunks * buckets_.size(), 0);
  }

  class Count {
   public:
    Count(Offset* counts, int shift) : counts_(counts), shift_(shift) {}
    void add(Index row) { ++counts_[row >> shift_]; }

   private:
    Offset* counts_;
    int shift_;
  };

  class Put {
   public:
    Put(Triplet<T>* out, Offset* next, const Offset* stop, int shift)
        : out_(out), next_(next), stop_(stop), shift_(shift) {}

    /// Returns false when more entries are put than were counted.
    bool add(Index row, Index col, T val) {
      const Index bucket = row >> shift_;
      if (next_[bucket] == stop_[bucket]) return false;
      out_[next_[bucket]++] = {row, col, val};
      return true;
    }

   private:
    Triplet<T>* out_;
    Offset* next_;
    const Offset* stop_;
    int shift_;
  };

  Count count(std::size_t chunk) { return {next_.data() + chunk * buckets_.size(), shift_}; }
  Put put(std::size_t chunk) {
    const std::size_t at = chunk * buckets_.size();
    return {entries_.data(), next_.data() + at, stop_.data() + at, shift_};
  }

  void allocate() {
    stop_.resize(next_.size());
    Offset total = 0;
    for (std::size_t b = 0; b < buckets_.size(); ++b) {
      buckets_[b].begin = total;
      for (std::size_t at = b; at < next_.size(); at += buckets_.size()) {
        const Offset n = next_[at];
        next_[at] = total;
        stop_[at] = total += n;
      }
    }
    entries_.resize(static_cast<std::size_t>(total));
  }

  /// Returns the matrix in canonical form. Leaves the assembly empty.
  /// Requires  As many entries were put as were counted.
  Csr<T> finish() {
    Csr<T> a{rows_, cols_, Array<Offset>(static_cast<std::size_t>(rows_) + 1), Array<Index>(entries_.size()),
             Array<T>(entries_.size())};
    a.row_ptr[0] = 0;
    parallel_for(host_, buckets_.size(), [&](std::size_t b) { build(a, b); });
    entries_ = {};
    close_gaps<T>(a, buckets_);
    return a;
  }

 private:
  // More buckets mean more write streams in put() but fewer cache misses in build(). When 60 MB were read on one core
  // of an AMD EPYC with 1 MiB of L2 (November 2026, bench/read), 64 to 1024 buckets differed by less than the noise;
  // 4096 buckets lost a quarter.
  static constexpr Index most_buckets = 256;

  void build(Csr<T>& a, std::size_t b) {
    RowRun& run = buckets_[b];
    const Offset end = b + 1 < buckets_.size() ? buckets_[b + 1].begin : static_cast<Offset>(entries_.size());
    // row_ptr[r + 1] is first the length of row r, then the position of the row's next entry, finally the row's end.
    Offset* ends = a.row_ptr.data() + 1;
    std::fill(ends + run.first, ends + run.last, Offset{0});
    for (Offset k = run.begin; k < end; ++k) ++ends[entries_[static_cast<std::size_t>(k)].row];
    Offset start = run.begin;
    for (Index r = run.first; r < run.last; ++r) start += std::exchange(ends[r], start);
    for (Offset k = run.begin; k < end; ++k) {
      const Triplet<T>& e = entries_[static_cast<std::size_t>(k)];
      const auto at = static_cast<std::size_t>(ends[e.row]++);
      a.col[at] = e.col;
      a.val[at] = e.val;
    }
    // The entries of the bucket have been copied, so their memory now serves as scratch for sorting.
    order_run(a, run, entries_.data());
  }

  const Host& host_;
  Index rows_;
  Index cols_;
  int shift_ = 0;
  std::vector<RowRun> buckets_;
  std::vector<Offset> next_;  ///< chunk-major: first counts, then positions of the next entries
  std::vector<Offset> stop_;
  Array<Triplet<T>> entries_;
};

}  // namespace ostinato::detail
