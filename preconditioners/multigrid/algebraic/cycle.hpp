// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <ostinato/preconditioners/multigrid/algebraic/hierarchy.hpp>
#include <ostinato/preconditioners/multigrid/cycle.hpp>
#include <ostinato/preconditioners/multigrid/damping.hpp>
#include <ostinato/spmv/linear_map.hpp>

namespace ostinato::algebraic {

/// Levels that are solved by inner steps, counted from the finest of a cycle.
struct InnerLevels {
  std::size_t begin = 0, end = 0;
  bool is_symmetric = false;  ///< the matrix of the finest level of all
};

/// Those of a K-cycle, each of which visits the lower levels twice: levels below the finest, as long as a cycle costs a
/// bounded multiple of the finest. `entries`: of all levels. A level that has an inverse takes no steps.
template <class Space>
InnerLevels choose_inner_levels(const std::vector<Offset>& entries, bool last_has_inverse, bool is_symmetric);

/// A V-cycle over an algebraic hierarchy, with the same steps of damped Jacobi or of Chebyshev's polynomial of the 4th
/// kind with optimal weights before the coarse grid and after it. Jacobi is damped by 0.8, and more where an eigenvalue
/// of a symmetric D^-1 A is so large that this would diverge.
///
/// A K-cycle where interpolation is constant on groups: a level below the finest is solved by two steps of flexible CG,
/// or of GCR where A or what smooths it isn't symmetric, with the cycle as preconditioner; the second step is left out
/// where the first leaves at most a quarter of the residual. Lower levels have a V-cycle, so that all levels together
/// cost a bounded multiple of the finest. Such a cycle isn't a linear function of r.
///
/// A preconditioner M that smooths (LevelSmoother) takes the place of D, damped where M^-1 A has eigenvalues near 2 and
/// above.
///
/// Memory    16 bytes for each row of each level, 8 more for each row of a level with inner steps, and 4 more where a
///           preconditioner smooths.
/// Traffic   On each level two products with A a sweep, one with P and one with P^T. An inner step adds one with A, a
///           preconditioner two applications a sweep.
/// Source    Lottes, arXiv:2202.08830; Phillips & Fischer, arXiv:2210.03179 (weights); Notay & Vassilevski, Numer.
///           Linear Algebra Appl. 15 (2008) 473 (K-cycle).
///
/// `inverse`: of the last level, full; or a cycle that goes on from there; or null. `sweeps`: steps of the smoother
/// before the coarse grid, and as many after it; at least 1. `inner`: the levels that are solved by inner steps, which
/// are chosen where none are given.
/// Requires  The levels and the inverse stay where they are. After new values of theirs, renew_smoothers().
template <class Space>
multigrid::Cycle<Space> make_cycle(const Space& space, const std::vector<AlgebraicLevel<Space>>& levels,
                                   const LinearMap<Space, float>* inverse, double power, Smoother smoother, int sweeps,
                                   std::optional<InnerLevels> inner = {});

/// Smooths by the values that the levels of make_cycle() have now.
template <class Space>
void renew_smoothers(const multigrid::Cycle<Space>& cycle, Smoother smoother);

}  // namespace ostinato::algebraic
