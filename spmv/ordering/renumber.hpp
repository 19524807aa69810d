// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include <ostinato/spmv/matrix/csr.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>

namespace ostinato {

/// The square matrix with rows and columns in another order: row i of the result is row order[i] of A, and column j is
/// column order[j]. With b and x0 from renumber() and x back through number_as_before(), the renumbered system has the
/// solution of A x = b.
///
/// Shapes    A: n x n. order: n different elements of 0 .. n - 1, as from the orders of spmv/ordering.
/// Exec      In parallel over rows. Rows come out sorted.
/// Traffic   Reads and writes the matrix once, rows in a scattered order.
/// Throws    DimensionError for another shape or length; ArgumentError for an element out of range or a repeated one,
///           and as check().
template <class T>
Csr<T> renumber(const Host& space, const CsrView<T>& a, std::span<const Index> order);
template <class T>
Csr<T> renumber(const Host& space, const CsrView<T>& a, std::span<const Index> order, Checked);

/// Element i of the result is element order[i] of v.
/// Exec      In parallel over elements, as the reverse.
/// Requires  Elements of order are different and within v, which isn't checked; for the reverse, too.
/// Throws    DimensionError for another length.
template <class T>
Array<T> renumber(std::span<const T> v, std::span<const Index> order);

/// The reverse: element order[i] of the result is element i of v.
/// Throws    DimensionError for another length.
template <class T>
Array<T> number_as_before(std::span<const T> v, std::span<const Index> order);

/// The same between vectors in the memory of a space: element i of `to` := element order[i] of v.
///
/// Exec      Enqueued on Cuda.
/// Traffic   Reads v in a scattered order, and 4 bytes and an element each.
/// Requires  Elements of order are different and within v, which isn't checked. v and `to` don't overlap.
/// Throws    DimensionError for different lengths.
template <class Space, class T>
void renumber(const Space& space, std::span<const T> v, std::span<const Index> order, std::span<T> to);

/// The reverse: element order[i] of `to` := element i of v. Likewise.
template <class Space, class T>
void number_as_before(const Space& space, std::span<const T> v, std::span<const Index> order, std::span<T> to);

}  // namespace ostinato
