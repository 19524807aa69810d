// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include <ostinato/preconditioners/identity.hpp>
#include <ostinato/spmv/space/graph_capture.hpp>
#include <ostinato/solvers/restarts.hpp>

namespace ostinato {

/// Solves A x = b by preconditioned conjugate gradients.
///
/// Shapes    A: n x n.  b, x: n, in the memory of `space`. x comes in with the initial guess (zeros if there is none).
/// Requires  A symmetric positive definite, M too. Negative curvature is noticed and reported as breakdown.
/// Traffic   An iteration moves A, and 10 n sizeof(T) for vectors; with a preconditioner its own and 3 n sizeof(T)
///           more.
/// Exec      Allocates at entry: 3 n (4 n with a preconditioner) sizeof(T). On Cuda the host waits only when the
///           monitor looks.
/// Throws    DimensionError when A isn't square or the vectors don't fit; what A and M throw.
/// Source    Hestenes & Stiefel, J. Res. NBS 49 (1952) 409; x is updated together with p, which reads p once less.
template <class Space, LinearOperator A, class M = Identity, class T = typename A::value_type>
requires Preconditioner<M, T> SolveResult cg(const Space& space, const A& a, In<T> b, Out<std::type_identity_t<T>> x,
                                             const M& m = {}, const SolveOptions& options = {}) {
  Workspace<Space> workspace(space);
  const std::size_t n = b.size();
  const Out<T> p = workspace.template take<T>(n), q = workspace.template take<T>(n);
  Out<T> z = is_identity<M> ? Out<T>{} : workspace.template take<T>(n);
  double* pq = workspace.put(0.0);
  double* rz = workspace.put(0.0);
  double* rz_new = workspace.put(0.0);

  const auto recurrence = [&](Out<T> r, double* rr, double norm, auto& monitor) {
    if constexpr (is_identity<M>) z = r;
    Replay<Space> repeat(space, monitor.every(), is_replayable<A> && is_replayable<M>);
    Progress* progress = monitor.start(norm);
    precondition_dot<T>(space, m, r, z, rz);  // z = M^-1 r;  rz = r . z
    copy<T>(space, z, p);                     // p = z
    const auto iterate = [&] {
      apply_dot(space, a, p, q, p, pq);  // q = A p;  pq = p . q
      if constexpr (is_identity<M>) {
        update_r<T>(space, rz, pq, q, r, rz_new, progress);  // alpha = rz / pq;  r -= alpha q;  rz_new = r . r
      } else {
        update_r<T>(space, rz, pq, q, r, rr, progress);  // alpha = rz / pq;  r -= alpha q;  rr = r . r
        precondition_dot<T>(space, m, r, z, rz_new);     // z = M^-1 r;  rz_new = r . z
      }
      update_x_p<T>(space, rz, pq, rz_new, z, x, p, progress);  // x += alpha p;  p = z + (rz_new / rz) p
      std::swap(rz, rz_new);
    };
    while (monitor.next()) repeat(revision(a), iterate);
    monitor.finish();
  };
  return solve_with_restarts<T>("cg", false, space, a, b, x, options, workspace, recurrence);
}

}  // namespace ostinato
