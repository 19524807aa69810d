// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/preconditioners/identity.hpp>
#include <ostinato/spmv/space/graph_capture.hpp>
#include <ostinato/solvers/restarts.hpp>

namespace ostinato {

/// Solves A x = b by BiCGSTAB, preconditioned from the right, so that the residual watched is that of A x = b.
///
/// Shapes    A: n x n, any that is regular.  b, x: n, in the memory of `space`. x comes in with the initial guess.
/// Traffic   An iteration applies A and M twice and moves 19 n sizeof(T) for vectors.
/// Exec      Allocates at entry: 5 n (7 n with a preconditioner) sizeof(T). On Cuda the host waits only when the
///           monitor looks. When a recurrence breaks down it starts anew from the recomputed residual, as long as
///           that falls.
/// Throws    DimensionError when A isn't square or the vectors don't fit; what A and M throw.
/// Source    van der Vorst, SIAM J. Sci. Stat. Comput. 13 (1992) 631.
template <class Space, LinearOperator A, class M = Identity, class T = typename A::value_type>
requires Preconditioner<M, T> SolveResult bicgstab(const Space& space, const A& a, In<T> b,
                                                   Out<std::type_identity_t<T>> x, const M& m = {},
                                                   const SolveOptions& options = {}) {
  Workspace<Space> workspace(space);
  const std::size_t n = b.size();
  const Out<T> p = workspace.template take<T>(n), v = workspace.template take<T>(n), t = workspace.template take<T>(n),
               s0 = workspace.template take<T>(n);
  Out<T> p_hat = is_identity<M> ? p : workspace.template take<T>(n);
  Out<T> s_hat = is_identity<M> ? Out<T>{} : workspace.template take<T>(n);
  BicgstabScalars* s = workspace.put(BicgstabScalars{});

  const auto recurrence = [&](Out<T> r, double*, double norm, auto& monitor) {
    if constexpr (is_identity<M>) s_hat = r;
    Replay<Space> repeat(space, monitor.every(), is_replayable<A> && is_replayable<M>);
    Progress* progress = monitor.start(norm);
    const BicgstabScalars start{.rho = norm * norm, .s0s0 = norm * norm};
    space.upload(s, &start, sizeof start);
    copy<T>(space, r, s0);  // s0 = r
    const auto iterate = [&] {
      update_p<T>(space, s, r, v, p, progress);          // p = r + beta (p - omega v)
      if constexpr (!is_identity<M>) m.apply(p, p_hat);  // p_hat = M^-1 p
      apply_dot(space, a, p_hat, v, s0, &s->s0v);        // v = A p_hat;  s0v = s0 . v
      update_s<T>(space, s, v, r, progress);             // alpha = rho / s0v;  r -= alpha v
      if constexpr (!is_identity<M>) m.apply(r, s_hat);  // s_hat = M^-1 r
      a.apply(T{1}, s_hat, T{0}, t);                     // t = A s_hat
      dots_ts_tt<T>(space, s, t, r, progress);           // ts = t . r;  tt = t . t
      // omega = ts / tt;  x += alpha p_hat + omega s_hat;  r -= omega t;  rho = s0 . r
      update_x_r<T>(space, s, p_hat, s_hat, t, s0, x, r, progress);
    };
    while (monitor.next()) repeat(revision(a), iterate);
    monitor.finish();
  };
  return solve_with_restarts<T>("bicgstab", true, space, a, b, x, options, workspace, recurrence);
}

}  // namespace ostinato
