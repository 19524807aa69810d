// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/solvers/methods/idr.hpp>

#include <algorithm>
#include <string>

#include <ostinato/solvers/methods/gmres_steps.hpp>
#include <ostinato/solvers/methods/idr_steps.hpp>
#include <ostinato/solvers/recurrence/restarts.hpp>
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

/// The recurrence of an IDR(s) solve, and its vectors.
template <class Space, class T>
class Recurrence {
 public:
  Recurrence(const ScaledSystem<Space, T>& system, int s, Out<T> x, Workspace<Space>& workspace)
      : space_(system.space()),
        a_(system.a()),
        m_(system.m()),
        s_(s),
        n_(x.size()),
        x_(x),
        p_(workspace.template allocate<T>(static_cast<std::size_t>(s) * n_)),
        g_(workspace.template allocate<T>(static_cast<std::size_t>(s) * n_)),
        u_(workspace.template allocate<T>(static_cast<std::size_t>(s) * n_)),
        v_(workspace.template allocate<T>(n_)),
        z_(m_.is_identity() ? v_ : workspace.template allocate<T>(n_)),
        h_(workspace.template allocate<T>(static_cast<std::size_t>(s) + 1).data()),
        scalars_(workspace.emplace(IdrScalars{})) {}

  /// Runs from a residual r of this norm until the monitor stops it. Each run has shadow vectors of its own; a replay
  /// has those of the run that it repeats.
  void run(Out<T> r, Slot<T> rr, double norm, Monitor<Space>& monitor) {
    GraphCapture<Space> run_block(space_, monitor.every(), s_ + 1, a_.capturable() && m_.capturable());
    ConvergenceState* state = monitor.start(norm);
    if (!monitor.is_replay()) ++seed_;
    begin(r, rr, norm);
    int k = 0;
    const auto iterate = [&] {
      if (k < s_) {
        add_column(k, r, state);
      } else {
        reduce_dimension(r, state);
      }
      k = (k + 1) % (s_ + 1);
    };
    while (monitor.next()) run_block({a_.revision(), m_.revision()}, iterate, k);
    monitor.finish();
  }

 private:
  /// G = U = 0;  m = 1;  f = P^T r, with a new P
  void begin(In<T> r, Slot<T> rr, double norm) const {
    choose_shadow<Space, T>(space_, seed_, s_, p_, h_, rr);
    IdrScalars start{.rr = norm * norm};
    for (int k = 0; k < s_; ++k) start.m[k][k] = 1;
    space_.upload(scalars_, &start, sizeof start);
    space_.zero(g_.data(), g_.size_bytes());
    space_.zero(u_.data(), u_.size_bytes());
    begin_idr<T>(space_, scalars_, s_, p_, r);  // f = P^T r;  m c = f
  }

  /// Iteration k < s of a cycle.
  void add_column(int k, Out<T> r, ConvergenceState* state) const {
    const std::size_t at = static_cast<std::size_t>(k) * n_;
    update_v<T>(space_, scalars_, k, s_, g_, r, v_);               // v = r - sum of c(i) g(i), i >= k
    if (!m_.is_identity()) m_.apply(v_, z_);                       // z = M^-1 v
    update_u<T>(space_, scalars_, k, s_, z_, u_);                  // u(k) = omega z + sum of c(i) u(i), i >= k
    a_.apply(u_.subspan(at, n_), g_.subspan(at, n_));              // g(k) = A u(k)
    project_g<T>(space_, scalars_, k, s_, p_, g_, state);          // alpha, m(., k), beta = f(k) / m(k, k)
    update_x_r<T>(space_, scalars_, k, s_, g_, u_, x_, r, state);  // g(k), u(k);  x += beta u(k);  r -= beta g(k)
  }

  /// The last iteration of a cycle.
  void reduce_dimension(Out<T> r, ConvergenceState* state) const {
    const Out<T> t = v_;
    const In<T> z = m_.is_identity() ? In<T>(r) : In<T>(z_);
    if (!m_.is_identity()) m_.apply(r, z_);          // z = M^-1 r
    a_.apply(z, t);                                  // t = A z
    choose_omega<T>(space_, scalars_, t, r, state);  // omega = t . r / t . t
    // x += omega z;  r -= omega t;  f = P^T r;  m c = f
    minimise<T>(space_, scalars_, s_, p_, z, t, x_, r, state);
  }

  const Space& space_;
  const OperatorRef<Space, T>& a_;
  const PreconditionerRef<Space, T>& m_;
  int s_;
  std::size_t n_;
  Out<T> x_, p_, g_, u_, v_, z_;  ///< z is v without M
  T* h_;                          ///< room of choose_shadow()
  IdrScalars* scalars_;
  std::uint64_t seed_ = 0;  ///< of the shadow vectors
};

}  // namespace idr_loop

template <class Space, class T>
SolveResult Idr::run(const Space& space, const OperatorRef<Space, T>& given, In<T> b, Out<T> x,
                     const PreconditionerRef<Space, T>& preconditioner, const SolveOptions& options) {
  using namespace idr_loop;
  const int s = shadow_vectors(options, part_of(space, b.size()).whole);
  Workspace<Space> workspace(space);
  const ScaledSystem<Space, T> system(name, space, given, b, x, preconditioner, workspace);
  Recurrence<Space, T> method(system, s, x, workspace);
  const auto recurrence = [&](Out<T> r, Slot<T> rr, double norm, Monitor<Space>& monitor) {
    method.run(r, rr, norm, monitor);
  };
  return solve_with_restarts<Idr>(system, x, options, workspace, recurrence, s + 1);
}

}  // namespace ostinato
