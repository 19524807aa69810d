// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/solvers/bicgstab2.hpp>

#include <ostinato/solvers/bicgstab2_steps.hpp>
#include <ostinato/solvers/restarts.hpp>
#include <ostinato/solvers/restarts_steps.hpp>
#include <ostinato/spmv/space/graph_capture.hpp>

namespace ostinato {

template <class Space, class T>
SolveResult Bicgstab2::run(const Space& space, const OperatorRef<Space, T>& given, In<T> b, Out<T> x,
                           const PreconditionerRef<Space, T>& preconditioner, const SolveOptions& options) {
  require_fixed<Bicgstab2>(preconditioner);
  Workspace<Space> workspace(space);
  const ScaledSystem<Space, T> system(name, space, given, b, x, preconditioner, workspace);
  const OperatorRef<Space, T>& a = system.a();
  const PreconditionerRef<Space, T>& m = system.m();
  const auto vector = [&] { return workspace.template allocate<T>(b.size()); };
  const Out<T> u = vector(), v = vector(), w = vector(), s = vector(), t = vector(), s0 = vector();
  const Out<T> z = m.is_identity() ? Out<T>{} : vector(), y = m.is_identity() ? x : vector();
  Bicgstab2Scalars* scalars = workspace.emplace(Bicgstab2Scalars{});
  const auto preconditioned = [&](In<T> p) {  // z = M^-1 p
    if (m.is_identity()) return p;
    m.apply(p, z);
    return In<T>(z);
  };

  const auto recurrence = [&](Out<T> r, Slot<T>, double norm, Monitor<Space>& monitor) {
    GraphCapture<Space> run_block(space, monitor.every(), Bicgstab2::period, a.capturable() && m.capturable());
    ConvergenceState* state = monitor.start(norm);
    const Bicgstab2Scalars start{.rho_first = norm * norm, .s0s0 = norm * norm};
    space.upload(scalars, &start, sizeof start);
    copy<T>(space, r, s0);  // s0 = r
    if (!m.is_identity()) space.zero(y.data(), y.size_bytes());
    const auto iterate = [&] {
      update_u<T>(space, scalars, r, u, state);                              // u = r - beta u
      a.apply_dot(space, preconditioned(u), v, s0, &scalars->gamma_first);   // v = A M^-1 u;  gamma = s0 . v
      update_r_x<T>(space, scalars, v, u, r, y, state);                      // r -= alpha v;  y += alpha u
      a.apply_dot(space, preconditioned(r), s, s0, &scalars->rho_second);    // s = A M^-1 r;  rho = s0 . s
      update_v_u<T>(space, scalars, s, r, v, u, state);                      // v = s - beta v;  u = r - beta u
      a.apply_dot(space, preconditioned(v), w, s0, &scalars->gamma_second);  // w = A M^-1 v;  gamma = s0 . w
      update_r_s<T>(space, scalars, v, w, r, s, state);                      // r -= alpha v;  s -= alpha w
      a.apply(preconditioned(s), t);                                         // t = A M^-1 s
      choose_omegas<T>(space, scalars, r, s, t, state);                      // min |r - omega_1 s - omega_2 t|
      // y += omega_1 r + omega_2 s + alpha u;  r -= omega_1 s + omega_2 t;  u -= omega_1 v + omega_2 w;  rho = s0 . r
      update_x_r_u<T>(space, scalars, s, t, v, w, s0, y, r, u, state);
    };
    while (monitor.next()) run_block({a.revision(), m.revision()}, iterate);
    monitor.finish();
    if (!m.is_identity()) add_finite<T>(space, preconditioned(y), x);  // x += M^-1 y
  };
  return solve_with_restarts<Bicgstab2>(system, x, options, workspace, recurrence);
}

}  // namespace ostinato
