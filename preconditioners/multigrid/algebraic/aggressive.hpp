// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/preconditioners/multigrid/algebraic/coarsening.hpp>
#include <ostinato/spmv/base/stop.hpp>
#include <ostinato/spmv/matrix/space_csr.hpp>

namespace ostinato::algebraic {

/// Chooses the coarse rows by PMIS twice: first as coarsen(), then among these, where one depends on another if a path
/// of one or two strong entries leads there. So a level has about a fifth of the rows that coarsen() leaves on a mesh
/// in space. A row that no such path joins with another stays coarse, unless three strong entries lead from there to a
/// row that was chosen twice.
///
/// Exec      As coarsen(), with a product of two matrices between. Waits.
/// Throws    Stopped once `stop` is made.
/// Source    Stueben, GMD report 70 (1999), section A.7.1 (aggressive coarsening by paths); Yang, Numer. Linear Algebra
///           Appl. 17 (2010) 325.
template <class Space, class T>
Coarsening<Space> coarsen_twice(const Space& space, const CsrView<T>& a, const CoarseningOptions& options = {},
                                const StopRequest& stop = {});

/// The multipass interpolation P for coarse rows that are far apart. In the first pass the rows that depend on a coarse
/// row take its value, in each further pass those that depend on a row of an earlier pass take what that row takes: row
/// i is
///
///     - (sum of all a_ij, j != i) / (a_ii sum over read j of a_ij)  sum over read j of a_ij P_j
///
/// After each pass a row is truncated to its `most` largest entries, at most 16, and scaled to its sum. A row that
/// depends on no row of any pass is empty: the smoother does for it.
///
/// Shapes    rows x coarse_rows.
/// Exec      In the memory of the space: a kernel a pass, in which a thread does a row in a table of 64 columns.
///           Those that a row takes beyond these count for its sum alone. Waits.
/// Throws    ArgumentError when entries leave the range of T; Stopped once `stop` is made.
/// Source    Stueben 1999, section A.7.1.3.
template <class Space, class T>
SpaceCsr<Space, T> multipass_interpolation(const Space& space, const CsrView<T>& a, const Coarsening<Space>& c,
                                           int most = 4, const StopRequest& stop = {});

}  // namespace ostinato::algebraic
