// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/matrix/csr.hpp>
#include <ostinato/spmv/space/vector_steps.hpp>

namespace ostinato {

/// r = b - outer A (inner x), rounded once; *rr = r . r before this rounding. The products of a row are added with
/// twice the digits of double precision, so that the result is right where b and A x cancel, in either value type.
/// Where twice the digits may hide a part of b - A x, r is as large as it may be: no element is smaller than its true
/// value by more than its rounding.
///
/// Shapes    A: m x n, x: n, b and r: m, all in the memory of the space. outer and inner are powers of two.
/// Traffic   Reads the matrix once. Takes 1.5 to 4 times as long as a product of `csr`; on a GPU one thread adds up a
///           row, so that a single long row takes 20 ns an entry.
/// Exec      Enqueued on Cuda.
/// Source    Ogita, Rump & Oishi, SIAM J. Sci. Comput. 26 (2005) 1955, algorithm 5.3.
template <class T, class Space>
void accurate_residual(const Space& space, const CsrView<T>& a, double outer, double inner, In<T> x, In<T> b, Out<T> r,
                       Slot<T> rr);

}  // namespace ostinato
