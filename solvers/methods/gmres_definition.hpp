// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/solvers/methods/gmres.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
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

namespace ostinato {

namespace gmres_loop {

inline constexpr int singular_a = 1,
                     singular_product = 2;  // ConvergenceState::cause, without and with a preconditioner

/// The Krylov basis of one GMRES solve and the coefficients of its orthogonalisation, in the memory of the space.
template <class Space, class T>
class Arnoldi {
 public:
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
        h_(workspace.template allocate<T>((width(columns) + 2) * width(columns))),
        again_(workspace.template allocate<T>(width(columns) + 1)),
        ww_(workspace.emplace(sum_t<T>{})) {
    if (!m_.is_identity() && !flexible_) z_.push_back(workspace.template allocate<T>(n_));
    grow();
  }

  int size() const { return size_; }
  bool is_cut_short() const { return is_cut_short_; }  ///< by the memory that there is
  Out<T> basis(int j) const { return vector(v_, j); }

  /// Makes room for the result of step j. False when there is no memory for that: size() is then j.
  bool make_room(int j) {
    if (width(j + 1) < v_.size() * block_) return true;
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
  void begin(In<T> r, double norm) const { scale<T>(space_, static_cast<T>(1 / norm), r, basis(0)); }

  /// Computes column j: w = A M^-1 v(j), orthogonalised twice against v(0) .. v(j) and normalised, becomes v(j + 1).
  void step(int j) const {
    const Out<T> w = basis(j + 1);
    if (m_.is_identity()) {
      a_.apply(basis(j), w);  // w = A v(j)
    } else {
      m_.apply(basis(j), preconditioned(j));  // z = M^-1 v(j)
      a_.apply(preconditioned(j), w);         // w = A z
    }
    orthogonalise(j + 1, w, column(j));                      // h = V^T w;  w -= V h
    orthogonalise(j + 1, w, again_.data());                  // again = V^T w;  w -= V again
    accumulate<T>(space_, j + 1, again_.data(), column(j));  // h += again
    dot<T>(space_, w, w, ww_);
    normalise<T>(space_, ww_, w, column(j) + j + 1);  // h(j + 1) = |w|;  v(j + 1) = w / |w|
  }

  /// Copies Hessenberg columns least_squares.columns() .. end - 1 to the host and adds them to the least squares
  /// problem, until the recurrence stops. Waits for the copy.
  void absorb(int end, HessenbergOf<sum_t<T>>& least_squares, ConvergenceState& state) const {
    const int first = least_squares.columns();
    std::vector<T> host(width(end - first) * stride_);
    space_.download(host.data(), column(first), host.size() * sizeof(T));
    for (int j = first; j < end && state.running(); ++j) {
      const T* from = host.data() + width(j - first) * stride_;
      const double norm = least_squares.absorb(std::vector<sum_t<T>>(from, from + j + 2),
                                               4 * std::numeric_limits<real_t<T>>::epsilon());
      state.record(norm * norm);
      if (state.state == ConvergenceState::not_a_number || least_squares.singular()) {
        if (least_squares.singular()) state.break_down(m_.is_identity() ? singular_a : singular_product, 0);
        least_squares.drop();
      }
    }
  }

  /// x += M^-1 V y
  void correct(const HessenbergOf<sum_t<T>>& least_squares, Out<T> x) const {
    const std::vector<sum_t<T>> y = least_squares.solve();
    if (y.empty()) return;
    const std::vector<T> rounded(y.begin(), y.end());
    space_.upload(again_.data(), rounded.data(), rounded.size() * sizeof(T));
    const int columns = least_squares.columns();
    if (m_.is_identity()) {
      add(columns, v_, x);
    } else if (flexible_) {
      add(columns, z_, x);
    } else {
      const Out<T> t = basis(columns);  // free for use: the sum below ends before it
      space_.zero(t.data(), t.size_bytes());
      add(columns, v_, t);
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
  T* column(int j) const { return h_.data() + width(j) * stride_; }

  /// Allocates a further block, as far as there may be vectors.
  void grow() {
    const std::size_t before = v_.size() * block_, columns = width(size_);
    if (flexible_) z_.push_back(workspace_.template allocate<T>(n_ * (std::min(before + block_, columns) - before)));
    v_.push_back(workspace_.template allocate<T>(n_ * (std::min(before + block_, columns + 1) - before)));
    // absorb() downloads whole columns, with the elements below their last.
    const Out<T> h = h_.subspan(before * stride_, (std::min(before + block_, columns) - before) * stride_);
    space_.zero(h.data(), h.size_bytes());
  }

  /// Calls f(columns, vectors, first) for the blocks that the first `columns` vectors are in.
  template <class F>
  void for_blocks(int columns, const Blocks& blocks, F f) const {
    for (std::size_t first = 0; first < width(columns); first += block_)
      f(static_cast<int>(std::min(block_, width(columns) - first)), blocks[first / block_].data(), first);
  }

  /// h = V^T w;  w -= V h
  void orthogonalise(int columns, Out<T> w, T* h) const {
    for_blocks(columns, v_, [&](int k, const T* v, std::size_t first) { project<T>(space_, k, v, w, h + first); });
    for_blocks(columns, v_, [&](int k, const T* v, std::size_t first) { subtract<T>(space_, k, v, h + first, w); });
  }

  /// x += V y, with y in again_
  void add(int columns, const Blocks& blocks, Out<T> x) const {
    for_blocks(columns, blocks,
               [&](int k, const T* v, std::size_t first) { combine<T>(space_, k, v, again_.data() + first, x); });
  }

  Space space_;
  const OperatorRef<Space, T>& a_;
  const PreconditionerRef<Space, T>& m_;
  Workspace<Space>& workspace_;
  std::size_t n_;
  int size_;                               ///< largest number of columns
  std::size_t block_;                      ///< vectors that are allocated together
  std::size_t stride_ = width(size_) + 2;  ///< of the Hessenberg columns
  bool flexible_;                          ///< keeps z = M^-1 v of each column (FGMRES)
  bool is_cut_short_ = false;
  Blocks v_;      ///< the basis, a vector more than columns
  Blocks z_;      ///< one vector, or one for each column when flexible
  Out<T> h_;      ///< Hessenberg columns
  Out<T> again_;  ///< coefficients of the second orthogonalisation
  Slot<T> ww_;
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
  while (monitor.reason() == StopReason::none) {
    krylov.step(j++);
    const bool full = j == krylov.size() || !krylov.make_room(j) ||
                      monitor.iterations() + j - least_squares.columns() >= options.max_iterations;
    if (!full && j != checkpoint && j % monitor.every() != 0) continue;
    krylov.absorb(j, least_squares, state);
    monitor.update(state);
    if (monitor.reason() != StopReason::none) break;
    if (full || (j == checkpoint && costs_little(norm, least_squares.residual(), monitor.goal())))
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
  const std::size_t limit = memory_left(options.mem_limit, m.bytes());
  const bool flexible =
      options.flexible || m.varies() || is_worth_twice_the_basis<T>(space, m, options, a.rows(), limit);
  const std::size_t column = sizeof(T) * (flexible && !m.is_identity() ? 2 : 1);
  const int size = krylov_vectors(a.rows(), column, options.restart, basis_memory(limit));
  if (options.restart != automatic_restart)
    require_room(space, static_cast<double>(column * a.rows()) * size, bytes_of_coefficients<T>(size), limit,
                 "gmres: a basis of " + std::to_string(size) + " vectors", "--restart");
  const int usable = std::min(size, std::max(1, options.max_iterations));
  const int block = options.restart == automatic_restart ? std::min(usable + 1, block_vectors) : usable + 1;
  Arnoldi<Space, T> krylov(space, a, m, usable, block, flexible, workspace);

  const auto recurrence = [&](Out<T> r, Slot<T>, double norm, Monitor<Space>& monitor) {
    run_cycle<T>(krylov, r, norm, options, x, monitor);
  };
  SolveResult result = solve_with_restarts<Gmres>(system, x, options, workspace, recurrence);
  if (options.restart == automatic_restart && limit > 0 &&
      static_cast<std::size_t>(size) < std::min<std::size_t>(first_checkpoint, a.rows()))
    result.notes.push_back("gmres kept " + std::to_string(size) + " vectors: the limit of memory leaves " +
                           bytes_text(static_cast<double>(limit)));
  if (krylov.is_cut_short())
    result.notes.push_back("gmres kept " + std::to_string(krylov.size()) + " vectors: not enough memory for more");
  return result;
}

}  // namespace ostinato
