// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <ostinato/preconditioners/contract/condition.hpp>
#include <ostinato/solvers/cause.hpp>
#include <ostinato/spmv/base/stop.hpp>

namespace ostinato {

/// How a solve ended. `converged` is reported only after b - A x was recomputed for the x that is returned, in such a
/// way that rounding can't hide a residual: with twice the digits, or with the rounding counted against it.
enum class Status {
  converged,        ///< ||b - A x|| <= max(rtol ||b||, atol)
  iteration_limit,  ///< max_iterations were done
  time_limit,       ///< time_limit seconds were spent
  breakdown,        ///< the method can't go on: A isn't positive definite (CG), a division by zero
  stagnated,        ///< the recomputed residual no longer falls
  diverged,         ///< the residual grew past divergence_limit times its start
  not_finite,       ///< NaN or infinity in A, b or the iteration, or a solution out of range; x is finite if x0 was
  interrupted,      ///< the callback returned false, or a stop was requested; x holds the iterate so far
  /// No x solves the system, and x makes ||b - A x|| smallest. LSMR: each column of A is at right angles to r = b - A x
  /// within rtol. Of a square A: r is in the null space of A^T, so that r / ||b|| is what b has outside of the range of
  /// A.
  least_squares,
};

/// "matrix", "scaled", "preconditioned": the names of the JSON report.
std::string_view to_string(Condition::Of of);
/// "converged", "iteration_limit", ...: the names of the JSON report.
std::string_view to_string(Status status);
/// "converged", "iteration limit", ...: the same for people.
std::string in_words(Status status);

class RecycledSpace;
struct Tridiagonal;

/// The progress of a solve, passed to the callback.
struct Iteration {
  int number = 0;                ///< finished iterations
  double relative_residual = 0;  ///< residual norm of the recurrence over ||b||
  double seconds = 0;            ///< since the solve began

  /// Of CG: the tridiagonal matrix of the Lanczos process of M^-1 A that CG is. Its eigenvalues (Ritz values, of
  /// eigenvalue()) lie between the smallest and the largest of M^-1 A and come near to these, so that their ratio is an
  /// estimate of the condition number from below. Of -M^-1 A where A or M is negative definite, and of a power of 2
  /// times A where the entries of A are very large or very small. In the order of the iterations since CG began or
  /// restarted, 256 at most. Null with other methods, and with an M that varies. Valid during the call.
  const Tridiagonal* lanczos = nullptr;
};

/// A value of SolveOptions::restart: GMRES restarts where that costs little, or where memory ends
/// (solvers/methods/gmres.hpp).
inline constexpr int automatic_restart = 0;
inline constexpr int automatic_recycle = 0;    ///< a value of SolveOptions::recycle: a fifth of restart
inline constexpr int most_shadow_vectors = 6;  ///< for SolveOptions::shadow

/// How far "auto" goes to solve a system that is hard for the preconditioner that it takes first.
enum class Effort {
  quick,     ///< that preconditioner only
  normal,    ///< then incomplete factors, then complete ones of at most 100 times the entries of A
  thorough,  ///< then complete ones, as memory allows
};

/// Whether CG keeps vectors in single precision (SolveOptions::mixed): r, p, q and z in float; x, A and the sums of A p
/// in double. b - A x is recomputed in double after every five digits at most, so that x becomes as accurate as
/// without. With an M that is strong, that takes as many iterations or one more; where M is weak or A nearly singular,
/// a tenth more as a rule and up to twice as many. For an M that works in float, which is structured multigrid, on an A
/// in dia, brcsd-i or brcsd-ii or from a stencil.
enum class MixedPrecision {
  automatic,  ///< on for systems in double of a million rows and more whose A and M take that
  off,
  on,
};

/// The options that not all methods have, and those of solve() alone.
struct OwnOptions {
  bool restart = false, recycle = false, recycled = false, flexible = false, shadow = false, mixed = false;
  bool strategy = false;  ///< effort, prepare, symmetric
};

namespace detail {

/// In the place of an option that a method doesn't have. Nothing but {} makes one, so that setting it doesn't compile.
struct Absent {};

template <bool has, class Value>
using OwnOption = std::conditional_t<has, Value, Absent>;

/// What an option is as a rule, where there is that option.
template <bool has, class Value>
constexpr OwnOption<has, Value> usually(Value value) {
  if constexpr (has) {
    return value;
  } else {
    return {};
  }
}

}  // namespace detail

/// The options of a method, Gmres::Options, or of solve(), SolveOptions, which has all of them.
template <OwnOptions has>
struct OptionsWith {
  static constexpr OwnOptions own = has;

  double rtol = 1e-8;          ///< relative to ||b||
  double atol = 0;             ///< absolute, for ||b - A x||; the looser of rtol and atol holds
  int max_iterations = 10000;  ///< over all restarts
  double time_limit = 0;       ///< seconds, looked at where the callback is called; 0: none
  /// Bytes at most, of preconditioners that are there or that solve() makes and of the basis of GMRES or GCRO-DR
  /// together; 0: none.
  std::size_t mem_limit = 0;
  double divergence_limit = 1e10;  ///< a multiple of the larger of ||b|| and the first residual norm; 0: none
  /// GMRES and GCRO-DR: dimension of the space that is searched before a restart.
  detail::OwnOption<has.restart, int> restart = detail::usually<has.restart>(automatic_restart);
  /// GCRO-DR: directions of it that are kept.
  detail::OwnOption<has.recycle, int> recycle = detail::usually<has.recycle>(automatic_recycle);
  /// GCRO-DR: where directions are kept for later solves (solvers/methods/gcrodr.hpp).
  detail::OwnOption<has.recycled, RecycledSpace*> recycled = {};
  /// GMRES: keep the preconditioned basis (FGMRES), for preconditioners that vary.
  detail::OwnOption<has.flexible, bool> flexible = {};
  /// IDR(s): s, the number of shadow vectors, 1 to 6.
  detail::OwnOption<has.shadow, int> shadow = detail::usually<has.shadow>(4);
  int check_every = 0;  ///< iterations between two checks of the residual, at most 64, on a GPU too; 0: chosen by cost.
                        ///< The result doesn't depend on check_every: the iteration freezes where it converged.
  /// CG: keep vectors in single precision.
  detail::OwnOption<has.mixed, MixedPrecision> mixed = detail::usually<has.mixed>(MixedPrecision::automatic);
  /// solve() with a preconditioner that "auto" has chosen: how far to go.
  detail::OwnOption<has.strategy, Effort> effort = detail::usually<has.strategy>(Effort::normal);
  /// solve() without a preconditioner: prepare the system first (strategy/solve.hpp).
  detail::OwnOption<has.strategy, bool> prepare = detail::usually<has.strategy>(true);
  /// As prepare: A is symmetric, whatever its last digits say, and its symmetric part is solved with.
  detail::OwnOption<has.strategy, bool> symmetric = {};
  bool history = true;        ///< keep the residual of each iteration
  int iterations_before = 0;  ///< that other runs have done for this solve: SolveResult::reason counts them, too
  /// Called at each check, on the calling thread. Returning false interrupts the solve. The callback may throw: that
  /// interrupts the solve, too, and the solver throws the exception on once x holds the iterate so far. While solve()
  /// makes a stronger preconditioner, the callback is called every quarter of a second, with the number of the last
  /// iteration.
  std::function<bool(const Iteration&)> callback = {};
  /// Looked at where the callback is called, and more often while a preconditioner is made. Once a stop is requested,
  /// from any thread, the solve ends as interrupted, and x holds the iterate so far.
  StopRequest stop = {};
};

/// All options: those of solve(), which tells each method its own. A method takes them, too, and its own of them.
using SolveOptions = OptionsWith<OwnOptions{.restart = true,
                                            .recycle = true,
                                            .recycled = true,
                                            .flexible = true,
                                            .shadow = true,
                                            .mixed = true,
                                            .strategy = true}>;

/// The options of a method among all options, of which the others are the default.
template <OwnOptions has>
SolveOptions among_all(const OptionsWith<has>& o) {
  SolveOptions all;
  all.rtol = o.rtol;
  all.atol = o.atol;
  all.max_iterations = o.max_iterations;
  all.time_limit = o.time_limit;
  all.mem_limit = o.mem_limit;
  all.divergence_limit = o.divergence_limit;
  if constexpr (has.restart) all.restart = o.restart;
  if constexpr (has.recycle) all.recycle = o.recycle;
  if constexpr (has.recycled) all.recycled = o.recycled;
  if constexpr (has.flexible) all.flexible = o.flexible;
  if constexpr (has.shadow) all.shadow = o.shadow;
  all.check_every = o.check_every;
  if constexpr (has.mixed) all.mixed = o.mixed;
  all.history = o.history;
  all.iterations_before = o.iterations_before;
  all.callback = o.callback;
  all.stop = o.stop;
  return all;
}

/// Throws    ArgumentError that names the first option that can't be: one that is NaN or negative, or a shadow outside
///           of 1 .. 6. A larger check_every than 64 means 64.
void require_valid(const SolveOptions& options);

/// Names options that the caller has changed and that the method takes no notice of: "shadow = 9 is for idr". Empty
/// when there are none. For "auto", options of methods that auto may choose count as used.
std::string unused_options(const SolveOptions& options, std::string_view solver);

/// A part of a solve: a method with a preconditioner. Its x may have been given up for one from before.
struct Stage {
  std::string method, preconditioner;  ///< "none" without one
  int iterations = 0;
  double seconds = 0;            ///< of the iterations
  double setup_seconds = 0;      ///< before them, to make the preconditioner, where the solve itself made it
  double before = 0, after = 0;  ///< relative residuals where it began and ended, recomputed
  std::size_t preconditioner_bytes = 0;

  std::string text() const { return method + " with " + preconditioner; }
  /// The same without the preconditioner, where another stage has that one, too.
  std::string text_beside(const Stage& other) const { return other.preconditioner == preconditioner ? method : text(); }
  double rate() const;  ///< by which an iteration multiplied the residual on average; NaN without iterations
};

struct SolveResult {
  Status status = Status::converged;
  /// Why the solve ended so, in a sentence: "p . A p = -3.1 at iteration 0: A isn't positive definite", "b holds NaN in
  /// row 5 (counted from 0)". Empty after convergence, unless there is something to say of the solution.
  std::string reason;
  Cause cause = Cause::none;  ///< the same as data
  int iterations = 0;
  double residual = 0;           ///< ||b - A x||, recomputed
  double relative_residual = 0;  ///< residual over ||b||; equal to residual when b = 0
  /// ||b - A x|| / (||A||_inf ||x|| + ||b||): how far the system that x solves is from the given one, in norm. Some
  /// 1e-16 (1e-8 in single precision) is as good as it gets. NaN for an operator without facts().
  double backward_error = std::numeric_limits<double>::quiet_NaN();
  /// The largest |b - A x| of an equation beside the absolute values of its own terms, (|A| |x| + |b|): the row-wise
  /// (componentwise) backward error. NaN where the entries of A aren't at hand. Of solve() without a preconditioner.
  double row_error = std::numeric_limits<double>::quiet_NaN();
  /// The same beside the size of its row, ||a(i)||_1 ||x||_inf + |b(i)|: the backward error of A with rows of one size.
  double scaled_error = std::numeric_limits<double>::quiet_NaN();
  /// Equations that aren't solved, although the residual as a whole is small (RowErrors::unsolved).
  std::int64_t unsolved_rows = 0;
  /// The residual is above the tolerance, at most a hundredth of ||b|| and within ten times the estimated rounding of
  /// b - A x. A looser tolerance or a higher precision helps; another method may come a little closer.
  bool at_precision_limit = false;
  /// Of not_finite: A, b or the guess holds NaN, infinity, or numbers whose products leave the range; `reason` says
  /// where. False where the numbers left the range by the preconditioner or the method.
  bool bad_input = false;
  std::vector<double> history;  ///< relative residuals of the recurrence: [0] at the start, [k] after iteration k
  double seconds = 0;
  double setup_seconds = 0;              ///< of `seconds`: for preconditioners that were made on the way
  std::size_t preconditioner_bytes = 0;  ///< of the one that ended the solve
  bool is_direct = false;                ///< complete factors ended the solve
  std::int64_t null_pivots = 0;          ///< of complete factors: pivots that were 0 but for rounding; A is singular
  std::size_t workspace_bytes = 0;       ///< memory allocated by the solver, without x, b, A and the preconditioner
  std::string solver;                    ///< the method that ended the solve
  std::string preconditioner = {};       ///< with which it did, by name(); "none" without one
  std::vector<std::string> notes;        ///< messages for the user: choices, restarts, fallbacks
  std::vector<Stage> stages = {};        ///< methods and preconditioners one after the other
  Condition condition = {};              ///< where it is known
  bool is_singular = false;              ///< A is singular to working precision, as solve() found out: x is one of many
  /// A limit of time or a stop request ended the set-up, and nothing was solved: x is the guess, solver and
  /// preconditioner are what was asked for, and the residual is NaN where it isn't known.
  bool set_up_stopped = false;

  /// Of LSMR: the largest |a_j . r| / (||a_j|| ||r||) over the columns a_j of A that aren't 0, for r = b - A x,
  /// recomputed; 0 when r = 0. NaN for other methods.
  double gradient = std::numeric_limits<double>::quiet_NaN();

  void take(Reason other) {
    cause = other.cause;
    reason = std::move(other.text);
  }
  void note_once(std::string note);  ///< adds to the notes what isn't there
  /// Whether the system or, by LSMR, the least squares problem was solved.
  explicit operator bool() const { return status == Status::converged || status == Status::least_squares; }
  /// An estimate of ||x - A^-1 b|| / ||x||: the condition times the backward error; with the condition of M^-1 A the
  /// larger one of A with rows of one size (scaled_error), and at least the relative residual. Mostly too large; too
  /// small where unknowns are of very different size, or the right-hand side and the guess hide the slowest part of the
  /// error. NaN where no condition of A or M^-1 A is known, A is singular, or x solves a least squares problem.
  double forward_error() const;
  /// One line: status, iterations, recomputed residual, forward error, reason; of a set-up that was stopped, what was
  /// made and when.
  std::string message() const;
};

}  // namespace ostinato
