// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/solvers/methods/gmres.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <span>
#include <string>
#include <vector>

#include <ostinato/preconditioners/contract/memory_budget.hpp>
#include <ostinato/solvers/methods/gmres_steps.hpp>
#include <ostinato/solvers/recurrence/require_room.hpp>
#include <ostinato/solvers/recurrence/restarts.hpp>
#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/base/units.hpp>
#include <ostinato/spmv/dense/hessenberg.hpp>
#include <ostinato/spmv/space/memory.hpp>
#include <ostinato/spmv/space/multi_vector_definition.hpp>
#include <ostinato/spmv/space/together.hpp>

namespace ostinato {

namespace gmres_loop {

inline constexpr int singular_a = 1,
                     singular_product = 2;  // ConvergenceState::cause, without and with a preconditioner

/// The Krylov basis of one GMRES solve and the coefficients of its orthogonalisation, in the memory of the space.
///
/// With one M for all steps, reorthogonalisation is delayed (DelayedStep): step j applies A M^-1 to a candidate w for
/// v(j) that has been orthogonalised once, and then knows v(j) and the candidate for v(j + 1), with its length. The
/// column of H is that of v(j), by the linearity of A M^-1. Where little is left of the image of v(j), and with an M
/// that varies, w = A M^-1 v(j) is orthogonalised twice at once.
template <class Space, class T>
class Arnoldi {
 public:
  using Value = sum_t<T>;

  /// `columns`: the most that there may be. The basis is allocated in blocks of `block` vectors, as it grows.
  Arnoldi(const Space& on, const OperatorRef<Space, T>& matrix, const PreconditionerRef<Space, T>& preconditioner,
          int columns, int block, bool keep_z, Workspace<Space>& workspace)
      : space_(on),
        a_(matrix),
        m_(preconditioner),
        workspace_(workspace),
        n_(matrix.rows()),
        size_(columns),
        block_(width(block)),
        flexible_(keep_z && !m_.is_identity()),
        records_(workspace.template allocate<T>(place(columns))),
        again_(workspace.template allocate<T>(width(columns) + 1)),
        steps_(workspace.template allocate<DelayedStep<T>>(width(columns) + 1)) {
    if (!m_.is_identity() && !flexible_) z_.push_back(workspace.template allocate<T>(n_));
    grow();
  }

  int size() const { return size_; }
  bool is_cut_short() const { return is_cut_short_; }  ///< by the memory that there is
  Out<T> basis(int j) const { return vector(v_, j); }
  const std::vector<std::vector<Value>>& hessenberg() const { return hessenberg_; }  ///< the columns absorbed so far

  /// Makes room for the result of step j. False when there is no memory for that: size() is then j.
  bool make_room(int j) {
    if (width(j + 1) < v_.size() * block_) return true;
    if (!keeps_exceptions(space_)) return grow(), true;
    try {
      grow();
      return true;
    } catch (const std::bad_alloc&) {
    } catch (const DeviceMemoryError&) {
    }
    is_cut_short_ = true;
    size_ = j;
    return false;
  }

  /// v(0) = r / |r|, of an r of this norm.
  void begin(In<T> r, double norm) {
    hessenberg_.clear();
    scale<T>(space_, static_cast<T>(1 / norm), r, basis(0));
    dot<T>(space_, basis(0), basis(0), &step_of(0)->ww);
  }

  /// Computes what column j of H follows from, and v(j + 1) or its candidate.
  void step(int j) const {
    if (flexible_) return step_at_once(j);
    apply(j);
    T *a = record(j), *b = a + j;
    project_pair<T>(space_, j, columns(v_), basis(j), basis(j + 1), a, b, step_of(j));
    orthogonalise_pair<T>(space_, j, columns(v_), a, b, basis(j), basis(j + 1), step_of(j));
  }

  /// Copies Hessenberg columns least_squares.columns() .. end - 1 to the host and adds them to the least squares
  /// problem, until the recurrence stops. Waits for the copy. Returns how many steps stand: fewer than `end` where one
  /// was done again and those behind it have to be.
  int absorb(int end, HessenbergOf<Value>& least_squares, ConvergenceState& state) {
    const int first = least_squares.columns();
    std::vector<T> host(place(end) - place(first));
    std::vector<DelayedStep<T>> steps(width(end - first) + 1);
    download(space_, {{host.data(), record(first), host.size() * sizeof(T)},
                      {steps.data(), step_of(first), steps.size() * sizeof(DelayedStep<T>)}});
    for (int j = first; j < end && state.running(); ++j) {
      T* from = host.data() + (place(j) - place(first));
      const DelayedStep<T>* step = steps.data() + width(j - first);
      const bool at_once = flexible_ || keeps_little(step[1]);
      if (at_once && !flexible_) {
        step_at_once(j);
        space_.download(from, record(j), (width(j) + 2) * sizeof(T));
      }
      hessenberg_.push_back(at_once ? std::vector<Value>(from, from + j + 2) : delayed_column(j, from, step));
      add_column(least_squares, state);
      if (at_once && !flexible_) return j + 1;
    }
    return end;
  }

  /// x += M^-1 V y
  void correct(const HessenbergOf<Value>& least_squares, Out<T> x) const {
    const std::vector<Value> y = least_squares.solve();
    if (y.empty()) return;
    const std::vector<T> rounded(y.begin(), y.end());
    space_.upload(again_.data(), rounded.data(), rounded.size() * sizeof(T));
    const int count = least_squares.columns();
    if (m_.is_identity()) {
      combine<T>(space_, count, columns(v_), again_.data(), x);
    } else if (flexible_) {
      combine<T>(space_, count, columns(z_), again_.data(), x);
    } else {
      const Out<T> t = basis(count);  // free for use: the sum below ends before it
      space_.zero(t.data(), t.size_bytes());
      combine<T>(space_, count, columns(v_), again_.data(), t);
      m_.apply(t, z_[0]);
      const T one = T{1};
      space_.upload(again_.data(), &one, sizeof one);
      combine<T>(space_, 1, z_[0].data(), again_.data(), x);
    }
  }

 private:
  using Blocks = std::vector<Out<T>>;  ///< each n x block_, by columns

  static std::size_t width(int columns) { return static_cast<std::size_t>(columns); }
  Out<T> vector(const Blocks& blocks, int j) const {
    return blocks[width(j) / block_].subspan(width(j) % block_ * n_, n_);
  }
  Out<T> preconditioned(int j) const { return flexible_ ? vector(z_, j) : z_[0]; }
  DelayedStep<T>* step_of(int j) const { return steps_.data() + j; }

  /// Where the coefficients of step j are: a and b of a delayed step, j each; of a step at once the column of H, j + 2.
  static std::size_t place(int j) { return width(j) * (width(j) + 1); }
  T* record(int j) const { return records_.data() + place(j); }

  Columns<T> columns(const Blocks& blocks) const {
    Columns<T> all;
    all.width = static_cast<int>(block_);
    for (std::size_t k = 0; k < blocks.size(); ++k) all.blocks[k] = blocks[k].data();
    return all;
  }

  /// Allocates a further block, as far as there may be vectors.
  void grow() {
    const std::size_t before = v_.size() * block_, most = width(size_);
    if (flexible_) z_.push_back(workspace_.template allocate<T>(n_ * (std::min(before + block_, most) - before)));
    v_.push_back(workspace_.template allocate<T>(n_ * (std::min(before + block_, most + 1) - before)));
  }

  /// v(j + 1) = A M^-1 v(j)
  void apply(int j) const {
    if (m_.is_identity()) return a_.apply(basis(j), basis(j + 1));
    m_.apply(basis(j), preconditioned(j));
    a_.apply(preconditioned(j), basis(j + 1));
  }

  /// Computes column j of H, and v(j + 1), as candidate of a delayed step that may follow.
  void step_at_once(int j) const {
    const Out<T> w = basis(j + 1);
    apply(j);
    Slot<T> ww = &step_of(j + 1)->ww;
    orthogonalise<T>(space_, j + 1, columns(v_), w, record(j), again_.data(), ww);
    if (!flexible_) dot<T>(space_, w, w, ww);
  }

  /// Whether a candidate is so much shorter than the image that was left of it that its rounding is a part of it.
  static bool keeps_little(const DelayedStep<T>& next) {
    constexpr double little = 1000 * double{std::numeric_limits<real_t<T>>::epsilon()};
    return real_part(next.ww) <= little * little;
  }

  /// Column j of H from a = V^T w, b = V^T u and the numbers of the step and of the next one. With w = V a + rho v(j):
  /// A M^-1 v(j) = (u - A M^-1 V a) / rho, and A M^-1 V a = [V v(j)] H a.
  std::vector<Value> delayed_column(int j, const T* a, const DelayedStep<T>* step) const {
    constexpr double rounding = 16 * double{std::numeric_limits<real_t<T>>::epsilon()};
    const T* b = a + j;
    const double rho = step[0].rho;
    std::vector<Value> h(b, b + j);
    h.push_back(step[0].qu);
    double size = 0;
    for (int i = 0; i < j; ++i) size = std::hypot(size, magnitude(a[i]));
    for (std::size_t i = 0; i < width(j) && size > rounding * rho; ++i) {
      for (std::size_t k = 0; k < i + 2; ++k) h[k] -= hessenberg_[i][k] * static_cast<Value>(a[i]);
    }
    for (Value& value : h) value /= rho;
    h.push_back(std::sqrt(step[0].uu) / rho * std::sqrt(real_part(step[1].ww)));
    return h;
  }

  /// Adds the latest column of H to the least squares problem.
  void add_column(HessenbergOf<Value>& least_squares, ConvergenceState& state) const {
    const double norm = least_squares.absorb(hessenberg_.back(), 4 * std::numeric_limits<real_t<T>>::epsilon());
    state.record(norm * norm);
    if (state.state != ConvergenceState::not_a_number && !least_squares.singular()) return;
    if (least_squares.singular()) state.break_down(m_.is_identity() ? singular_a : singular_product, 0);
    least_squares.drop();
  }

  Space space_;
  const OperatorRef<Space, T>& a_;
  const PreconditionerRef<Space, T>& m_;
  Workspace<Space>& workspace_;
  std::size_t n_;
  int size_;           ///< largest number of columns
  std::size_t block_;  ///< vectors that are allocated together
  bool flexible_;      ///< keeps z = M^-1 v of each column (FGMRES)
  bool is_cut_short_ = false;
  Blocks v_;        ///< the basis, a vector more than columns
  Blocks z_;        ///< one vector, or one for each column when flexible
  Out<T> records_;  ///< coefficients of all steps
  Out<T> again_;    ///< coefficients of the second orthogonalisation
  std::span<DelayedStep<T>> steps_;
  std::vector<std::vector<Value>> hessenberg_;  ///< on the host
};

/// Of an automatic restart.
inline constexpr int block_vectors = 32, first_checkpoint = 50;

/// Whether a restart may be had where the residual has fallen so far in this cycle: as fast, it would reach the goal in
/// few more cycles. Of 54 real matrices (2026-11, one thread, Jacobi, up to 20 s each, a busy machine) 52 converge so,
/// 48 with a restart after 50 vectors, 51 with none before the 1000th. On the 47 that converge each way the solves take
/// 0.97 and 1.34 times as long as with 50 vectors, geometric mean.
inline bool costs_little(double first, double now, double goal) {
  constexpr double few = 4;
  return std::log(now / goal) <= few * std::log(first / now);
}

/// The options, with an explicit restart that is no larger than the iterations that may follow: vectors behind those
/// wouldn't be used.
inline SolveOptions with_useful_restart(SolveOptions o) {
  if (o.restart != automatic_restart) o.restart = std::min(o.restart, std::max(1, o.max_iterations));
  return o;
}

/// The bytes of the coefficients of a basis of so many vectors.
template <class T>
double bytes_of_coefficients(double vectors) {
  return sizeof(T) * vectors * (vectors + 2);
}

/// Whether M^-1 of the basis is kept though M doesn't vary: M in float under double is linear up to 1e-7 only, so that
/// M^-1 (V y) isn't what the recurrence has seen. Of 71 solves of 20 real matrices (ilu0 and ilut, goals of 1e-8 and
/// 1e-12, 2026-11) that converge with factors in double, 10 stagnate with factors in float otherwise, and the others
/// take 1.32 times the iterations, geometric mean, up to 2.2 times; with M^-1 of the basis 2 stagnate, and the same
/// others take 1.00 times as many. Not where memory is too short for the vectors that the basis should have: a basis of
/// an explicit restart is allocated as a whole.
template <class T, class Space, class M>
bool is_worth_twice_the_basis(const Space& space, const M& m, const SolveOptions& o, std::size_t rows,
                              std::size_t limit) {
  if (is_single<T> || !m.works_in_float()) return false;
  constexpr std::size_t column = 2 * sizeof(T);
  if (o.restart != automatic_restart) {
    const double vectors = krylov_vectors(rows, column, o.restart),
                 bytes = static_cast<double>(column * rows) * vectors;
    return (limit == 0 || bytes <= static_cast<double>(limit)) &&
           is_free(space, bytes + bytes_of_coefficients<T>(vectors));
  }
  return krylov_vectors(rows, column, o.restart, basis_memory(limit)) >=
         std::min<double>(first_checkpoint, static_cast<double>(rows));
}

/// One cycle, from the residual r of x, of this norm: adds columns until the monitor ends the recurrence or a restart
/// is due, and corrects x by them.
template <class T, class Space>
void run_cycle(Arnoldi<Space, T>& krylov, In<T> r, double norm, const SolveOptions& options, Out<T> x,
               Monitor<Space>& monitor) {
  monitor.start(norm);
  ConvergenceState state = monitor.host_state();
  HessenbergOf<sum_t<T>> least_squares(norm);
  krylov.begin(r, norm);
  int j = 0, checkpoint = options.restart == automatic_restart ? first_checkpoint : 0;
  const auto is_full = [&] {
    return j == krylov.size() || !krylov.make_room(j) ||
           monitor.iterations() + j - least_squares.columns() >= options.max_iterations;
  };
  while (monitor.reason() == StopReason::none) {
    krylov.step(j++);
    if (!is_full() && j != checkpoint && j % monitor.every() != 0) continue;
    j = krylov.absorb(j, least_squares, state);
    monitor.update(state);
    if (monitor.reason() != StopReason::none) break;
    if (is_full() || (j == checkpoint && costs_little(norm, least_squares.residual(), monitor.goal())))
      monitor.stop(StopReason::restart);
    if (j == checkpoint) checkpoint *= 2;
  }
  least_squares.drop_grown(std::numeric_limits<real_t<T>>::epsilon());
  krylov.correct(least_squares, x);  // x += M^-1 V y
}

}  // namespace gmres_loop

template <class Space, class T>
SolveResult Gmres::run(const Space& space, const OperatorRef<Space, T>& given, In<T> b, Out<T> x,
                       const PreconditionerRef<Space, T>& preconditioner, const SolveOptions& asked) {
  using namespace gmres_loop;
  const SolveOptions options = with_useful_restart(asked);
  Workspace<Space> workspace(space);
  const ScaledSystem<Space, T> system(name, space, given, b, x, preconditioner, workspace);
  const OperatorRef<Space, T>& a = system.a();
  const PreconditionerRef<Space, T>& m = system.m();
  const std::size_t limit = memory_left(options.mem_limit, m.bytes()), rows = part_of(space, a.rows()).whole;
  const bool flexible = options.flexible || m.varies() ||
                        holds_for_all(space, is_worth_twice_the_basis<T>(space, m, options, rows, limit));
  const std::size_t column = sizeof(T) * (flexible && !m.is_identity() ? 2 : 1);
  const int size =
      static_cast<int>(least_of(space, krylov_vectors(rows, column, options.restart, basis_memory(limit))));
  if (options.restart != automatic_restart)
    require_room(space, static_cast<double>(column * a.rows()) * size, bytes_of_coefficients<T>(size), limit,
                 "gmres: a basis of " + std::to_string(size) + " vectors", "restart");
  const int usable = std::min(size, std::max(1, options.max_iterations));
  const int least = std::max(block_vectors, usable / Columns<T>::most_blocks + 1);
  const int block = options.restart == automatic_restart ? std::min(usable + 1, least) : usable + 1;
  Arnoldi<Space, T> krylov(space, a, m, usable, block, flexible, workspace);

  const auto recurrence = [&](Out<T> r, Slot<T>, double norm, Monitor<Space>& monitor) {
    run_cycle<T>(krylov, r, norm, options, x, monitor);
  };
  SolveResult result = solve_with_restarts<Gmres>(system, x, options, workspace, recurrence);
  if (options.restart == automatic_restart && limit > 0 &&
      static_cast<std::size_t>(size) < std::min<std::size_t>(first_checkpoint, rows))
    result.notes.push_back("gmres kept " + std::to_string(size) + " vectors: the limit of memory leaves " +
                           bytes_text(static_cast<double>(limit)));
  if (krylov.is_cut_short())
    result.notes.push_back("gmres kept " + std::to_string(krylov.size()) + " vectors: not enough memory for more");
  return result;
}

}  // namespace ostinato
