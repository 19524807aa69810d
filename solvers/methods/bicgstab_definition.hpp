// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/solvers/methods/bicgstab.hpp>

#include <ostinato/solvers/methods/bicgstab_steps.hpp>
#include <ostinato/solvers/recurrence/restarts.hpp>
#include <ostinato/spmv/space/graph_capture.hpp>

namespace ostinato {

template <class Space, class T>
SolveResult Bicgstab::run(const Space& space, const OperatorRef<Space, T>& given, In<T> b, Out<T> x,
                          const PreconditionerRef<Space, T>& preconditioner, const SolveOptions& options) {
  Workspace<Space> workspace(space);
  const ScaledSystem<Space, T> system(name, space, given, b, x, preconditioner, workspace);
  const OperatorRef<Space, T>& a = system.a();
  const PreconditionerRef<Space, T>& m = system.m();
  const std::size_t n = b.size();
  const Out<T> p = workspace.template allocate<T>(n), v = workspace.template allocate<T>(n),
               t = workspace.template allocate<T>(n), s0 = workspace.template allocate<T>(n);
  const Out<T> p_hat = m.is_identity() ? p : workspace.template allocate<T>(n);
  Out<T> s_hat = m.is_identity() ? Out<T>{} : workspace.template allocate<T>(n);
  using Scalars = BicgstabScalarsOf<sum_t<T>>;
  Scalars* s = workspace.emplace(Scalars{});

  const auto recurrence = [&](Out<T> r, Slot<T>, double norm, Monitor<Space>& monitor) {
    if (m.is_identity()) s_hat = r;
    GraphCapture<Space> run_block(space, monitor.every(), Bicgstab::period, a.capturable() && m.capturable());
    ConvergenceState* state = monitor.start(norm);
    const Scalars start{.rho = norm * norm, .s0s0 = norm * norm};
    space.upload(s, &start, sizeof start);
    copy<T>(space, r, s0);  // s0 = r
    const auto iterate = [&] {
      update_p<T>(space, s, r, v, p, state);      // p = r + beta (p - omega v)
      if (!m.is_identity()) m.apply(p, p_hat);    // p_hat = M^-1 p
      a.apply_dot(space, p_hat, v, s0, &s->s0v);  // v = A p_hat;  s0v = s0 . v
      update_s<T>(space, s, v, r, state);         // alpha = rho / s0v;  r -= alpha v
      if (!m.is_identity()) m.apply(r, s_hat);    // s_hat = M^-1 r
      a.apply(s_hat, t);                          // t = A s_hat
      dots_ts_tt<T>(space, s, t, r, state);       // ts = t . r;  tt = t . t
      // omega = ts / tt;  x += alpha p_hat + omega s_hat;  r -= omega t;  rho = s0 . r
      update_x_r<T>(space, s, p_hat, s_hat, t, s0, x, r, state);
    };
    while (monitor.next()) run_block({a.revision(), m.revision()}, iterate);
    monitor.finish();
  };
  return solve_with_restarts<Bicgstab>(system, x, options, workspace, recurrence);
}

}  // namespace ostinato
