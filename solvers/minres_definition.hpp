// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/solvers/minres.hpp>

#include <cmath>
#include <utility>

#include <ostinato/solvers/minres_steps.hpp>
#include <ostinato/solvers/restarts.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/space/graph_capture.hpp>

namespace ostinato {

namespace minres_loop {

/// Returns a power of two near |z| / |A z|. Overwrites q and *slot.
template <class Space, class T>
double scale_of(const Space& space, const OperatorRef<Space, T>& a, In<T> z, Out<T> q, Slot<T> slot) {
  const double size = norm_of<T>(space, z, q, slot);
  a.apply(z, q);
  const double ratio = size / norm_of<T>(space, q, q, slot);
  return ratio > 0 && std::isfinite(ratio) ? std::ldexp(1.0, std::ilogb(ratio)) : 1;
}

}  // namespace minres_loop

template <class Space, class T>
SolveResult Minres::run(const Space& space, const OperatorRef<Space, T>& given, In<T> b, Out<T> x,
                        const PreconditionerRef<Space, T>& preconditioner, const SolveOptions& options) {
  using namespace minres_loop;
  require_fixed<Minres>(preconditioner);
  Workspace<Space> workspace(space);
  const ScaledSystem<Space, T> system(name, space, given, b, x, preconditioner, workspace);
  const OperatorRef<Space, T>& a = system.a();
  const PreconditionerRef<Space, T>& m = system.m();
  const auto vector = [&] { return workspace.template allocate<T>(b.size()); };
  Out<T> v = vector(), v_old = vector(), w = vector(), w_old = vector();
  const Out<T> q = vector();
  Out<T> z = m.is_identity() ? Out<T>{} : vector(), z_next = m.is_identity() ? Out<T>{} : vector();
  MinresScalars* s = workspace.emplace(MinresScalars{});
  double a_scale = 0;

  const auto recurrence = [&](Out<T> r, Slot<T>, double norm, Monitor<Space>& monitor) {
    GraphCapture<Space> run_block(space, monitor.every(), Minres::period, a.capturable() && m.capturable());
    ConvergenceState* state = monitor.start(norm);
    const double r_scale = std::ldexp(1.0, -std::ilogb(norm));
    scale<T>(space, static_cast<T>(r_scale), r, v);  // v = r_scale r
    m.apply_dot(space, v, z, &s->vz);                // z = M^-1 v;  vz = v . z
    for (const Out<T> u : {v_old, w, w_old}) space.zero(u.data(), u.size_bytes());
    const MinresScalars last = read_scalar(space, s);
    if (!std::isfinite(last.vz)) return monitor.stop(StopReason::not_finite);
    if (!(last.vz > 0)) return monitor.break_down(MinresScalars::indefinite_m, last.vz);
    if (a_scale == 0) a_scale = scale_of(space, a, m.is_identity() ? v : z, q, &s->zq);
    // The size of A stays known: after a restart it tells whether A can make the residual smaller at all.
    const MinresScalars start{.gamma = std::sqrt(last.vz),
                              .eta = std::sqrt(last.vz),
                              .a_norm = last.a_norm,
                              .a_scale = a_scale,
                              .r_scale = r_scale};
    space.upload(s, &start, sizeof start);
    const In<T> odd = w_old, even = w;  // where the directions of odd and even steps are
    const auto iterate = [&] {
      const Out<T> z_now = m.is_identity() ? v : z;
      a.apply_dot(space, z_now, q, z_now, &s->zq);  // q = A z;  zq = z . q
      update_v<T>(space, s, q, v, v_old, state);    // v_old = q / gamma - (delta / gamma) v - (gamma / gamma_old) v_old
      std::swap(v, v_old);
      m.apply_dot(space, v, z_next, &s->vz);  // z_next = M^-1 v;  vz = v . z_next
      // w_old = (z / gamma - a2 w - a3 w_old) / a1;  x += c eta w_old;  r = s^2 r + (c eta' / gamma') v
      update_x<T>(space, s, z_now, v, w_old, w, x, r, state);
      std::swap(w, w_old);
      std::swap(z, z_next);
    };
    while (monitor.next()) run_block({a.revision(), m.revision()}, iterate, v, v_old, w, w_old, z, z_next);
    withdraw_step<T>(space, s, odd, even, x);
    monitor.finish();
  };
  return solve_with_restarts<Minres>(system, x, options, workspace, recurrence);
}

}  // namespace ostinato
