// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/solvers/minres.hpp>

#include <cmath>
#include <utility>

#include <ostinato/solvers/minres_steps.hpp>
#include <ostinato/solvers/restarts.hpp>
#include <ostinato/spmv/space/graph_capture.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato {

template <class Space, class T>
SolveResult Minres::run(const Space& space, const OperatorRef<Space, T>& a, In<T> b, Out<T> x,
                        const PreconditionerRef<Space, T>& m, const SolveOptions& options) {
  Workspace<Space> workspace(space);
  const auto vector = [&] { return workspace.template allocate<T>(b.size()); };
  Out<T> v = vector(), v_old = vector(), w = vector(), w_old = vector();
  const Out<T> q = vector();
  Out<T> z = m.is_identity() ? Out<T>{} : vector(), z_next = m.is_identity() ? Out<T>{} : vector();
  MinresScalars* s = workspace.emplace(MinresScalars{});

  const auto recurrence = [&](Out<T> r, double*, double norm, Monitor<Space>& monitor) {
    GraphCapture<Space> run_block(space, monitor.every(), Minres::period, a.capturable() && m.capturable());
    ConvergenceState* state = monitor.start(norm);
    copy<T>(space, r, v);              // v = r
    m.apply_dot(space, v, z, &s->vz);  // z = M^-1 v;  vz = v . z
    for (const Out<T> u : {v_old, w, w_old}) space.zero(u.data(), u.size_bytes());
    const double vz = read_scalar(space, &s->vz);
    if (!(vz > 0)) return monitor.stop(std::isfinite(vz) ? StopReason::breakdown : StopReason::not_finite);
    // The estimate of |A| is kept over a restart, because it decides whether A can make the residual smaller at all.
    const MinresScalars start{.gamma = std::sqrt(vz), .eta = std::sqrt(vz), .a_norm = read_scalar(space, &s->a_norm)};
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
    while (monitor.next()) run_block(a.revision(), iterate);
    withdraw_step<T>(space, s, odd, even, x);
    monitor.finish();
  };
  return solve_with_restarts<Minres>(space, a, b, x, options, workspace, recurrence);
}

#define OSTINATO_INSTANTIATE(Space, T)                                                        \
  template SolveResult Minres::run(const Space&, const OperatorRef<Space, T>&, In<T>, Out<T>, \
                                   const PreconditionerRef<Space, T>&, const SolveOptions&)
OSTINATO_INSTANTIATE(Host, float);
OSTINATO_INSTANTIATE(Host, double);
OSTINATO_INSTANTIATE(Cuda, float);
OSTINATO_INSTANTIATE(Cuda, double);

}  // namespace ostinato
