// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The product of matrices written with loops over the rows, for spaces other than Host and Cuda: the columns of all
// terms of a row are listed and sorted, and each column is kept once.

#include <cstddef>

#include <ostinato/spmv/algebra/product_steps.hpp>
#include <ostinato/spmv/base/bisect.hpp>
#include <ostinato/spmv/base/stop.hpp>
#include <ostinato/spmv/matrix/csr_pattern.hpp>
#include <ostinato/spmv/matrix/space_csr.hpp>
#include <ostinato/spmv/space/scan.hpp>

namespace ostinato::detail {

/// Lists the columns of the terms of row i from list[start[i]] on, ascending and each once. count[i] := their number.
struct ListColumns {
  CsrPattern a, b;
  const Offset* start;
  Index* list;
  Offset* count;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    Index* const own = list + start[i];
    Offset terms = 0;
    for (Offset k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) {
      const auto row = static_cast<std::size_t>(a.col[k]);
      for (Offset q = b.row_ptr[row]; q < b.row_ptr[row + 1]; ++q) own[terms++] = b.col[q];
    }
    sort(own, terms);
    Offset kept = 0;
    for (Offset t = 0; t < terms; ++t) {
      if (kept == 0 || own[kept - 1] != own[t]) own[kept++] = own[t];
    }
    count[i] = kept;
  }

 private:
  /// Heapsort, which needs no memory.
  OSTINATO_FUNCTION static void sort(Index* v, Offset n) {
    for (Offset top = n / 2; top-- > 0;) sink(v, top, n);
    for (Offset end = n; end-- > 1;) {
      swap(v[0], v[end]);
      sink(v, 0, end);
    }
  }
  OSTINATO_FUNCTION static void sink(Index* v, Offset at, Offset end) {
    for (Offset child = 2 * at + 1; child < end; child = 2 * at + 1) {
      if (child + 1 < end && v[child] < v[child + 1]) ++child;
      if (!(v[at] < v[child])) return;
      swap(v[at], v[child]);
      at = child;
    }
  }
  OSTINATO_FUNCTION static void swap(Index& x, Index& y) {
    const Index before = x;
    x = y;
    y = before;
  }
};

/// Copies the columns of row i behind those of the rows before.
struct KeepColumns {
  const Offset* start;
  const Index* list;
  const Offset* row_ptr;
  Index* col;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    for (Offset k = row_ptr[i]; k < row_ptr[i + 1]; ++k) col[k] = list[start[i] + k - row_ptr[i]];
  }
};

/// Adds up the terms of row i, in their order.
template <class T>
struct AddTerms {
  CsrPattern a, b;
  const T *a_val, *b_val;
  CsrPattern c;
  T* val;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    const Offset begin = c.row_ptr[i], end = c.row_ptr[i + 1];
    for (Offset p = begin; p < end; ++p) val[p] = 0;
    for (Offset k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) {
      const auto row = static_cast<std::size_t>(a.col[k]);
      for (Offset q = b.row_ptr[row]; q < b.row_ptr[row + 1]; ++q)
        val[bisect(begin, end, [this, j = b.col[q]](Offset p) { return c.col[p] >= j; })] += a_val[k] * b_val[q];
    }
  }
};

/// What MatrixProduct keeps beside the matrices: nothing.
///
/// Traffic   While the pattern is made, 4 bytes a term.
template <class Space, class T>
struct LoopProduct {
  LoopProduct(const Space&, const CsrView<T>&, const CsrView<T>&) {}

  std::size_t bytes() const { return 0; }

  void make(const Space& space, const CsrView<T>& a, const CsrView<T>& b, CsrStorage<Space, T>& c, const StopRequest&,
            const ProductTerms* terms) {
    find_pattern(space, a, b, c, terms);
    c.val = Vector<Space, T>(space, c.col.size());
    multiply(space, a, b, c);
  }

  static void find_pattern(const Space& space, const CsrView<T>& a, const CsrView<T>& b, CsrStorage<Space, T>& c,
                           const ProductTerms*) {
    const auto rows = static_cast<std::size_t>(a.rows);
    const CsrPattern of_a = pattern_of(a), of_b = pattern_of(b);
    Vector<Space, Offset> start(space, rows + 1);
    for_each(space, rows, CountTerms{of_a, of_b, start.data()});
    Vector<Space, Index> list(space, total(space, start));
    for_each(space, rows, ListColumns{of_a, of_b, start.data(), list.data(), c.row_ptr.data()});
    c.col = Vector<Space, Index>(space, total(space, c.row_ptr));
    for_each(space, rows, KeepColumns{start.data(), list.data(), c.row_ptr.data(), c.col.data()});
  }

  void multiply(const Space& space, const CsrView<T>& a, const CsrView<T>& b, CsrStorage<Space, T>& c) {
    for_each(space, static_cast<std::size_t>(a.rows),
             AddTerms<T>{pattern_of(a), pattern_of(b), a.val.data(), b.val.data(), pattern_of(c.view()), c.val.data()});
  }

 private:
  /// Makes starts of lengths. Returns their sum.
  static std::size_t total(const Space& space, Vector<Space, Offset>& lengths) {
    exclusive_scan(space, lengths.span());
    Offset sum = 0;
    space.download(&sum, lengths.data() + lengths.size() - 1, sizeof sum);
    return static_cast<std::size_t>(sum);
  }
};

}  // namespace ostinato::detail
