// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <span>

#include <ostinato/spmv/linear_operator.hpp>

namespace ostinato {

/// True for a preconditioner that changes nothing. Solvers then use r instead of z.
template <class M>
inline constexpr bool is_identity = requires {
  typename M::is_identity;
};

/// The interface that solvers require of a preconditioner: apply(r, z) const sets z = M^-1 r. On Cuda apply is
/// enqueued. r and z don't overlap.
///
/// Optional:
///   apply_dot(r, z, slot) const                 z = M^-1 r, *slot = r . z; the slot is in the memory of the space
///   using is_capturable = void;                 as for operators (spmv/linear_operator.hpp)
template <class M, class T>
concept Preconditioner = is_identity<M> || requires(const M& m, std::span<const T> r, std::span<T> z) {
  m.apply(r, z);
};

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
  bool capturable() const { return is_identity() || calls_->capturable(object_); }

  /// z = M^-1 r.  Must not be called for the identity.
  void apply(In<T> r, Out<T> z) const { calls_->apply(object_, r, z); }

  /// z = M^-1 r;  *slot = r . z.  For the identity z isn't written, and *slot = r . r.
  void apply_dot(const Space& space, In<T> r, Out<T> z, double* slot) const {
    if (is_identity()) return dot<T>(space, r, r, slot);
    if (calls_->apply_dot(object_, r, z, slot)) return;
    apply(r, z);
    dot<T>(space, r, z, slot);
  }

 private:
  struct Calls {
    bool (*is_identity)(const void*);
    bool (*capturable)(const void*);
    void (*apply)(const void*, In<T>, Out<T>);
    bool (*apply_dot)(const void*, In<T>, Out<T>, double*);
  };

  template <class M>
  static const M& as(const void* object) {
    return *static_cast<const M*>(object);
  }

  // AnyPreconditioner says at run time whether it is the identity and capturable; other classes say so by their type.
  template <class M>
  static constexpr Calls calls = {[](const void* o) {
                                    if constexpr (requires { bool(as<M>(o).is_identity()); })
                                      return bool(as<M>(o).is_identity());
                                    return false;
                                  },
                                  [](const void* o) {
                                    if constexpr (requires { bool(as<M>(o).capturable()); })
                                      return bool(as<M>(o).capturable());
                                    return ostinato::is_capturable<M>;
                                  },
                                  [](const void* o, In<T> r, Out<T> z) { as<M>(o).apply(r, z); },
                                  [](const void* o, In<T> r, Out<T> z, double* slot) {
                                    if constexpr (requires { bool(as<M>(o).apply_dot(r, z, slot)); }) {
                                      return bool(as<M>(o).apply_dot(r, z, slot));
                                    } else if constexpr (requires { as<M>(o).apply_dot(r, z, slot); }) {
                                      as<M>(o).apply_dot(r, z, slot);
                                      return true;
                                    } else {
                                      return false;
                                    }
                                  }};

  const void* object_ = nullptr;
  const Calls* calls_ = nullptr;
};

}  // namespace ostinato
