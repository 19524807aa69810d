// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <concepts>
#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include <ostinato/spmv/linear_operator.hpp>
#include <ostinato/spmv/space/index.hpp>
#include <ostinato/spmv/space/stop.hpp>

namespace ostinato {

/// True for a preconditioner that changes nothing. Solvers then use r instead of z.
template <class M>
inline constexpr bool is_identity = requires {
  typename M::is_identity;
};

/// What stronger() may make.
struct StrongerOptions {
  bool thorough = false;      ///< as much as memory allows
  bool definite = true;       ///< A may be positive definite, if it is symmetric
  double seconds = HUGE_VAL;  ///< that there are: nothing is begun that is predicted to take longer
  double left = 0;            ///< seconds that the solve is predicted to take with this one; 0: it doesn't get there
  std::size_t mem_limit = 0;  ///< bytes that this and weaker ones may keep together; 0: what is free
  StopRequest stop = {};      ///< ends what is being made, with Stopped
};

/// The interface that solvers require of a preconditioner: apply(r, z) const sets z = M^-1 r. It sets every element of
/// z and reads none of them before: z may hold anything, even NaN. r stays as it is. r and z don't overlap. On Cuda
/// apply is enqueued, and r and z are GPU memory, which isn't checked. A solver applies M on one thread at a time; M
/// says itself whether several solves may use it at once.
///
/// Optional:
///   std::size_t rows() const                    elements of r and z; a solve of another size is refused then
///   apply_dot(r, z, slot) const                 z = M^-1 r, *slot = r . z; the slot is in the memory of the space
///   mixed_dot(r, z, slot) const                 as apply_dot for vectors in float, where T is double; r is scaled so
///                                               that it fits into the range of float, and z has to fit, too
///   bool has_mixed_dot() const                  whether mixed_dot() may be called; true where there is none to ask
///   using is_capturable = void;                 as for operators (spmv/linear_operator.hpp), as are the next two
///   revision() const                            a number that changes when a captured apply is out of date
///   space() const                               the space that apply works on; solvers refuse another GPU or stream
///   std::size_t bytes() const                   memory that M keeps, which counts for SolveOptions::mem_limit
///   double seconds() const                      predicted time of an application: a solve looks at its residual more
///                                               often when an iteration is long
///   double rate() const                         by what M shrank an error on trial; 0 when it wasn't tried
///   bool equals_transpose() const               M equals its transpose; LSMR needs that
///   bool for_least_squares() const              M, and what is stronger, is of A^T A or A A^T, as LSMR needs it
///   bool is_complete() const                    M has complete factors of that: what M takes for 0 is 0
///   bool works_in_float() const                 r is scaled so that it fits into the range of float
///   const N* fallback() const                   another preconditioner, for solve() to try when this one is slow; null
///                                               when there is none
///   const N* stronger(const StrongerOptions&, std::string& why) const
///                                               a preconditioner that takes more time and memory, for solve() to go on
///                                               with when this one doesn't get there, made by the call; null when
///                                               there is none, with a reason if one couldn't be made
///   double stronger_seconds() const             predicted time to make that
///   bool varies() const                         M isn't a linear function of r, or differs from call to call: solvers
///                                               take flexible recurrences, or refuse it
///   bool symmetric() const                      M is symmetric when A is, as CG and MINRES require; true unless said
///   Index null_pivots() const                   of complete factors: pivots that were 0 but for rounding, so that A is
///                                               singular to working precision
///   std::string remarks() const                 what was made, for messages
///   std::string name() const                    for messages; a static member will do
template <class M, class T>
concept Preconditioner = is_identity<M> || requires(const M& m, std::span<const T> r, std::span<T> z) {
  m.apply(r, z);
};

namespace detail {

/// Fails to compile, with a sentence that says what M lacks.
template <class M, class T>
void explain_preconditioner() {
  if constexpr (requires { &M::operator(); }) {
    static_assert(never<M>, "M is a function: make_preconditioner(f) makes a preconditioner of it");
  } else if constexpr (requires(M & m, std::span<const T> r, std::span<T> z) { m.apply(r, z); }) {
    static_assert(never<M>, "apply() of M isn't const: void apply(std::span<const T> r, std::span<T> z) const");
  } else {
    static_assert(never<M>,
                  "M has no void apply(std::span<const T> r, std::span<T> z) const for the value_type of A, "
                  "which sets z = M^-1 r");
  }
}

}  // namespace detail

/// A reference to a preconditioner of any class. Solvers are compiled for this class only.
///
/// Requires  The preconditioner outlives the reference, and works on the space passed to the functions.
template <class Space, class T>
class PreconditionerRef {
 public:
  PreconditionerRef() = default;  ///< no preconditioner

  template <class M>
  requires(Preconditioner<M, T> && !std::same_as<M, PreconditionerRef>) PreconditionerRef(const M& m) {
    if constexpr (!ostinato::is_identity<M>) {
      object_ = &m;
      calls_ = &calls<M>;
    }
  }

  bool is_identity() const { return calls_ == nullptr || calls_->is_identity(object_); }
  /// Elements of r and z; nothing where the preconditioner doesn't say.
  std::optional<std::size_t> rows() const { return is_identity() ? std::nullopt : calls_->rows(object_); }
  bool capturable() const { return is_identity() || calls_->capturable(object_); }
  int revision() const { return is_identity() ? 0 : calls_->revision(object_); }
  /// False when the preconditioner has another space().
  bool works_on(const Space& space) const { return is_identity() || calls_->works_on(object_, space); }
  std::size_t bytes() const { return is_identity() ? 0 : calls_->bytes(object_); }
  double seconds() const { return is_identity() ? 0 : calls_->seconds(object_); }
  double rate() const { return is_identity() ? 0 : calls_->rate(object_); }
  bool equals_transpose() const { return is_identity() || calls_->equals_transpose(object_); }
  bool for_least_squares() const { return calls_ != nullptr && calls_->for_least_squares(object_); }
  bool is_complete() const { return !is_identity() && calls_->is_complete(object_); }
  bool works_in_float() const { return !is_identity() && calls_->works_in_float(object_); }

  /// What to try when this one is slow; nothing where there is nothing else.
  std::optional<PreconditionerRef> fallback() const {
    return calls_ == nullptr ? std::nullopt : calls_->fallback(object_);
  }
  /// What takes more time and memory, and may get there; nothing where there is nothing else.
  std::optional<PreconditionerRef> stronger(const StrongerOptions& options, std::string& why) const {
    return calls_ == nullptr ? std::nullopt : calls_->stronger(object_, options, why);
  }
  double stronger_seconds() const { return calls_ == nullptr ? 0 : calls_->stronger_seconds(object_); }
  bool varies() const { return !is_identity() && calls_->varies(object_); }
  bool symmetric() const { return is_identity() || calls_->symmetric(object_); }
  Index null_pivots() const { return is_identity() ? 0 : calls_->null_pivots(object_); }
  std::string remarks() const { return calls_ == nullptr ? std::string() : calls_->remarks(object_); }
  /// For messages.
  std::string name() const { return calls_ == nullptr ? "no preconditioner" : calls_->name(object_); }

  /// A reference to the same preconditioner times 2^exponent. Half of the power is applied to r, in `room`, and half to
  /// z; all of it to z where M works in float, into which r has to fit. `room` has as many elements as r and is
  /// overwritten by every call.
  PreconditionerRef scaled(const Space& space, int exponent, Out<T> room) const {
    PreconditionerRef other = *this;
    other.space_ = &space;
    other.room_ = room;
    other.inner_ = static_cast<T>(std::ldexp(1.0, -(exponent / 2)));
    other.outer_ = static_cast<T>(std::ldexp(1.0, exponent / 2 - exponent));
    return other;
  }

  /// z = M^-1 r.  Must not be called for the identity.
  void apply(In<T> r, Out<T> z) const {
    if (!is_scaled()) return calls_->apply(object_, r, z);
    if (works_in_float()) {
      calls_->apply(object_, r, z);
      scale<T>(*space_, inner_, z, z);
    } else {
      scale<T>(*space_, inner_, r, room_);
      calls_->apply(object_, room_, z);
    }
    scale<T>(*space_, outer_, z, z);
  }

  /// z = M^-1 r;  *slot = r . z.  For the identity z isn't written, and *slot = r . r.
  void apply_dot(const Space& space, In<T> r, Out<T> z, Slot<T> slot) const {
    if (is_identity()) return dot<T>(space, r, r, slot);
    if (!is_scaled() && calls_->apply_dot(object_, r, z, slot)) return;
    apply(r, z);
    dot<T>(space, r, z, slot);
  }

  /// The same for vectors in float, where has_mixed_dot().
  void mixed_dot(In<float> r, Out<float> z, double* slot) const { calls_->mixed_dot(object_, r, z, slot); }
  bool has_mixed_dot() const { return !is_identity() && !is_scaled() && calls_->has_mixed_dot(object_); }

 private:
  struct Calls {
    bool (*is_identity)(const void*);
    std::optional<std::size_t> (*rows)(const void*);
    bool (*capturable)(const void*);
    int (*revision)(const void*);
    bool (*works_on)(const void*, const Space&);
    std::size_t (*bytes)(const void*);
    double (*seconds)(const void*);
    double (*rate)(const void*);
    bool (*equals_transpose)(const void*);
    bool (*for_least_squares)(const void*);
    bool (*is_complete)(const void*);
    bool (*works_in_float)(const void*);
    std::optional<PreconditionerRef> (*fallback)(const void*);
    std::optional<PreconditionerRef> (*stronger)(const void*, const StrongerOptions&, std::string&);
    double (*stronger_seconds)(const void*);
    bool (*varies)(const void*);
    bool (*symmetric)(const void*);
    Index (*null_pivots)(const void*);
    std::string (*remarks)(const void*);
    std::string (*name)(const void*);
    void (*apply)(const void*, In<T>, Out<T>);
    bool (*apply_dot)(const void*, In<T>, Out<T>, Slot<T>);
    void (*mixed_dot)(const void*, In<float>, Out<float>, double*);
    bool (*has_mixed_dot)(const void*);
  };

  template <class M>
  static const M& as(const void* object) {
    return *static_cast<const M*>(object);
  }

  template <class M>
  static constexpr bool mixes = std::same_as<T, double>&& requires(const M& m, In<float> r, Out<float> z,
                                                                   Slot<T> slot) {
    m.mixed_dot(r, z, slot);
  };

  // AnyPreconditioner says at run time whether it is the identity and capturable; other classes say so by their type.
  template <class M>
  static constexpr Calls calls = {
      [](const void* o) {
        if constexpr (requires { bool(as<M>(o).is_identity()); }) return bool(as<M>(o).is_identity());
        return false;
      },
      [](const void* o) -> std::optional<std::size_t> {
        if constexpr (requires { std::size_t(as<M>(o).rows()); }) return std::size_t(as<M>(o).rows());
        return std::nullopt;
      },
      [](const void* o) {
        if constexpr (requires { bool(as<M>(o).capturable()); }) return bool(as<M>(o).capturable());
        return ostinato::is_capturable<M>;
      },
      [](const void* o) { return revision_of(as<M>(o)); },
      [](const void* o, const Space& space) { return ostinato::works_on(as<M>(o), space); },
      [](const void* o) {
        if constexpr (requires { std::size_t(as<M>(o).bytes()); }) return std::size_t(as<M>(o).bytes());
        return std::size_t{0};
      },
      [](const void* o) {
        if constexpr (requires { double(as<M>(o).seconds()); }) return double(as<M>(o).seconds());
        return 0.0;
      },
      [](const void* o) {
        if constexpr (requires { double(as<M>(o).rate()); }) return double(as<M>(o).rate());
        return 0.0;
      },
      [](const void* o) {
        if constexpr (requires { bool(as<M>(o).equals_transpose()); }) return bool(as<M>(o).equals_transpose());
        return false;
      },
      [](const void* o) {
        if constexpr (requires { bool(as<M>(o).for_least_squares()); }) return bool(as<M>(o).for_least_squares());
        return false;
      },
      [](const void* o) {
        if constexpr (requires { bool(as<M>(o).is_complete()); }) return bool(as<M>(o).is_complete());
        return false;
      },
      [](const void* o) {
        if constexpr (requires { bool(as<M>(o).works_in_float()); }) return bool(as<M>(o).works_in_float());
        return false;
      },
      [](const void* o) -> std::optional<PreconditionerRef> {
        if constexpr (requires { *as<M>(o).fallback(); }) {
          if (as<M>(o).fallback() != nullptr) return PreconditionerRef(*as<M>(o).fallback());
        }
        return std::nullopt;
      },
      [](const void* o, const StrongerOptions& options, std::string& why) -> std::optional<PreconditionerRef> {
        if constexpr (requires { *as<M>(o).stronger(options, why); }) {
          if (const auto* s = as<M>(o).stronger(options, why)) return PreconditionerRef(*s);
        }
        return std::nullopt;
      },
      [](const void* o) {
        if constexpr (requires { double(as<M>(o).stronger_seconds()); }) return double(as<M>(o).stronger_seconds());
        return 0.0;
      },
      [](const void* o) {
        if constexpr (requires { bool(as<M>(o).varies()); }) return bool(as<M>(o).varies());
        return false;
      },
      [](const void* o) {
        if constexpr (requires { bool(as<M>(o).symmetric()); }) return bool(as<M>(o).symmetric());
        return true;
      },
      [](const void* o) {
        if constexpr (requires { Index(as<M>(o).null_pivots()); }) return Index(as<M>(o).null_pivots());
        return Index{0};
      },
      [](const void* o) -> std::string {
        if constexpr (requires { std::string(as<M>(o).remarks()); }) return as<M>(o).remarks();
        return {};
      },
      [](const void* o) -> std::string {
        if constexpr (requires { std::string(as<M>(o).name()); })
          return std::string(as<M>(o).name());
        else if constexpr (requires { std::string(M::name); })
          return std::string(M::name);
        else
          return "the preconditioner";
      },
      [](const void* o, In<T> r, Out<T> z) { as<M>(o).apply(r, z); },
      [](const void* o, In<T> r, Out<T> z, Slot<T> slot) {
        if constexpr (requires { bool(as<M>(o).apply_dot(r, z, slot)); }) {
          return bool(as<M>(o).apply_dot(r, z, slot));
        } else if constexpr (requires { as<M>(o).apply_dot(r, z, slot); }) {
          as<M>(o).apply_dot(r, z, slot);
          return true;
        } else {
          return false;
        }
      },
      [](const void* o, In<float> r, Out<float> z, double* slot) {
        if constexpr (mixes<M>) as<M>(o).mixed_dot(r, z, slot);
      },
      [](const void* o) {
        if constexpr (mixes<M> && requires { bool(as<M>(o).has_mixed_dot()); }) return bool(as<M>(o).has_mixed_dot());
        return mixes<M>;
      }};

  bool is_scaled() const { return space_ != nullptr; }

  const void* object_ = nullptr;
  const Calls* calls_ = nullptr;
  const Space* space_ = nullptr;  ///< null unless the preconditioner is scaled
  Out<T> room_;
  T inner_ = 1, outer_ = 1;
};

}  // namespace ostinato
