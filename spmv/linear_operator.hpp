// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <concepts>
#include <cstddef>
#include <span>

#include <ostinato/spmv/space/vector_steps.hpp>

namespace ostinato {

struct Structure;

/// The interface that solvers require of a matrix. Operator and StencilOperator have it; so may a class of your own.
///
///   using value_type = double;                  or float; for solvers with takes_complex std::complex<double>, too
///   rows(), cols()
///   apply(alpha, x, beta, y) const              y = alpha A x + beta y, all elements of y. With beta = 0, y isn't
///                                               read: it may hold anything, even NaN. x and y don't overlap. On Cuda
///                                               x and y are device memory, and apply works on the stream.
/// Optional:
///   apply_dot(x, y, w, slot) const              y = A x, *slot = w . y; the slot is in the memory of the space
///   mixed_dot(x, y, w, slot) const              as apply_dot for vectors in float, where A is in double; an element
///                                               of y is added up in double and rounded once
///   bool has_mixed_dot() const                  whether mixed_dot() may be called; true where there is none to ask
///   bool residual(x, b, r, slot) const          r = b - A x, *slot = r . r; returns false if it did nothing
///   bool accurate_residual(outer, inner, x, b, r, slot) const
///                                               r = b - outer A (inner x) with twice the digits, *slot = r . r; outer
///                                               and inner are powers of two; returns false if it did nothing
///   apply_transposed(alpha, x, beta, y) const   y = alpha A^T x + beta y, as apply; methods such as LSMR need it
///   bool has_transpose() const                  whether apply_transposed() may be called; true unless said
///   std::span<const double> column_norms() const
///                                               the 2-norms of the columns, in the memory of the space; LSMR estimates
///                                               them otherwise
///   revision() const                            a number that changes when a captured apply is out of date, because
///                                               apply now enqueues other work
///   bytes() const                               memory that the stored matrix takes
///   const Structure& structure() const          what is known of A, see below; or a pointer, null where nothing is
///   space() const                               the space that apply works on; solvers refuse another GPU or stream
///   using is_capturable = void;                 apply only enqueues kernels, with the same arguments on every call, so
///                                               that CUDA may capture apply into a graph and replay it
///
/// The Structure of an operator of your own tells solvers what they can't see. They read these members at the start and
/// at the checks of a solve, and trust them. The first three have to be right; a member below that you don't know keeps
/// the value in brackets. The other members of Structure are for formats.
///   rows                         as rows()
///   longest_row, mean_row        the most terms, and the mean number of terms, that apply adds up for an element of y:
///                                with norm_inf they say how large the rounding of b - A x may be
///   norm_inf            [NaN]    ||A||_inf, or a little more. A matrix whose norm is far from 1 is scaled by it, and
///                                the backward error is relative to it. With a value that is too small, rounding may
///                                hide a residual.
///   finite              [true]   false when A holds NaN or infinity: such a matrix isn't scaled
///   symmetric           [false]  A equals its transpose, of complex values its conjugate transpose: "auto" begins with
///                                CG or MINRES, which don't converge reliably where this isn't true, and the rounding is
///                                taken to be smaller
///   positive_diagonal   [false]  the diagonal of A is > 0: "auto" begins with CG if A is symmetric, too
///   negative_diagonal   [false]  the diagonal of A is < 0: CG solves -A x = -b, and "auto" begins with CG if A is
///                                symmetric, too
/// An operator without structure() isn't scaled, "auto" takes it for nonsymmetric, its rows count as 16 terms, and the
/// backward error is NaN.
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

/// False for operators and preconditioners that have another space().
template <class A, class Space>
bool works_on(const A& a, const Space& space) {
  if constexpr (requires { space.is_same_place(a.space()); }) return space.is_same_place(a.space());
  return true;
}

/// A number that tells when captured work of an operator or preconditioner is out of date; 0 when it has none.
template <class A>
int revision_of(const A& a) {
  if constexpr (requires { a.revision(); }) return static_cast<int>(a.revision());
  return 0;
}

/// True for operators and preconditioners whose work CUDA may capture into a graph and replay.
template <class A>
inline constexpr bool is_capturable = requires {
  typename A::is_capturable;
};

/// A reference to a linear operator of any class. Solvers are compiled for this class only.
///
/// Requires  The operator outlives the reference, and works on the space passed to the functions.
template <class Space, class T>
class OperatorRef {
 public:
  template <LinearOperator A>
  OperatorRef(const A& a) : object_(&a), calls_(&calls<A>) {}

  std::size_t rows() const { return calls_->rows(object_); }
  std::size_t cols() const { return calls_->cols(object_); }
  std::size_t bytes() const { return calls_->bytes(object_); }  ///< 0 when the operator has no bytes()
  int revision() const { return calls_->revision(object_); }
  bool capturable() const { return calls_->capturable; }

  /// Null when the operator has no structure().
  const Structure* structure() const { return calls_->structure(object_); }

  bool has_transpose() const { return calls_->has_transpose(object_); }

  /// The 2-norms of the columns of the operator that scaled() begins with, in the memory of the space; empty where the
  /// operator doesn't tell.
  std::span<const double> column_norms() const { return calls_->column_norms(object_); }

  /// False when the operator has another space().
  bool works_on(const Space& space) const { return calls_->works_on(object_, space); }

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

  /// y = A x
  void apply(In<T> x, Out<T> y) const {
    if (!is_scaled()) return calls_->apply(object_, T{1}, x, T{0}, y);
    const Out<T> scaled = room_.first(x.size());
    scale<T>(*space_, static_cast<T>(inner_), x, scaled);
    calls_->apply(object_, static_cast<T>(outer_), scaled, T{0}, y);
  }

  /// y = A^T x.  Must not be called without has_transpose().
  void apply_transposed(In<T> x, Out<T> y) const {
    if (!is_scaled()) return calls_->apply_transposed(object_, T{1}, x, T{0}, y);
    const Out<T> scaled = room_.first(x.size());
    scale<T>(*space_, static_cast<T>(inner_), x, scaled);
    calls_->apply_transposed(object_, static_cast<T>(outer_), scaled, T{0}, y);
  }

  /// y = A x;  *slot = w . y
  void apply_dot(const Space& space, In<T> x, Out<T> y, In<T> w, Slot<T> slot) const {
    if (!is_scaled() && calls_->apply_dot(object_, x, y, w, slot)) return;
    apply(x, y);
    dot<T>(space, w, y, slot);
  }

  /// The same for vectors in float, where has_mixed_dot().
  void mixed_dot(In<float> x, Out<float> y, In<float> w, double* slot) const {
    calls_->mixed_dot(object_, x, y, w, slot);
  }
  bool has_mixed_dot() const { return !is_scaled() && calls_->has_mixed_dot(object_); }

  /// r = b - A x;  *slot = r . r
  void residual(const Space& space, In<T> x, In<T> b, Out<T> r, Slot<T> slot) const {
    if (!is_scaled() && calls_->residual(object_, x, b, r, slot)) return;
    apply(x, r);
    subtract_from<T>(space, b, r, r, slot);
  }

  /// The same with twice the digits. Returns false, and does nothing, when the operator can't do this.
  bool accurate_residual(In<T> x, In<T> b, Out<T> r, Slot<T> slot) const {
    return calls_->accurate_residual(object_, outer_, inner_, x, b, r, slot);
  }

 private:
  using Apply = void (*)(const void*, T, In<T>, T, Out<T>);

  struct Calls {
    std::size_t (*rows)(const void*);
    std::size_t (*cols)(const void*);
    std::size_t (*bytes)(const void*);
    int (*revision)(const void*);
    const Structure* (*structure)(const void*);
    std::span<const double> (*column_norms)(const void*);
    bool (*works_on)(const void*, const Space&);
    Apply apply;
    Apply apply_transposed;  ///< null when the operator has none
    bool (*has_transpose)(const void*);
    bool (*apply_dot)(const void*, In<T>, Out<T>, In<T>, Slot<T>);
    void (*mixed_dot)(const void*, In<float>, Out<float>, In<float>, double*);
    bool (*has_mixed_dot)(const void*);
    bool (*residual)(const void*, In<T>, In<T>, Out<T>, Slot<T>);
    bool (*accurate_residual)(const void*, double, double, In<T>, In<T>, Out<T>, Slot<T>);
    bool capturable;
  };

  template <class A>
  static const A& as(const void* object) {
    return *static_cast<const A*>(object);
  }

  template <class A>
  static constexpr Apply transposed_of() {
    if constexpr (requires(const A& a, In<T> x, Out<T> y) { a.apply_transposed(T{1}, x, T{0}, y); })
      return [](const void* o, T alpha, In<T> x, T beta, Out<T> y) { as<A>(o).apply_transposed(alpha, x, beta, y); };
    return nullptr;
  }

  template <class A>
  static constexpr bool mixes = std::same_as<T, double>&& requires(const A& a, In<float> x, Out<float> y, In<float> w,
                                                                   Slot<T> slot) {
    a.mixed_dot(x, y, w, slot);
  };

  template <class A>
  static constexpr Calls calls = {
      [](const void* o) { return static_cast<std::size_t>(as<A>(o).rows()); },
      [](const void* o) { return static_cast<std::size_t>(as<A>(o).cols()); },
      [](const void* o) -> std::size_t {
        if constexpr (requires { as<A>(o).bytes(); }) return as<A>(o).bytes();
        return 0;
      },
      [](const void* o) { return revision_of(as<A>(o)); },
      [](const void* o) -> const Structure* {
        if constexpr (requires {
                        { as<A>(o).structure() } -> std::same_as<const Structure&>;
                      }) {
          return &as<A>(o).structure();
        } else if constexpr (requires {
                               { as<A>(o).structure() } -> std::same_as<const Structure*>;
                             }) {
          return as<A>(o).structure();
        }
        return nullptr;
      },
      [](const void* o) -> std::span<const double> {
        if constexpr (requires { std::span<const double>(as<A>(o).column_norms()); }) return as<A>(o).column_norms();
        return {};
      },
      [](const void* o, const Space& space) { return ostinato::works_on(as<A>(o), space); },
      [](const void* o, T alpha, In<T> x, T beta, Out<T> y) { as<A>(o).apply(alpha, x, beta, y); },
      transposed_of<A>(),
      [](const void* o) {
        if constexpr (requires { bool(as<A>(o).has_transpose()); }) return bool(as<A>(o).has_transpose());
        return transposed_of<A>() != nullptr;
      },
      [](const void* o, In<T> x, Out<T> y, In<T> w, Slot<T> slot) {
        if constexpr (requires { as<A>(o).apply_dot(x, y, w, slot); }) {
          as<A>(o).apply_dot(x, y, w, slot);
          return true;
        } else {
          return false;
        }
      },
      [](const void* o, In<float> x, Out<float> y, In<float> w, double* slot) {
        if constexpr (mixes<A>) as<A>(o).mixed_dot(x, y, w, slot);
      },
      [](const void* o) {
        if constexpr (mixes<A> && requires { bool(as<A>(o).has_mixed_dot()); }) return bool(as<A>(o).has_mixed_dot());
        return mixes<A>;
      },
      [](const void* o, In<T> x, In<T> b, Out<T> r, Slot<T> slot) {
        if constexpr (requires { bool(as<A>(o).residual(x, b, r, slot)); }) {
          return static_cast<bool>(as<A>(o).residual(x, b, r, slot));
        } else {
          return false;
        }
      },
      [](const void* o, double outer, double inner, In<T> x, In<T> b, Out<T> r, Slot<T> slot) {
        if constexpr (requires { bool(as<A>(o).accurate_residual(outer, inner, x, b, r, slot)); }) {
          return static_cast<bool>(as<A>(o).accurate_residual(outer, inner, x, b, r, slot));
        } else {
          return false;
        }
      },
      is_capturable<A>};

  bool is_scaled() const { return space_ != nullptr; }

  const void* object_;
  const Calls* calls_;
  const Space* space_ = nullptr;  ///< null unless the operator is scaled
  Out<T> room_;
  double inner_ = 1, outer_ = 1;
};

}  // namespace ostinato
