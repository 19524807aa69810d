// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The COO storage of coo.hpp and hyb.hpp, for both spaces.
//
// A product sums up each chunk of entries by itself. The chunk in which a row begins adds its part of the row to y. The
// part of the row in a later chunk is the chunk's carry. A second step adds the carries in their order, so the result
// doesn't depend on the number of threads.

#include <ostinato/spmv/formats/csr_arrays.hpp>

namespace ostinato::formats::detail {

/// Entries of a chunk. A thread (Host) or a warp (Cuda) takes a chunk.
inline constexpr Offset coo_chunk = 512;

/// A COO matrix, ordered by row and, within a row, by column.
template <class T>
struct CooView {
  Offset count;
  const Index* row;
  const Index* col;
  const T* val;

  OSTINATO_FUNCTION Offset chunks() const { return (count + coo_chunk - 1) / coo_chunk; }

  /// True when the chunk's first row began in an earlier chunk.
  OSTINATO_FUNCTION bool continues(Offset chunk) const {
    return chunk > 0 && row[chunk * coo_chunk] == row[chunk * coo_chunk - 1];
  }
};

/// row[k] := i for the entries k of row i. Goes by entries, so that a long row isn't the work of one thread.
struct FillRowOf {
  CsrPattern a;
  EntryRuns runs;
  Index* row;
  OSTINATO_FUNCTION void operator()(std::size_t run) const {
    runs.visit(run, a, [&](Index i, Offset k) { row[k] = i; });
  }
};

/// y := beta z
template <class T>
struct ScaleRow {
  Product<T> p;
  OSTINATO_FUNCTION void operator()(std::size_t i) const { store_row(p, i, T{0}); }
};

/// Adds the carries of a row to y(row). The functor of the first chunk with a carry of the row does all the work.
template <class T>
struct AddCarries {
  CooView<T> a;
  const T* carry;
  T alpha;
  T* y;

  OSTINATO_FUNCTION void operator()(std::size_t c) const {
    const Offset first = static_cast<Offset>(c), chunks = a.chunks();
    if (!a.continues(first)) return;
    const Index row = a.row[first * coo_chunk];
    if (first > 1 && a.row[(first - 1) * coo_chunk - 1] == row) return;
    T sum = 0;
    for (Offset next = first; next < chunks && a.row[next * coo_chunk] == row; ++next) sum += carry[next];
    y[row] += alpha * sum;
  }
};

}  // namespace ostinato::formats::detail

namespace ostinato {

class Host;
class Cuda;

namespace formats {

/// y := y + alpha A x. A thread (Host) or a warp (Cuda) takes a chunk. `carry` has room for one value per chunk.
/// Enqueued.
template <class T>
void coo_add(const Host& space, const detail::CooView<T>& a, T alpha, const T* x, T* y, T* carry);
template <class T>
void coo_add(const Cuda& space, const detail::CooView<T>& a, T alpha, const T* x, T* y, T* carry);

}  // namespace formats
}  // namespace ostinato
