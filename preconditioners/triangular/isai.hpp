// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <ostinato/spmv/base/stop.hpp>
#include <ostinato/spmv/matrix/space_csr.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>

namespace ostinato {

/// An incomplete sparse approximate inverse W of a lower triangular matrix L: W has the pattern of L (power 1) or of L
/// L (power 2), and W L is the identity on that pattern. Each row of W solves a triangular system of its own, exactly,
/// whatever its length: the part of L whose rows and columns are those of the row's pattern.
///
/// Shapes    L and W: n x n, the last entry of each row on the diagonal.
/// Traffic   For each entry (i, j) of W, reads row j of L and looks for its columns in row i of W, or the other way
///           round. A row of k entries takes k steps, one after the other.
/// Exec      Host: in parallel over rows. Cuda: a warp makes a row; waits. The same bits on every run, with any number
///           of threads, on either space.
/// Throws    ArgumentError naming the first row whose diagonal entry is 0 or not there; Stopped once `stop` is made;
///           DeviceError; std::bad_alloc.
/// Source    Anzt, Huckle, Braeckle & Dongarra, Parallel Computing 71 (2018) 1, section 3. There a row's system is put
///           into a dense array, which limits the length of a row; here its entries are looked for in L.
template <class Space>
SpaceCsr<Space, double> incomplete_inverse(const Space& space, const SpaceCsr<Space, double>& l, int power = 1,
                                           const StopRequest& stop = {});

/// The entries of incomplete_inverse() of power 2, counted without making them; where they are more than `most`, some
/// number above that. A long row on which many rows depend makes the square of a sparse triangle dense.
///
/// Traffic   The columns of a row of L for each entry of L, on the calling thread.
/// Throws    Stopped once `stop` is made; std::bad_alloc.
Offset count_square_entries(const CsrView<double>& l, Offset most, const StopRequest& stop = {});

namespace detail {

struct InverseRows;

/// Rows first .. first + count - 1 of the inverse. Enqueued on Cuda.
void invert_rows(const Host& space, const InverseRows& rows, std::size_t first, std::size_t count);
void invert_rows(const Cuda& space, const InverseRows& rows, std::size_t first, std::size_t count);
template <class Space>
void invert_rows(const Space& space, const InverseRows& rows, std::size_t first, std::size_t count);

}  // namespace detail

}  // namespace ostinato
