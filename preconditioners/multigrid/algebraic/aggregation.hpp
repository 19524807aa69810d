// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/preconditioners/multigrid/algebraic/aggregation_steps.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/points.hpp>
#include <ostinato/spmv/matrix/space_csr.hpp>
#include <ostinato/spmv/space/vector.hpp>

namespace ostinato::algebraic {

/// The points of a matrix in groups, each of which becomes a point of the coarse grid.
template <class Space, class T>
struct Aggregation {
  SpaceCsr<Space, T> graph;        ///< points x points, an entry for each block of A; A where a point is a row
  Vector<Space, Index> strong;     ///< for each entry of the graph its column if it is strong, otherwise its row
  Vector<Space, Index> aggregate;  ///< of each point; -1 for a point without strong entries
  Index count = 0;                 ///< number of aggregates
};

/// Aggregates by a distance-2 maximal independent set of the points: a root and its neighbours; points that no root is
/// beside join the aggregate to which they are coupled most strongly. In a round, a point becomes a root whose hash of
/// that round is the highest within two steps. The block of two points is strong when |a_ij|^2 > threshold^2 m_i m_j,
/// where m_i is the largest norm of the blocks of point i with others: unlike with |a_ii| in its place, as in the
/// paper, points with many equal neighbours stay coupled. Where a point has one unknown, Coupling::opposite leaves
/// out entries of the sign of the diagonal; interpolation that nothing smooths afterwards needs that. The same on every
/// run, and with any number of threads.
///
/// Traffic   A round reads the columns of the points that have undecided points within one step, and of the undecided.
/// Exec      In parallel over points in the memory of the space, some 5 to 11 rounds, each with a readback; on Cuda
///           without one in the first rounds, and in one kernel where there are few points. Waits.
/// Requires  Canonical rows. `factor`: brings the norm of A near 1, with the sign of the diagonal; where a point has
///           several unknowns, values times `factor` may be squared in T.
/// Source    Vanek, Mandel & Brezina, Computing 56 (1996) 179; Bell, Dalton & Olson, SIAM J. Sci. Comput. 34 (2012)
///           C123; Kelley & Rajamanickam, arXiv:2204.02934 (ranks anew in each round).
template <class Space, class T>
Aggregation<Space, T> aggregate(const Space& space, const SpaceCsr<Space, T>& a, const Points& points, double factor,
                                double threshold, Coupling coupling = Coupling::any);

}  // namespace ostinato::algebraic
