// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/solvers/methods/bicgstab2.hpp>

#include <ostinato/solvers/methods/bicgstab2_steps.hpp>
#include <ostinato/solvers/recurrence/restarts.hpp>
#include <ostinato/solvers/recurrence/restarts_steps.hpp>
#include <ostinato/spmv/space/graph_capture.hpp>

namespace ostinato {

namespace bicgstab2_loop {

/// The recurrence of BiCGSTAB(2). With a preconditioner it corrects y, and x += M^-1 y when it ends.
template <class Space, class T>
class Recurrence {
 public:
  Recurrence(const ScaledSystem<Space, T>& system, Out<T> x, Workspace<Space>& workspace)
      : space_(system.space()),
        a_(system.a()),
        m_(system.m()),
        x_(x),
        u_(workspace.template allocate<T>(x.size())),
        v_(workspace.template allocate<T>(x.size())),
        w_(workspace.template allocate<T>(x.size())),
        s_(workspace.template allocate<T>(x.size())),
        t_(workspace.template allocate<T>(x.size())),
        s0_(workspace.template allocate<T>(x.size())),
        z_(m_.is_identity() ? Out<T>{} : workspace.template allocate<T>(x.size())),
        y_(m_.is_identity() ? x : workspace.template allocate<T>(x.size())),
        scalars_(workspace.emplace(Bicgstab2Scalars{})) {}

  /// Runs from a residual r of this norm to the goal of the monitor.
  void run(Out<T> r, double norm, Monitor<Space>& monitor) const {
    GraphCapture<Space> run_block(space_, monitor.every(), Bicgstab2::period, a_.capturable() && m_.capturable());
    ConvergenceState* state = monitor.start(norm);
    const Bicgstab2Scalars start{.rho_first = norm * norm, .s0s0 = norm * norm};
    space_.upload(scalars_, &start, sizeof start);
    copy<T>(space_, r, s0_);  // s0 = r
    if (!m_.is_identity()) space_.zero(y_.data(), y_.size_bytes());
    const auto iterate = [&] {
      update_u<T>(space_, scalars_, r, u_, state);                                 // u = r - beta u
      a_.apply_dot(space_, preconditioned(u_), v_, s0_, &scalars_->gamma_first);   // v = A M^-1 u;  gamma = s0 . v
      update_r_x<T>(space_, scalars_, v_, u_, r, y_, state);                       // r -= alpha v;  y += alpha u
      a_.apply_dot(space_, preconditioned(r), s_, s0_, &scalars_->rho_second);     // s = A M^-1 r;  rho = s0 . s
      update_v_u<T>(space_, scalars_, s_, r, v_, u_, state);                       // v = s - beta v;  u = r - beta u
      a_.apply_dot(space_, preconditioned(v_), w_, s0_, &scalars_->gamma_second);  // w = A M^-1 v;  gamma = s0 . w
      update_r_s<T>(space_, scalars_, v_, w_, r, s_, state);                       // r -= alpha v;  s -= alpha w
      a_.apply(preconditioned(s_), t_);                                            // t = A M^-1 s
      choose_omegas<T>(space_, scalars_, r, s_, t_, state);                        // min |r - omega_1 s - omega_2 t|
      // y += omega_1 r + omega_2 s + alpha u;  r -= omega_1 s + omega_2 t;  u -= omega_1 v + omega_2 w;  rho = s0 . r
      update_x_r_u<T>(space_, scalars_, s_, t_, v_, w_, s0_, y_, r, u_, state);
    };
    while (monitor.next()) run_block({a_.revision(), m_.revision()}, iterate);
    monitor.finish();
    if (!m_.is_identity()) add_finite<T>(space_, preconditioned(y_), x_);  // x += M^-1 y
  }

 private:
  /// z = M^-1 p;  p itself without M
  In<T> preconditioned(In<T> p) const {
    if (m_.is_identity()) return p;
    m_.apply(p, z_);
    return z_;
  }

  const Space& space_;
  const OperatorRef<Space, T>& a_;
  const PreconditionerRef<Space, T>& m_;
  Out<T> x_;
  Out<T> u_, v_, w_, s_, t_, s0_;
  Out<T> z_;  ///< empty without M
  Out<T> y_;  ///< x without M
  Bicgstab2Scalars* scalars_;
};

}  // namespace bicgstab2_loop

template <class Space, class T>
SolveResult Bicgstab2::run(const Space& space, const OperatorRef<Space, T>& given, In<T> b, Out<T> x,
                           const PreconditionerRef<Space, T>& preconditioner, const SolveOptions& options) {
  require_fixed<Bicgstab2>(preconditioner);
  Workspace<Space> workspace(space);
  const ScaledSystem<Space, T> system(name, space, given, b, x, preconditioner, workspace);
  const bicgstab2_loop::Recurrence<Space, T> steps(system, x, workspace);
  const auto recurrence = [&](Out<T> r, Slot<T>, double norm, Monitor<Space>& monitor) { steps.run(r, norm, monitor); };
  return solve_with_restarts<Bicgstab2>(system, x, options, workspace, recurrence);
}

}  // namespace ostinato
