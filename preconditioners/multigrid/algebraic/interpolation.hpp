// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/preconditioners/multigrid/algebraic/coarsening.hpp>
#include <ostinato/spmv/algebra/product.hpp>
#include <ostinato/spmv/base/stop.hpp>
#include <ostinato/spmv/matrix/space_csr.hpp>

namespace ostinato::algebraic {

/// The extended+i interpolation P from the coarse rows to all rows: a coarse row takes its own value, a fine row that
/// of coarse rows at most two strong entries away. With -1 / theta_i in front, the row of a fine row i is
///
///     sum over strong coarse k of a_ik e_k  +  sum over strong fine j, coarse k of v_ij a_jk e_k,
///     v_ij = a_ij / (beta_j + a_ji)
///
/// where beta_j is the sum of the strong coarse entries of row j, and theta_i the sum of a_ii, of the entries of row i
/// that aren't strong, and of the a_ji v_ij. A row is then truncated to its `most` largest entries, at most 16, and
/// scaled to its sum. A fine row with no coarse row that near is empty: the smoother does for it.
///
/// Shapes    rows x coarse_rows.
/// Exec      In the memory of the space. Waits.
/// Throws    ArgumentError when entries leave the range of T; Stopped once `stop` is made.
/// Source    Li, Sjogreen & Yang, SIAM J. Sci. Comput. 43 (2021) S540.
template <class Space, class T>
SpaceCsr<Space, T> interpolation(const Space& space, const CsrView<T>& a, const Coarsening<Space>& c, int most = 4,
                                 const StopRequest& stop = {});

/// Keeps at most `most` entries of each row, the largest, scaled to the sum of the row.
/// Throws    ArgumentError when `most` isn't in 1 .. 16, or when entries leave the range of T.
template <class Space, class T>
SpaceCsr<Space, T> truncated(const Space& space, const CsrView<T>& p, int most);

}  // namespace ostinato::algebraic
