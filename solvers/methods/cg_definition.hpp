// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/solvers/methods/cg.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include <ostinato/solvers/methods/cg_steps.hpp>
#include <ostinato/solvers/recurrence/restarts.hpp>
#include <ostinato/spmv/space/graph_capture.hpp>

namespace ostinato {

// How the methods write their loops. Scalars (pq, rz) are slots in the memory of the space: one step writes a slot, the
// next step reads the slot, and the host doesn't wait. The comment beside a step is its formula. The step that computes
// the residual norm records the norm in `state`. The state stops the recurrence by itself: later steps change nothing.
// GraphCapture may replay a block of iterations from a CUDA graph, so at the end of a block every scalar has to be in
// the slot where it was at the start. With a preconditioner scalars stay in their slots; without one, blocks are
// multiples of Cg::period. Slots that an iteration swaps are passed along, to be put back when a capture has failed.

namespace cg_loop {

template <class Space, class T>
bool is_negative(const OperatorRef<Space, T>& a) {
  return a.facts() != nullptr && a.facts()->negative_diagonal;
}

/// The recurrence of CG for an A in T, with r, p, q and z in V: T or float.
template <class Space, class T, class V>
class Recurrence {
 public:
  Recurrence(const ScaledSystem<Space, T>& system, Out<T> x, Workspace<Space>& workspace)
      : space_(system.space()),
        a_(system.a()),
        m_(system.m()),
        low_a_(a_.lower()),
        low_m_(m_.lower()),
        inverse_(inverse_diagonal()),
        is_scaled_(is_everywhere(inverse_ != nullptr, x.size())),
        x_(x),
        p_(workspace.template allocate<V>(x.size())),
        q_(workspace.template allocate<V>(x.size())),
        z_(m_.is_identity() || is_scaled_ ? Out<V>{} : workspace.template allocate<V>(x.size())),
        pq_(workspace.emplace(sum_t<V>{})),
        rz_(workspace.emplace(sum_t<V>{})),
        rz_before_(workspace.emplace(sum_t<V>{})),
        sums_{workspace.emplace(Sums<2, sum_t<V>>{})->v, workspace.emplace(Sums<2, sum_t<V>>{})->v},
        zq_(m_.varies() ? workspace.emplace(sum_t<V>{}) : nullptr) {}

  /// Runs from a residual r of this norm to the goal of the monitor, within `range` (Monitor::start). The host can end
  /// the recurrence before an application of M that nobody needs, since M comes first in an iteration. x is updated
  /// together with p, and so one iteration late.
  void run(Out<V> r, Slot<V> rr, double norm, const NormRange& range, Monitor<Space>& monitor) {
    if constexpr (Real<V>) {
      if (is_scaled_) return run_scaled(r, norm, range, monitor);
    }
    ConvergenceState* state = monitor.start(norm, range, !m_.varies());
    const Out<V> z = m_.is_identity() ? r : z_;
    const double sign_a = is_negative(a_) ? -1 : 1, sign_m = sign_a < 0 ? sign_of_m(r, z) : 1;
    if (m_.is_identity()) dot<V>(space_, r, r, rz_);
    if (zq_ != nullptr) space_.zero(q_.data(), q_.size_bytes());
    GraphCapture<Space>& run_block = blocks({r.data(), rr, sign_m, monitor.every()}, m_.is_identity() ? Cg::period : 1);
    const auto iterate = [&] {
      if (!m_.is_identity()) {
        precondition(r, z, rz_);                         // z = M^-1 r;  rz = r . z
        if (zq_ != nullptr) dot<V>(space_, z, q_, zq_);  // M varies:  zq = z . q
      }
      // x += alpha p of the iteration before;  p = z + beta p, where beta = rz / rz_before, or -zq / pq where M varies
      update_x_p<T, V>(space_, rz_before_, pq_, rz_, zq_, z, x_, p_, state);
      multiply(p_, q_);  // q = A p;  pq = p . q
      if (m_.is_identity()) {
        // alpha = rz / pq;  r -= alpha q;  rz = r . r
        update_r<V>(space_, rz_, pq_, q_, r, rz_before_, state, sign_a, sign_m);
        std::swap(rz_, rz_before_);
      } else {
        // alpha = rz / pq;  r -= alpha q;  rr = r . r;  rz_before = rz
        update_r<V>(space_, rz_, pq_, q_, r, rr, state, sign_a, sign_m, rz_before_);
      }
    };
    while (monitor.next()) run_block({a_.revision(), m_.revision()}, iterate, rz_, rz_before_);
    update_x<T, V>(space_, rz_before_, pq_, p_, x_, state);  // x += alpha p of the last iteration
    monitor.finish();
  }

 private:
  static constexpr bool is_mixed = !std::is_same_v<T, V>;

  /// The same with a diagonal M: z isn't stored, and r . z goes with r . r.
  void run_scaled(Out<V> r, double norm, const NormRange& range, Monitor<Space>& monitor) {
    ConvergenceState* state = monitor.start(norm, range, true);
    auto [now, next] = sums_;  // r . r and rz: of this iteration, and of the next one or the one before
    scaled_square<V>(space_, inverse_, r, now + 1);
    const double sign_a = is_negative(a_) ? -1 : 1,
                 sign_m = sign_a < 0 && real_part(read_scalar(space_, now + 1)) < 0 ? -1 : 1;
    GraphCapture<Space>& run_block = blocks({r.data(), nullptr, sign_m, monitor.every()}, Cg::period);
    const auto iterate = [&, &now = now, &next = next] {
      // x += alpha p of the iteration before;  p = M^-1 r + beta p
      update_x_p<T, V>(space_, next + 1, pq_, now + 1, nullptr, r, x_, p_, state, inverse_);
      multiply(p_, q_);  // q = A p;  pq = p . q
      // alpha = rz / pq;  r -= alpha q;  rr = r . r;  rz = r . M^-1 r
      update_r_and_rz<V>(space_, now + 1, pq_, q_, inverse_, r, next, state, sign_a, sign_m);
      std::swap(now, next);
    };
    while (monitor.next()) run_block({a_.revision(), m_.revision()}, iterate, now, next);
    update_x<T, V>(space_, next + 1, pq_, p_, x_, state);  // x += alpha p of the last iteration
    monitor.finish();
  }

  /// What the steps of a run have as arguments that may differ from those of the run before.
  struct Arguments {
    const V* r = nullptr;
    Slot<V> rr = nullptr;
    double sign_m = 0;
    int every = 0;
    bool operator==(const Arguments&) const = default;
  };
  /// The blocks of a run: those of the run before, with their graph, unless the arguments differ.
  GraphCapture<Space>& blocks(const Arguments& arguments, int period) {
    if (!blocks_ || arguments_ != arguments)
      blocks_.emplace(space_, arguments.every, period, a_.capturable() && m_.capturable());
    arguments_ = arguments;
    return *blocks_;
  }

  /// Whether it is so on all ranks that have rows.
  bool is_everywhere(bool here, std::size_t rows) const {
    return holds_for_all(space_, here || rows == 0) && !holds_for_all(space_, !here);
  }
  const V* inverse_diagonal() const {
    if (!Real<V> || m_.varies()) return nullptr;
    if constexpr (is_mixed) {
      return low_m_->inverse_diagonal();
    } else {
      return m_.inverse_diagonal();
    }
  }

  /// Of a definite M.
  double sign_of_m(In<V> r, Out<V> z) {
    precondition(r, z, rz_);
    return real_part(read_scalar(space_, rz_)) < 0 ? -1 : 1;
  }

  void precondition(In<V> r, Out<V> z, Slot<V> slot) const {
    if constexpr (is_mixed) {
      low_m_->apply_dot(r, z, slot);
    } else {
      m_.apply_dot(space_, r, z, slot);
    }
  }
  void multiply(In<V> p, Out<V> q) const {
    if constexpr (is_mixed) {
      low_a_->apply_dot(p, q, p, pq_);
    } else {
      a_.apply_dot(space_, p, q, p, pq_);
    }
  }

  const Space& space_;
  const OperatorRef<Space, T>& a_;
  const PreconditionerRef<Space, T>& m_;
  const LinearMap<Space, float>* low_a_;  ///< A and M for vectors in float
  const PreconditionerBase<Space, float>* low_m_;
  const V* inverse_;  ///< the elements of a diagonal M^-1; null otherwise
  bool is_scaled_;    ///< M^-1 is diagonal
  Out<T> x_;
  Out<V> p_, q_, z_;
  Slot<V> pq_, rz_, rz_before_;
  std::pair<Slot<V>, Slot<V>> sums_;  ///< two of each
  Slot<V> zq_;
  Arguments arguments_;
  std::optional<GraphCapture<Space>> blocks_;
};

/// The recurrence with vectors in float, where A and M take them, for as long as it brings x nearer.
template <class Space>
class MixedRecurrence {
 public:
  MixedRecurrence(const ScaledSystem<Space, double>& system, Out<double> x, Workspace<Space>& workspace)
      : space_(system.space()), r_(workspace.template allocate<float>(x.size())), recurrence_(system, x, workspace) {}

  /// Runs from r, whose norm was computed in double. Returns false, and does nothing, once that norm has shown that
  /// float isn't enough. A breakdown or growth after which no x was nearer isn't a matter of digits: it ends the
  /// solve as it would in double.
  bool run(In<double> r, Slot<double> rr, double norm, Monitor<Space>& monitor) {
    constexpr double gain = 0.1;    // a recurrence in float that works gains far more
    constexpr double growth = 100;  // and can't reach its goal from a larger residual
    if (gave_up_) return false;
    if (has_ended() && !(norm < before_)) {
      monitor.stop(ending_);
      return true;
    }
    if (has_failed() || !(norm <= gain * before_)) {
      gave_up_ = true;
      return false;
    }
    before_ = norm;
    round_to_float(space_, r, r_);
    recurrence_.run(r_, rr, norm, {least_for(norm, monitor.goal()), growth * norm}, monitor);
    ending_ = monitor.reason();
    if (has_failed() || ending_ == StopReason::goal) monitor.stop(StopReason::precision);
    return true;
  }

  /// What a user is told of it: empty where nothing ran.
  std::string note() const {
    if (before_ == HUGE_VAL) return {};
    const std::string in_float = "cg kept r, p, q and z in single precision, x in double";
    return gave_up_ ? in_float + ", and then went on in double precision" : in_float;
  }

 private:
  bool has_ended() const { return ending_ == StopReason::breakdown || ending_ == StopReason::growth; }
  bool has_failed() const {
    return has_ended() || ending_ == StopReason::not_finite || ending_ == StopReason::precision;
  }

  /// The norm to which a recurrence in float goes: shares the way to the goal, which may be 0, into equal parts, each
  /// of which leaves float some digits. 0 for the last part.
  static double least_for(double norm, double goal) {
    constexpr double most = 1e5, farthest = 1e-100;
    const double fall = std::max(goal / norm, farthest);
    const double parts = std::ceil(-std::log(fall) / std::log(most));
    return parts > 1 ? norm * std::pow(fall, 1 / parts) : 0;
  }

  const Space& space_;
  Out<float> r_;
  Recurrence<Space, double, float> recurrence_;
  double before_ = HUGE_VAL;
  StopReason ending_ = StopReason::none;  ///< of the latest recurrence in float
  bool gave_up_ = false;
};

/// Whether the vectors are to be in float. For small systems launches and waits count more than bytes, and each
/// recomputed residual costs some (H200, 2026-11).
template <class Space, class T>
bool is_mixed(const OperatorRef<Space, T>& a, const PreconditionerRef<Space, T>& m, MixedPrecision asked) {
  constexpr std::size_t large = std::size_t{1} << 20;
  if (asked == MixedPrecision::off || m.varies() || a.lower() == nullptr || m.lower() == nullptr) return false;
  const Facts* const facts = a.facts();  // of the whole matrix, the same on all ranks
  const std::size_t rows = facts == nullptr ? a.rows() : static_cast<std::size_t>(facts->rows);
  return asked == MixedPrecision::on || rows >= large;
}

/// A note on MixedPrecision::on where is_mixed() says no.
template <class Space, class T>
std::string without_effect(const ScaledSystem<Space, T>& system) {
  if (std::is_same_v<T, float>) return "mixed = on had no effect: the system is in single precision";
  const std::string m = system.m().is_identity() ? "" : " with " + system.m().name();
  return "mixed = on had no effect" + m +
         ": A or M doesn't take vectors in float, or their elements are too large or " + "too small for it";
}

}  // namespace cg_loop

template <class Space, class T>
SolveResult Cg::run(const Space& space, const OperatorRef<Space, T>& given, In<T> b, Out<T> x,
                    const PreconditionerRef<Space, T>& preconditioner, const SolveOptions& options) {
  using namespace cg_loop;
  Workspace<Space> workspace(space);
  const ScaledSystem<Space, T> system(name, space, given, b, x, preconditioner, workspace);
  std::optional<Recurrence<Space, T, T>> full;
  std::optional<MixedRecurrence<Space>> mixed;
  if constexpr (std::is_same_v<T, double>) {
    if (is_mixed(system.a(), system.m(), options.mixed)) mixed.emplace(system, x, workspace);
  }
  if (!mixed) full.emplace(system, x, workspace);
  const auto recurrence = [&](Out<T> r, Slot<T> rr, double norm, Monitor<Space>& monitor) {
    if constexpr (std::is_same_v<T, double>) {
      if (mixed && mixed->run(r, rr, norm, monitor)) return;
    }
    if (!full) full.emplace(system, x, workspace);
    full->run(r, rr, norm, {}, monitor);
  };
  SolveResult result = solve_with_restarts<Cg>(system, x, options, workspace, recurrence);
  if (is_negative(system.a())) result.notes.emplace_back("the diagonal of A is negative: cg solved -A x = -b");
  if (mixed) {
    if (std::string note = mixed->note(); !note.empty()) result.notes.push_back(std::move(note));
  } else if (options.mixed == MixedPrecision::on) {
    result.notes.push_back(without_effect(system));
  }
  return result;
}

}  // namespace ostinato
