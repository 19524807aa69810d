// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/solvers/idr.hpp>

#include <algorithm>
#include <string>

#include <ostinato/solvers/gmres_steps.hpp>
#include <ostinato/solvers/idr_steps.hpp>
#include <ostinato/solvers/restarts.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/space/graph_capture.hpp>
#include <ostinato/spmv/space/multi_vector_definition.hpp>

namespace ostinato {

namespace idr_loop {

inline int shadow_vectors(const SolveOptions& options, std::size_t rows) {
  require_valid(options);
  return static_cast<int>(std::clamp<std::size_t>(rows, 1, static_cast<std::size_t>(options.shadow)));
}

/// The columns of p become random vectors of length 1 that are orthogonal to each other. `h`: room for s + 1 elements.
template <class Space, class T>
void choose_shadow(const Space& space, std::uint64_t seed, int s, Out<T> p, T* h, Slot<T> slot) {
  const std::size_t n = p.size() / static_cast<std::size_t>(s);
  for (int k = 0; k < s; ++k) {
    const Out<T> column = p.subspan(static_cast<std::size_t>(k) * n, n);
    fill_randomly<T>(space, (seed * IdrScalars::most + static_cast<std::uint64_t>(k)) * 0x2545f4914f6cdd1d, column);
    for (int pass = 0; pass < 2 && k > 0; ++pass) {
      project<T>(space, k, p.data(), column, h);
      subtract<T>(space, k, p.data(), h, column);
    }
    dot<T>(space, column, column, slot);
    normalise<T>(space, slot, column, h + s);
  }
}

}  // namespace idr_loop

template <class Space, class T>
SolveResult Idr::run(const Space& space, const OperatorRef<Space, T>& given, In<T> b, Out<T> x,
                     const PreconditionerRef<Space, T>& preconditioner, const SolveOptions& options) {
  using namespace idr_loop;
  const int s = shadow_vectors(options, b.size());
  Workspace<Space> workspace(space);
  const ScaledSystem<Space, T> system(name, space, given, b, x, preconditioner, workspace);
  const OperatorRef<Space, T>& a = system.a();
  const PreconditionerRef<Space, T>& m = system.m();
  const std::size_t n = b.size(), columns = static_cast<std::size_t>(s);
  const Out<T> p = workspace.template allocate<T>(columns * n), g = workspace.template allocate<T>(columns * n),
               u = workspace.template allocate<T>(columns * n), v = workspace.template allocate<T>(n);
  const Out<T> z = m.is_identity() ? v : workspace.template allocate<T>(n);
  T* h = workspace.template allocate<T>(columns + 1).data();
  IdrScalars* scalars = workspace.emplace(IdrScalars{});
  std::uint64_t seed = 0;

  const auto recurrence = [&](Out<T> r, Slot<T> rr, double norm, Monitor<Space>& monitor) {
    GraphCapture<Space> run_block(space, monitor.every(), s + 1, a.capturable() && m.capturable());
    ConvergenceState* state = monitor.start(norm);
    if (!monitor.is_replay()) ++seed;
    choose_shadow<Space, T>(space, seed, s, p, h, rr);
    IdrScalars start{.rr = norm * norm};
    for (int k = 0; k < s; ++k) start.m[k][k] = 1;
    space.upload(scalars, &start, sizeof start);
    space.zero(g.data(), g.size_bytes());
    space.zero(u.data(), u.size_bytes());
    begin_idr<T>(space, scalars, s, p, r);  // f = P^T r;  m c = f
    int k = 0;
    const auto add_column = [&] {
      const std::size_t at = static_cast<std::size_t>(k) * n;
      update_v<T>(space, scalars, k, s, g, r, v);              // v = r - sum of c(i) g(i), i >= k
      if (!m.is_identity()) m.apply(v, z);                     // z = M^-1 v
      update_u<T>(space, scalars, k, s, z, u);                 // u(k) = omega z + sum of c(i) u(i), i >= k
      a.apply(u.subspan(at, n), g.subspan(at, n));             // g(k) = A u(k)
      project_g<T>(space, scalars, k, s, p, g, state);         // alpha, m(., k), beta = f(k) / m(k, k)
      update_x_r<T>(space, scalars, k, s, g, u, x, r, state);  // g(k), u(k);  x += beta u(k);  r -= beta g(k)
    };
    const auto reduce_dimension = [&] {
      const Out<T> t = v;
      const In<T> z_now = m.is_identity() ? In<T>(r) : In<T>(z);
      if (!m.is_identity()) m.apply(r, z);                       // z = M^-1 r
      a.apply(z_now, t);                                         // t = A z
      choose_omega<T>(space, scalars, t, r, state);              // omega = t . r / t . t
      minimise<T>(space, scalars, s, p, z_now, t, x, r, state);  // x += omega z;  r -= omega t;  f = P^T r;  m c = f
    };
    const auto iterate = [&] {
      if (k < s) {
        add_column();
      } else {
        reduce_dimension();
      }
      k = (k + 1) % (s + 1);
    };
    while (monitor.next()) run_block({a.revision(), m.revision()}, iterate, k);
    monitor.finish();
  };
  return solve_with_restarts<Idr>(system, x, options, workspace, recurrence, s + 1);
}

}  // namespace ostinato
