// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/solvers/methods/minres.hpp>

#include <cmath>
#include <utility>

#include <ostinato/solvers/methods/minres_steps.hpp>
#include <ostinato/solvers/recurrence/restarts.hpp>
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

/// The recurrence of a MINRES solve, and its vectors.
template <class Space, class T>
class Recurrence {
 public:
  Recurrence(const ScaledSystem<Space, T>& system, Out<T> x, Workspace<Space>& workspace)
      : space_(system.space()),
        a_(system.a()),
        m_(system.m()),
        x_(x),
        v_(workspace.template allocate<T>(x.size())),
        v_old_(workspace.template allocate<T>(x.size())),
        w_(workspace.template allocate<T>(x.size())),
        w_old_(workspace.template allocate<T>(x.size())),
        q_(workspace.template allocate<T>(x.size())),
        z_(m_.is_identity() ? Out<T>{} : workspace.template allocate<T>(x.size())),
        z_next_(m_.is_identity() ? Out<T>{} : workspace.template allocate<T>(x.size())),
        s_(workspace.emplace(MinresScalars{})) {}

  /// Runs from a residual r of this norm until the monitor stops it.
  void run(Out<T> r, double norm, Monitor<Space>& monitor) {
    GraphCapture<Space> run_block(space_, monitor.every(), Minres::period, a_.capturable() && m_.capturable());
    ConvergenceState* state = monitor.start(norm);
    if (!begin(r, norm, monitor)) return;
    const In<T> odd = w_old_, even = w_;  // where the directions of odd and even steps are
    const auto iterate = [&] {
      const Out<T> z = m_.is_identity() ? v_ : z_;
      a_.apply_dot(space_, z, q_, z, &s_->zq);  // q = A z;  zq = z . q
      // v_old = q / gamma - (delta / gamma) v - (gamma / gamma_old) v_old
      update_v<T>(space_, s_, q_, v_, v_old_, state);
      std::swap(v_, v_old_);
      m_.apply_dot(space_, v_, z_next_, &s_->vz);  // z_next = M^-1 v;  vz = v . z_next
      // w_old = (z / gamma - a2 w - a3 w_old) / a1;  x += c eta w_old;  r = s^2 r + (c eta' / gamma') v
      update_x<T>(space_, s_, z, v_, w_old_, w_, x_, r, state);
      std::swap(w_, w_old_);
      std::swap(z_, z_next_);
    };
    while (monitor.next()) run_block({a_.revision(), m_.revision()}, iterate, v_, v_old_, w_, w_old_, z_, z_next_);
    withdraw_step<T>(space_, s_, odd, even, x_);
    monitor.finish();
  }

 private:
  /// v = r_scale r;  z = M^-1 v;  v_old = w = w_old = 0. False when vz isn't positive and finite.
  bool begin(In<T> r, double norm, Monitor<Space>& monitor) {
    const double r_scale = std::ldexp(1.0, -std::ilogb(norm));
    scale<T>(space_, static_cast<T>(r_scale), r, v_);  // v = r_scale r
    m_.apply_dot(space_, v_, z_, &s_->vz);             // z = M^-1 v;  vz = v . z
    for (const Out<T> u : {v_old_, w_, w_old_}) space_.zero(u.data(), u.size_bytes());
    const MinresScalars last = read_scalar(space_, s_);
    if (!(last.vz > 0) || !std::isfinite(last.vz)) return refuse(last.vz, monitor);
    if (a_scale_ == 0) a_scale_ = scale_of(space_, a_, m_.is_identity() ? v_ : z_, q_, &s_->zq);
    // The size of A stays known: after a restart it tells whether A can make the residual smaller at all.
    const MinresScalars start{.gamma = std::sqrt(last.vz),
                              .eta = std::sqrt(last.vz),
                              .a_norm = last.a_norm,
                              .a_scale = a_scale_,
                              .r_scale = r_scale};
    space_.upload(s_, &start, sizeof start);
    return true;
  }

  /// Stops the recurrence for a vz that isn't positive and finite. Returns false.
  static bool refuse(double vz, Monitor<Space>& monitor) {
    if (std::isfinite(vz)) {
      monitor.break_down(MinresScalars::indefinite_m, vz);
    } else {
      monitor.stop(StopReason::not_finite);
    }
    return false;
  }

  const Space& space_;
  const OperatorRef<Space, T>& a_;
  const PreconditionerRef<Space, T>& m_;
  Out<T> x_, v_, v_old_, w_, w_old_, q_, z_, z_next_;
  MinresScalars* s_;
  double a_scale_ = 0;  ///< of scale_of(); 0 before the first run
};

}  // namespace minres_loop

template <class Space, class T>
SolveResult Minres::run(const Space& space, const OperatorRef<Space, T>& given, In<T> b, Out<T> x,
                        const PreconditionerRef<Space, T>& preconditioner, const SolveOptions& options) {
  using namespace minres_loop;
  require_fixed<Minres>(preconditioner);
  Workspace<Space> workspace(space);
  const ScaledSystem<Space, T> system(name, space, given, b, x, preconditioner, workspace);
  Recurrence<Space, T> method(system, x, workspace);
  const auto recurrence = [&](Out<T> r, Slot<T>, double norm, Monitor<Space>& monitor) {
    method.run(r, norm, monitor);
  };
  return solve_with_restarts<Minres>(system, x, options, workspace, recurrence);
}

}  // namespace ostinato
