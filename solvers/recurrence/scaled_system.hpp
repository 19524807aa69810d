// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <ostinato/preconditioners/contract/preconditioner.hpp>
#include <ostinato/solvers/recurrence/workspace.hpp>
#include <ostinato/spmv/linear_operator.hpp>

namespace ostinato {

/// ||x||, also where the squares of the elements of x are out of range: `room`, which may be x, is then overwritten.
/// Overwrites *slot. Waits for the result.
template <class T, class Space>
double norm_of(const Space& space, In<T> x, Out<T> room, Slot<T> slot);

/// The shapes of matrices that a method takes. One that takes any has a preconditioner of A^T A or A A^T.
enum class Shape { square, any };

/// Refuses vectors that don't fit the matrix, share memory, or aren't in the memory of the space, and an operator or a
/// preconditioner of another space.
/// Throws    As the constructor of ScaledSystem.
template <class Space, class T>
void require_system(const std::string& method, const Space& space, const OperatorRef<Space, T>& a, In<T> b, In<T> x,
                    const PreconditionerRef<Space, T>& m, Shape shape = Shape::square);

/// The system A x = b times powers of two, so that the squares and fourth powers that the methods form neither overflow
/// nor underflow: (2^i A) (2^(k - i) x) = 2^k b. A power of two changes no digit. The powers are 1 for matrices and
/// right-hand sides of ordinary size. The size of A is taken from its facts; an operator without facts() isn't
/// scaled.
template <class Space, class T>
class ScaledSystem {
 public:
  /// `shape`: what the method takes.
  /// Throws    DimensionError when the shapes don't fit; ArgumentError when b and x overlap, or when A or M
  ///           works on another space; on Cuda DeviceError when b or x isn't in memory that the GPU can read.
  ScaledSystem(std::string_view method, const Space& space, const OperatorRef<Space, T>& a, In<T> b, In<T> x,
               const PreconditionerRef<Space, T>& m, Workspace<Space>& workspace, Shape shape = Shape::square);

  const Space& space() const { return space_; }
  const OperatorRef<Space, T>& a() const { return a_; }        ///< 2^i A
  const PreconditionerRef<Space, T>& m() const { return m_; }  ///< 2^i M; 2^(2 i) M of A^T A or A A^T
  In<T> b() const { return b_; }                               ///< 2^k b
  double b_norm() const { return b_norm_; }                    ///< 0 only if all elements of b are 0
  bool scales_a() const { return a_exponent_ != 0; }
  double a_norm() const { return a_norm_; }  ///< ||2^i A||_inf; 1 when ||A||_inf overflows, NaN when unknown

  /// A norm of the caller's b and residual, as a norm of this system.
  double scaled(double norm) const;
  /// A norm of the caller's A, as one of 2^i A.
  double scaled_by_a(double norm) const;
  /// A norm of this system, as one of the caller's.
  double unscaled(double norm) const;
  /// A number such as p . A p or r . M^-1 r of this system, as one of the caller's.
  double unscaled_energy(double energy) const;

  /// How many elements of x a change of scale has spoilt.
  struct Lost {
    double digits = 0;     ///< elements that lost digits, because they are smaller or larger than what T can hold
    double too_large = 0;  ///< elements that became the largest finite number
  };
  void enter(Out<T> x) const;    ///< x becomes 2^(k - i) x
  Lost leave(Out<T> x) const;    ///< x becomes 2^(i - k) x
  void abandon(Out<T> x) const;  ///< the same after an exception, without the other ranks that share the space

 private:
  void scale_a(const OperatorRef<Space, T>& a, const PreconditionerRef<Space, T>& m, Workspace<Space>& workspace,
               Shape shape);
  void scale_b(In<T> b, Workspace<Space>& workspace);
  template <class On>
  void rescale(const On& space, Out<T> x, int exponent) const;
  Lost rescale(Out<T> x, int exponent) const;

  const Space& space_;
  OperatorRef<Space, T> a_;
  PreconditionerRef<Space, T> m_;
  In<T> b_;
  double b_norm_ = 0, a_norm_ = 0;
  int a_exponent_ = 0, b_exponent_ = 0;
  Slot<T> slots_;
};

}  // namespace ostinato
