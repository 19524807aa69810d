// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <concepts>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <ostinato/preconditioners/contract/condition.hpp>
#include <ostinato/preconditioners/contract/level.hpp>
#include <ostinato/spmv/base/index.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/base/stop.hpp>
#include <ostinato/spmv/linear_operator.hpp>

namespace ostinato {

/// True for a preconditioner that changes nothing. Solvers then use r instead of z.
template <class M>
inline constexpr bool is_identity = requires {
  typename M::is_identity;
};

template <class Space, class T>
class Analysis;

/// A preconditioner M as solvers see it: the one list of what it can do. AnyPreconditioner is such. A class of your own
/// is one, or has members of the same names, of which all but apply may be missing.
///
/// Shapes    r, z: blocks of as many columns as each other, with a slot for each.
/// Exec      Works on the stream of the space, in whose memory blocks and slots are. A solver applies M on one thread
///           at a time; M says itself whether several solves may use it at once.
/// Requires  r and z don't overlap.
template <class Space, class T>
class PreconditionerBase {
 public:
  using space_type = Space;
  using value_type = T;

  explicit PreconditionerBase(const Space& space) : space_(space) {}
  virtual ~PreconditionerBase() = default;

  const Space& space() const { return space_; }

  /// z = M^-1 r, all elements of z. It reads none of them before: z may hold anything, even NaN. r stays as it is.
  virtual void apply(Block<const T> r, Block<T> z) const = 0;

  /// z = M^-1 r;  slots[k] = r_k . z_k
  virtual void apply_dot(Block<const T> r, Block<T> z, Slot<T> slots) const {
    apply(r, z);
    for (int k = 0; k < z.columns; ++k) dot<T>(space_, r.column(k), z.column(k), slots + k);
  }

  /// M, where T is double, for vectors in float; null where there is none. r is scaled so that it fits into the range
  /// of float, and z has to fit, too.
  virtual const PreconditionerBase<Space, float>* lower() const { return nullptr; }

  /// The elements of M^-1, in the memory of the space, where that is a diagonal matrix; null otherwise. A method may
  /// multiply by them in passes of its own, instead of apply(). On ranks all of them give one, or none does; a rank
  /// without rows may do either.
  virtual const T* inverse_diagonal() const { return nullptr; }

  /// Takes a matrix with new values; after an exception M is as before. Returns false where it can't, and did nothing.
  virtual bool update_values(const Analysis<Space, T>&) { return false; }

  virtual std::size_t rows() const { return 0; }  ///< of r and z; a solve of another size is refused. 0: not known
  virtual bool is_identity() const { return false; }
  virtual bool capturable() const { return false; }                                        ///< as that of LinearMap
  virtual int revision() const { return 0; }                                               ///< as that of LinearMap
  virtual bool works_on(const Space& space) const { return space.is_same_place(space_); }  ///< as that of LinearMap
  virtual std::size_t bytes() const { return 0; }  ///< that M keeps, which count for SolveOptions::mem_limit
  /// Predicted time of an application: a solve looks at its residual more often when an iteration is long.
  virtual double seconds() const { return 0; }
  virtual double rate() const { return 0; }  ///< by what M shrank an error on trial; 0 when it wasn't tried
  virtual bool equals_transpose() const { return false; }   ///< M equals its transpose; LSMR needs that
  virtual bool for_least_squares() const { return false; }  ///< M, and what is stronger, is of A^T A or A A^T for LSMR
  virtual bool is_complete() const { return false; }        ///< M has complete factors: what M takes for 0 is 0
  virtual bool works_in_float() const { return false; }     ///< r is scaled so that it fits into the range of float
  /// M isn't a linear function of r, or differs from call to call: solvers take flexible recurrences, or refuse it.
  virtual bool varies() const { return false; }
  virtual bool symmetric() const { return true; }  ///< M is symmetric when A is, as CG and MINRES require
  /// Of complete factors: pivots that were 0 but for rounding, so that A is singular to working precision.
  virtual Index null_pivots() const { return 0; }
  virtual Condition condition() const { return {}; }  ///< of A, by complete factors; where that is known
  virtual std::vector<PreconditionerLevel> levels() const { return {}; }  ///< of a hierarchy, the finest first
  virtual std::string remarks() const { return {}; }                      ///< what was made, for messages
  virtual std::string name() const { return "the preconditioner"; }       ///< for messages

 protected:
  PreconditionerBase(const PreconditionerBase&) = default;
  PreconditionerBase(PreconditionerBase&&) = default;
  PreconditionerBase& operator=(const PreconditionerBase&) = default;
  PreconditionerBase& operator=(PreconditionerBase&&) = default;

  Space space_;
};

/// What solvers require of the class of a preconditioner that isn't a PreconditionerBase: apply(r, z) const, for spans.
/// Other members are as those of PreconditionerBase, for spans and one slot, but that is_capturable is a type, as for
/// operators (spmv/linear_operator.hpp), and that a name may be static.
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

/// A PreconditionerBase by a preconditioner of another class M, or by a reference to one.
template <class Space, class T, class M>
class AdaptedPreconditioner final : public PreconditionerBase<Space, T> {
 public:
  using Base = PreconditionerBase<Space, T>;
  using Class = std::remove_cvref_t<M>;

  template <class... Args>
  explicit AdaptedPreconditioner(const Space& space, Args&&... args) : Base(space), m_(std::forward<Args>(args)...) {}
  AdaptedPreconditioner(const AdaptedPreconditioner&) = delete;

  void apply(Block<const T> r, Block<T> z) const override {
    for (int k = 0; k < z.columns; ++k) m_.apply(r.column(k), z.column(k));
  }
  void apply_dot(Block<const T> r, Block<T> z, Slot<T> slots) const override {
    if constexpr (requires(In<T> v, Out<T> to) { m_.apply_dot(v, to, slots); }) {
      static_assert(std::is_void_v<decltype(m_.apply_dot(In<T>(), Out<T>(), slots))>,
                    "apply_dot() of M returns void: where it can't, leave it out");
      for (int k = 0; k < z.columns; ++k) m_.apply_dot(r.column(k), z.column(k), slots + k);
    } else {
      Base::apply_dot(r, z, slots);
    }
  }
  bool update_values(const Analysis<Space, T>& analysis) override {
    bool taken = false;
    if constexpr (requires { bool(m_.update_values(analysis)); }) {
      taken = m_.update_values(analysis);
    } else if constexpr (requires { m_.update_values(analysis); }) {
      m_.update_values(analysis);
      taken = true;
    }
    if constexpr (requires { this->space_ = m_.space(); }) {
      if (taken) this->space_ = m_.space();  // M may have been made anew where the matrix is
    }
    return taken;
  }
  bool capturable() const override {
    if constexpr (requires { bool(m_.capturable()); }) return m_.capturable();
    return is_capturable<Class>;
  }
  int revision() const override { return revision_of(m_); }
  bool works_on(const Space& space) const override { return detail::works_on<Class>(m_, space); }
  std::size_t bytes() const override { return bytes_of(m_); }
  std::string name() const override {
    if constexpr (requires { std::string(m_.name()); })
      return std::string(m_.name());
    else if constexpr (requires { std::string(Class::name); })
      return std::string(Class::name);
    else
      return Base::name();
  }

// The answer of M, where it has this member.
#define OSTINATO_ANSWER(Type, member)                                                 \
  Type member() const override {                                                      \
    if constexpr (requires { static_cast<Type>(m_.member()); }) return m_.member();   \
    static_assert(                                                                    \
        requires { static_cast<Type>(m_.member()); } || !requires { m_.member(); },   \
        "M." #member "() gives another type than PreconditionerBase::" #member "()"); \
    return Base::member();                                                            \
  }
  using Lower = const PreconditionerBase<Space, float>*;
  using Diagonal = const T*;
  OSTINATO_ANSWER(Lower, lower)
  OSTINATO_ANSWER(Diagonal, inverse_diagonal)
  OSTINATO_ANSWER(std::size_t, rows)
  OSTINATO_ANSWER(double, seconds)
  OSTINATO_ANSWER(double, rate)
  OSTINATO_ANSWER(bool, is_identity)
  OSTINATO_ANSWER(bool, equals_transpose)
  OSTINATO_ANSWER(bool, for_least_squares)
  OSTINATO_ANSWER(bool, is_complete)
  OSTINATO_ANSWER(bool, works_in_float)
  OSTINATO_ANSWER(bool, varies)
  OSTINATO_ANSWER(bool, symmetric)
  OSTINATO_ANSWER(Index, null_pivots)
  OSTINATO_ANSWER(Condition, condition)
  OSTINATO_ANSWER(std::vector<PreconditionerLevel>, levels)
  OSTINATO_ANSWER(std::string, remarks)
#undef OSTINATO_ANSWER

 private:
  M m_;
};

}  // namespace detail

/// A preconditioner, or none, times a power of two. Solvers are compiled for this class only.
///
/// Requires  The preconditioner outlives the reference, and works on the space passed to the functions.
template <class Space, class T>
class PreconditionerRef {
 public:
  using Base = PreconditionerBase<Space, T>;

  PreconditionerRef() = default;  ///< no preconditioner
  PreconditionerRef(const Base& m) : m_(&m) {}

  const Base* get() const { return m_; }  ///< null where there is none
  bool is_identity() const { return m_ == nullptr || m_->is_identity(); }
  /// Elements of r and z; nothing where the preconditioner doesn't say.
  std::optional<std::size_t> rows() const {
    const std::size_t rows = answer(&Base::rows, 0);
    return rows > 0 ? std::optional(rows) : std::nullopt;
  }
  bool works_on(const Space& space) const { return is_identity() || m_->works_on(space); }
  bool capturable() const { return answer(&Base::capturable, true); }
  int revision() const { return answer(&Base::revision, 0); }
  std::size_t bytes() const { return answer(&Base::bytes, 0); }
  double seconds() const { return answer(&Base::seconds, 0); }
  double rate() const { return answer(&Base::rate, 0); }
  bool equals_transpose() const { return answer(&Base::equals_transpose, true); }
  bool is_complete() const { return answer(&Base::is_complete, false); }
  bool works_in_float() const { return answer(&Base::works_in_float, false); }
  bool varies() const { return answer(&Base::varies, false); }
  bool symmetric() const { return answer(&Base::symmetric, true); }
  Index null_pivots() const { return answer(&Base::null_pivots, 0); }
  Condition condition() const { return answer(&Base::condition, {}); }

  // An "auto" that has chosen none has these, too.
  bool for_least_squares() const { return m_ != nullptr && m_->for_least_squares(); }
  std::string name() const { return m_ == nullptr ? "no preconditioner" : m_->name(); }

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
    if (!is_scaled()) return m_->apply(r, z);
    if (works_in_float()) {
      m_->apply(r, z);
      scale<T>(*space_, inner_, z, z);
    } else {
      scale<T>(*space_, inner_, r, room_);
      m_->apply(room_, z);
    }
    scale<T>(*space_, outer_, z, z);
  }

  /// z = M^-1 r;  *slot = r . z.  For the identity z isn't written, and *slot = r . r.
  void apply_dot(const Space& space, In<T> r, Out<T> z, Slot<T> slot) const {
    if (is_identity()) return dot<T>(space, r, r, slot);
    if (!is_scaled()) return m_->apply_dot(r, z, slot);
    apply(r, z);
    dot<T>(space, r, z, slot);
  }

  /// Null where M is scaled, as is the next one.
  const T* inverse_diagonal() const { return is_identity() || is_scaled() ? nullptr : m_->inverse_diagonal(); }
  const PreconditionerBase<Space, float>* lower() const { return is_identity() || is_scaled() ? nullptr : m_->lower(); }

 private:
  bool is_scaled() const { return space_ != nullptr; }

  template <class Answer>
  Answer answer(Answer (Base::*of)() const, std::type_identity_t<Answer> without) const {
    return is_identity() ? without : (m_->*of)();
  }

  const Base* m_ = nullptr;
  const Space* space_ = nullptr;  ///< null unless the preconditioner is scaled
  Out<T> room_;
  T inner_ = 1, outer_ = 1;
};

namespace detail {

/// What converts to a PreconditionerRef: M itself where it is a preconditioner of the space, else one by it.
template <class Space, class T, class M>
decltype(auto) as_preconditioner(const Space& space, const M& m) {
  if constexpr (std::same_as<M, PreconditionerRef<Space, T>>) {
    return (m);
  } else if constexpr (std::derived_from<M, PreconditionerBase<Space, T>>) {
    static_assert(
        requires(Block<const T> r, Block<T> z) { m.apply(r, z); },
        "apply() of M hides that of its base: void apply(Block<const T>, Block<T>) const override");
    return (m);
  } else if constexpr (ostinato::is_identity<M>) {
    return PreconditionerRef<Space, T>();
  } else if constexpr (requires(const M& other) { []<class S>(const PreconditionerBase<S, T>&) {}(other); }) {
    static_assert(never<M>, "M works on another space than the solve: make it with the space of the solve");
  } else {
    return AdaptedPreconditioner<Space, T, const M&>(space, m);
  }
}

}  // namespace detail

}  // namespace ostinato
