// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <concepts>
#include <cstddef>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/linear_map.hpp>
#include <ostinato/spmv/space/vector_steps.hpp>

namespace ostinato {

/// What solvers require of the class of a matrix that isn't a LinearMap:
///
///   using value_type = double;                  or float; for solvers with takes_complex std::complex<double>, too
///   rows(), cols()
///   apply(alpha, x, beta, y) const              y = alpha A x + beta y, for spans; as LinearMap::apply()
/// Optional, for spans and one slot, and otherwise as the members of LinearMap (spmv/linear_map.hpp): apply_dot,
/// residual, accurate_residual, lower, column_norms, facts (a reference or a pointer), revision, bytes, space, and
///   apply_transposed(alpha, x, beta, y) const   y = alpha A^T x + beta y, as apply; adjoint() is made of it
///   using is_capturable = void;                 capturable() is true
template <class A>
concept LinearOperator = requires(const A& a, typename A::value_type s, std::span<const typename A::value_type> x,
                                  std::span<typename A::value_type> y) {
  { a.rows() } -> std::convertible_to<std::size_t>;
  { a.cols() } -> std::convertible_to<std::size_t>;
  a.apply(s, x, s, y);
};

namespace detail {

template <class>
inline constexpr bool never = false;

/// The value_type of A; double where A has none, so that a call goes on to explain_operator().
template <class A>
struct ValueOf {
  using type = double;
};
template <class A>
requires Scalar<typename A::value_type>
struct ValueOf<A> {
  using type = typename A::value_type;
};

/// Fails to compile, with a sentence that says what A lacks.
template <class A>
void explain_operator() {
  using T = typename ValueOf<A>::type;
  if constexpr (requires(const A& a) { a.row_ptr, a.col, a.val; }) {
    static_assert(never<A>, "A is a stored matrix: make an operator of it, ostinato::Operator A(space, matrix)");
  } else if constexpr (requires(const A& a) { a.outerIndexPtr(), a.valuePtr(); }) {
    static_assert(never<A>,
                  "A is an Eigen::SparseMatrix: make an operator of it, ostinato::Operator A(space, csr_from(matrix))");
  } else if constexpr (requires { &A::operator(); }) {
    static_assert(never<A>, "A is a function: make_operator<double>(space, n, f) makes an operator of it");
  } else if constexpr (!requires { typename A::value_type; }) {
    static_assert(never<A>, "A has no value_type: its class needs 'using value_type = double;', or float");
  } else if constexpr (!Scalar<typename A::value_type>) {
    static_assert(never<A>, "the value_type of A is neither float nor double");
  } else if constexpr (!requires(const A& a) { std::size_t(a.rows()), std::size_t(a.cols()); }) {
    static_assert(never<A>, "A has no rows() const and cols() const that give the size of the matrix");
  } else if constexpr (requires(A & a, T s, std::span<const T> x, std::span<T> y) { a.apply(s, x, s, y); }) {
    static_assert(never<A>,
                  "apply() of A isn't const: void apply(T alpha, std::span<const T> x, T beta, "
                  "std::span<T> y) const");
  } else {
    static_assert(never<A>,
                  "A has no void apply(T alpha, std::span<const T> x, T beta, std::span<T> y) const, which "
                  "sets y = alpha A x + beta y");
  }
}

}  // namespace detail

/// True for classes of operators and preconditioners whose work CUDA may capture into a graph and replay.
template <class A>
inline constexpr bool is_capturable = requires {
  typename A::is_capturable;
};

namespace detail {

/// Whether an object of a user works on this space; those that don't say so do.
template <class A, class Space>
bool works_on(const A& a, const Space& space) {
  if constexpr (requires { space.is_same_place(a.space()); }) return space.is_same_place(a.space());
  return true;
}

template <class A>
int revision_of(const A& a) {
  if constexpr (requires { a.revision(); }) return static_cast<int>(a.revision());
  return 0;
}

template <class A>
std::size_t bytes_of(const A& a) {
  if constexpr (requires { std::size_t(a.bytes()); }) return a.bytes();
  return 0;
}

/// The transpose of an operator that has apply_transposed().
template <class Space, class T, class A>
class TransposedOf final : public LinearMap<Space, T> {
 public:
  TransposedOf(const Space& space, std::size_t rows, std::size_t cols, const A& a)
      : LinearMap<Space, T>(space, rows, cols), a_(a) {}
  void apply(T alpha, Block<const T> x, T beta, Block<T> y) const override {
    for (int k = 0; k < y.columns; ++k) a_.apply_transposed(alpha, x.column(k), beta, y.column(k));
  }

 private:
  const A& a_;
};

/// A LinearMap, or a class derived from it, by an operator of another class A; or by a reference to one.
template <class Map, class A>
class Adapted : public Map {
 public:
  using Space = typename Map::space_type;
  using T = typename Map::value_type;
  using Class = std::remove_cvref_t<A>;

  template <class... Args>
  Adapted(const Space& space, std::size_t rows, std::size_t cols, Args&&... args)
      : Map(space, rows, cols), a_(std::forward<Args>(args)...) {
    if constexpr (has_transpose) transposed_.emplace(space, cols, rows, a_);
  }
  Adapted(const Adapted&) = delete;

  void apply(T alpha, Block<const T> x, T beta, Block<T> y) const final {
    for (int k = 0; k < y.columns; ++k) a_.apply(alpha, x.column(k), beta, y.column(k));
  }

  void apply_dot(Block<const T> x, Block<T> y, Block<const T> w, Slot<T> slots) const final {
    if constexpr (requires(In<T> v, Out<T> to) { a_.apply_dot(v, to, v, slots); }) {
      for (int k = 0; k < y.columns; ++k) a_.apply_dot(x.column(k), y.column(k), w.column(k), slots + k);
    } else {
      Map::apply_dot(x, y, w, slots);
    }
  }

  void residual(Block<const T> x, Block<const T> b, Block<T> r, Slot<T> slots) const final {
    if constexpr (requires(In<T> v, Out<T> to) { a_.residual(v, v, to, slots); }) {
      static_assert(std::is_void_v<decltype(a_.residual(In<T>(), In<T>(), Out<T>(), slots))>,
                    "residual() of A returns void: where it can't, leave it out");
      for (int k = 0; k < r.columns; ++k) a_.residual(x.column(k), b.column(k), r.column(k), slots + k);
    } else {
      Map::residual(x, b, r, slots);
    }
  }

  bool accurate_residual(double outer, double inner, Block<const T> x, Block<const T> b, Block<T> r,
                         Slot<T> slots) const final {
    if constexpr (requires(In<T> v, Out<T> to) { bool(a_.accurate_residual(outer, inner, v, v, to, slots)); }) {
      int k = 0;
      while (k < r.columns && a_.accurate_residual(outer, inner, x.column(k), b.column(k), r.column(k), slots + k)) ++k;
      return k == r.columns;
    } else {
      return false;
    }
  }

  const LinearMap<Space, float>* lower() const final {
    static_assert(
        never<A> || !requires { a_.has_mixed_dot(); },
        "lower() of A, a LinearMap in float, takes the place of mixed_dot()");
    if constexpr (requires { static_cast<const LinearMap<Space, float>*>(a_.lower()); }) return a_.lower();
    return nullptr;
  }

  const LinearMap<Space, T>* adjoint() const final {
    if constexpr (requires { bool(a_.has_transpose()); }) {
      if (!a_.has_transpose()) return nullptr;
    }
    if constexpr (has_transpose) return &*transposed_;
    return nullptr;
  }

  std::span<const double> column_norms() const final {
    if constexpr (requires { std::span<const double>(a_.column_norms()); }) return a_.column_norms();
    return {};
  }

  const Facts* facts() const final {
    if constexpr (requires { static_cast<const Facts*>(a_.facts()); }) {
      return a_.facts();
    } else if constexpr (requires { static_cast<const Facts*>(&a_.facts()); }) {
      return &a_.facts();
    } else {
      static_assert(
          never<A> || !requires { a_.structure(); },
          "solvers read facts() of A, not structure(): const ostinato::Facts& facts() const");
      static_assert(
          never<A> || !requires { a_.facts(); },
          "facts() of A returns a const ostinato::Facts&, or a pointer, to an object that lives as long as A");
      return nullptr;
    }
  }

  int revision() const final { return revision_of(a_); }
  bool capturable() const final {
    if constexpr (requires { bool(a_.capturable()); }) return a_.capturable();
    return is_capturable<Class>;
  }
  std::size_t bytes() const final { return bytes_of(a_); }
  bool works_on(const Space& space) const final { return detail::works_on<Class>(a_, space); }

 protected:
  static constexpr bool has_transpose = requires(const Class& a, In<T> x, Out<T> y) {
    a.apply_transposed(T{1}, x, T{0}, y);
  };

  A a_;

 private:
  struct None {};
  [[no_unique_address]] std::conditional_t<has_transpose, std::optional<TransposedOf<Space, T, Class>>, None>
      transposed_;
};

/// `a` itself where it is a LinearMap, else a LinearMap by it.
template <class Space, class T, class A>
decltype(auto) as_map(const Space& space, const A& a) {
  if constexpr (std::derived_from<A, LinearMap<Space, T>>) {
    static_assert(
        requires(T s, Block<const T> x, Block<T> y) { a.apply(s, x, s, y); },
        "apply() of A hides that of its base: void apply(T, Block<const T>, T, Block<T>) const override");
    return (a);
  } else {
    return Adapted<LinearMap<Space, T>, const A&>(space, static_cast<std::size_t>(a.rows()),
                                                  static_cast<std::size_t>(a.cols()), a);
  }
}

}  // namespace detail

/// A LinearMap times a power of two. Solvers are compiled for this class only.
///
/// Requires  The map outlives the reference, and works on the space passed to the functions.
template <class Space, class T>
class OperatorRef {
 public:
  using value_type = T;

  OperatorRef(const LinearMap<Space, T>& map) : map_(&map) {}

  std::size_t rows() const { return map_->rows(); }
  std::size_t cols() const { return map_->cols(); }
  std::size_t bytes() const { return map_->bytes(); }
  int revision() const { return map_->revision(); }
  bool capturable() const { return map_->capturable(); }
  bool works_on(const Space& space) const { return map_->works_on(space); }
  bool has_transpose() const { return map_->adjoint() != nullptr; }

  /// Those of the map that scaled() begins with.
  const Facts* facts() const { return map_->facts(); }
  std::span<const double> column_norms() const { return map_->column_norms(); }

  /// A reference to the same operator times 2^exponent. The product of the powers may be out of the range of T: half of
  /// it is applied to x, in `room`, and half to A x. `room` has cols() elements, for apply_transposed rows() of them if
  /// that is more, and is overwritten by every call.
  OperatorRef scaled(const Space& space, int exponent, Out<T> room) const {
    OperatorRef other = *this;
    other.space_ = &space;
    other.room_ = room;
    other.inner_ = std::ldexp(1.0, exponent / 2);
    other.outer_ = std::ldexp(1.0, exponent - exponent / 2);
    return other;
  }

  void apply(In<T> x, Out<T> y) const { multiply(*map_, x, y); }  ///< y = A x

  /// y = A^T x.  Must not be called without has_transpose().
  void apply_transposed(In<T> x, Out<T> y) const { multiply(*map_->adjoint(), x, y); }

  /// y = A x;  *slot = w . y
  void apply_dot(const Space& space, In<T> x, Out<T> y, In<T> w, Slot<T> slot) const {
    if (!is_scaled()) return map_->apply_dot(x, y, w, slot);
    apply(x, y);
    dot<T>(space, w, y, slot);
  }

  /// Null where the operator is scaled.
  const LinearMap<Space, float>* lower() const { return is_scaled() ? nullptr : map_->lower(); }

  /// r = b - A x;  *slot = r . r
  void residual(const Space& space, In<T> x, In<T> b, Out<T> r, Slot<T> slot) const {
    if (!is_scaled()) return map_->residual(x, b, r, slot);
    apply(x, r);
    subtract_from<T>(space, b, r, r, slot);
  }

  /// The same with twice the digits. Returns false, and does nothing, when the operator can't do this.
  bool accurate_residual(In<T> x, In<T> b, Out<T> r, Slot<T> slot) const {
    return map_->accurate_residual(outer_, inner_, x, b, r, slot);
  }

 private:
  bool is_scaled() const { return space_ != nullptr; }

  void multiply(const LinearMap<Space, T>& map, In<T> x, Out<T> y) const {
    if (!is_scaled()) return map.apply(T{1}, x, T{0}, y);
    const Out<T> scaled = room_.first(x.size());
    scale<T>(*space_, static_cast<T>(inner_), x, scaled);
    map.apply(static_cast<T>(outer_), scaled, T{0}, y);
  }

  const LinearMap<Space, T>* map_;
  const Space* space_ = nullptr;  ///< null unless the operator is scaled
  Out<T> room_;
  double inner_ = 1, outer_ = 1;
};

}  // namespace ostinato
