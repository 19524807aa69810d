// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0

// CSR on Host: the plan and the portable product.

#include <algorithm>
#include <array>
#include <complex>
#include <cstdint>
#include <limits>

#include <ostinato/spmv/base/bisect.hpp>
#include <ostinato/spmv/formats/csr/csr_plan.hpp>
#include <ostinato/spmv/formats/csr_arrays.hpp>
#include <ostinato/spmv/formats/int32_offsets.hpp>
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato::formats {

namespace {

constexpr Offset block_work = 16384;  ///< work of a block: entries + 2 rows; about 200 KiB of matrix
constexpr int longest_fixed = 8;      ///< longest row in a run of equal rows
constexpr Index shortest_run = 8;     ///< fewest rows of a run of equal rows

/// The first row before which the work is at least `work`.
template <class T>
Index row_at(const CsrView<T>& a, Offset work) {
  return ostinato::detail::bisect(
      Index{0}, a.rows, [&](Index i) { return a.row_ptr[static_cast<std::size_t>(i)] + 2 * Offset{i} >= work; });
}

/// Cuts rows begin .. end - 1 into runs of equal short rows and the rows between these runs.
std::vector<CsrRun> runs_of(const Offset* pointer, Index begin, Index end) {
  std::vector<CsrRun> found;
  for (Index i = begin; i < end;) {
    const Offset length = pointer[i + 1] - pointer[i];
    Index next = i + 1;
    while (next < end && pointer[next + 1] - pointer[next] == length) ++next;
    if (length <= longest_fixed && next - i >= shortest_run) {
      found.push_back({i, next, static_cast<int>(length)});
    } else if (!found.empty() && found.back().length < 0) {
      found.back().end = next;
    } else {
      found.push_back({i, next, -1});
    }
    i = next;
  }
  return found;
}

/// Distance in entries at which values are prefetched (2 KiB of doubles). The hardware's own prefetching leaves a third
/// of the bandwidth unused when rows are short (EPYC, 2026-11).
constexpr Offset csr_ahead = 256;

template <class T>
void csr_prefetch(const Index* col, const T* val, Offset k) {
  __builtin_prefetch(val + k + csr_ahead);
  __builtin_prefetch(col + k + 2 * csr_ahead);
}

/// The sum of a row of any length: one sum for a short row, four independent sums for a longer row. Four sums would
/// slow rows of 3 entries down 1.4 times and rows of 12 entries 1.25 times (EPYC, 2026-11).
template <class T>
T csr_row(const Index* col, const T* val, const T* x, Offset begin, Offset end) {
  if (end - begin < 16) {
    csr_prefetch(col, val, begin);
    T sum = 0;
    for (Offset k = begin; k < end; ++k) sum += val[k] * x[col[k]];
    return sum;
  }
  T a = 0, b = 0, c = 0, d = 0, rest = 0;
  Offset k = begin;
  for (; k + 4 <= end; k += 4) {
    csr_prefetch(col, val, k);
    a += val[k] * x[col[k]];
    b += val[k + 1] * x[col[k + 1]];
    c += val[k + 2] * x[col[k + 2]];
    d += val[k + 3] * x[col[k + 3]];
  }
  for (; k < end; ++k) rest += val[k] * x[col[k]];
  return ((a + b) + (c + d)) + rest;
}

/// The rows of a matrix, and the product to compute.
template <class Pointer, class T>
struct CsrRows {
  const Pointer* row_ptr;
  const Index* col;
  const T* val;
  Product<T> p;

  /// Rows of exactly Length entries, as stencils have by the thousand: the loop over the entries is unrolled.
  template <int Length>
  void equal_rows(Index begin, Index end) const {
    Offset k = row_ptr[begin];
    for (Index i = begin; i < end; ++i, k += Length) {
      csr_prefetch(col, val, k);
      T sum = 0;
      for (int j = 0; j < Length; ++j) sum += val[k + j] * p.x[col[k + j]];
      detail::store_row(p, static_cast<std::size_t>(i), sum);
    }
  }

  void any_rows(Index begin, Index end) const {
    for (Index i = begin; i < end; ++i)
      detail::store_row(p, static_cast<std::size_t>(i), csr_row(col, val, p.x, row_ptr[i], row_ptr[i + 1]));
  }

  void run(const CsrRun& r) const {
    using Rows = void (CsrRows::*)(Index, Index) const;
    static constexpr std::array<Rows, longest_fixed + 1> fixed = {
        &CsrRows::equal_rows<0>, &CsrRows::equal_rows<1>, &CsrRows::equal_rows<2>,
        &CsrRows::equal_rows<3>, &CsrRows::equal_rows<4>, &CsrRows::equal_rows<5>,
        &CsrRows::equal_rows<6>, &CsrRows::equal_rows<7>, &CsrRows::equal_rows<8>};
    (this->*(r.length < 0 ? &CsrRows::any_rows : fixed[static_cast<std::size_t>(r.length)]))(r.begin, r.end);
  }
};

template <class Pointer, class T>
void csr_rows(const Host& host, const CsrPlan<Host>& plan, const CsrRows<Pointer, T>& rows) {
  parallel_for(host, plan.blocks.size(), [=, blocks = plan.blocks.data()](std::size_t block) {
    for (const CsrRun& run : blocks[block]) rows.run(run);
  });
}

}  // namespace

template <class T>
CsrPlan<Host>::CsrPlan(const Host& host, const CsrView<T>& a, const Structure&) {
  if (a.nonzeros() <= std::numeric_limits<std::int32_t>::max()) row_ptr = detail::to_int32(host, a.row_ptr);
  blocks.resize(static_cast<std::size_t>((a.nonzeros() + 2 * Offset{a.rows}) / block_work + 1));
  parallel_for(host, blocks.size(), [this, &a](std::size_t b) {
    const Index begin = row_at(a, static_cast<Offset>(b) * block_work);
    const Index end = b + 1 == blocks.size() ? a.rows : row_at(a, static_cast<Offset>(b + 1) * block_work);
    blocks[b] = runs_of(a.row_ptr.data(), begin, end);
  });
}

std::size_t CsrPlan<Host>::bytes() const {
  std::size_t runs = 0;
  for (const auto& block : blocks) runs += block.size();
  return row_ptr.bytes() + runs * sizeof(CsrRun) + blocks.size() * sizeof(blocks[0]);
}

template <class T>
void csr_apply(const Host& host, const CsrPlan<Host>& plan, const CsrView<T>& a, T alpha, const T* x, T beta, T* y) {
  const Product<T> p{alpha, x, beta, y, y};
  if (plan.row_ptr.size() > 0) {
    csr_rows(host, plan, CsrRows<std::int32_t, T>{plan.row_ptr.data(), a.col.data(), a.val.data(), p});
  } else {
    csr_rows(host, plan, CsrRows<Offset, T>{a.row_ptr.data(), a.col.data(), a.val.data(), p});
  }
}

#define OSTINATO_INSTANTIATE(T)                                                      \
  template CsrPlan<Host>::CsrPlan(const Host&, const CsrView<T>&, const Structure&); \
  template void csr_apply(const Host&, const CsrPlan<Host>&, const CsrView<T>&, T, const T*, T, T*)
OSTINATO_FOR_VALUES(OSTINATO_INSTANTIATE);
OSTINATO_FOR_COMPLEX_VALUES(OSTINATO_INSTANTIATE);

}  // namespace ostinato::formats
