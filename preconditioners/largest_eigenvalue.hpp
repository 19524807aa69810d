// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <ostinato/spmv/dense/tridiagonal.hpp>
#include <ostinato/spmv/matrix/csr.hpp>
#include <ostinato/spmv/operator.hpp>
#include <ostinato/spmv/space/vector.hpp>

namespace ostinato {

struct LargestEigenvalue {
  double bound;
  bool is_symmetric;  ///< A is symmetric but for rounding, as far as the Lanczos method has seen
};

/// A bound from above for the eigenvalues of sign |D|^-1 A, or a number a little below the largest. For a matrix that
/// is symmetric but for rounding some steps of the Lanczos method from a fixed random vector give the largest Ritz
/// value and the norm of its residual, whose sum is the bound. Otherwise the bound is the largest row sum of |D^-1 A|,
/// which is also taken where it is smaller. 1 for an empty matrix, or a zero one.
///
/// `steps`: of the Lanczos method; 5 for a matrix of a million rows or more where these lead to the largest row sum,
/// but for 2 %. The bound is within 5 % of the largest eigenvalue after 15
/// (tests/preconditioners/chebyshev_test.cpp).
///
/// Exec      Waits.
/// Requires  `inverse` is |D|^-1; `sign` is that of definite_sign(). `a` is the matrix of `op`, in the memory of the
///           space.
/// Source    Zhou & Li, J. Comput. Phys. 230 (2011) 8480.
template <class Space, class T>
class EigenvalueSearch {
 public:
  /// Sums the rows. `enough`: for end_by_row_sums().
  /// Exec      Enqueued on Cuda.
  EigenvalueSearch(const Space& space, const CsrView<T>& a, const Vector<Space, T>& inverse, int sign, int steps = 15,
                   double enough = 0);

  /// Ends those of some searches in the same space that weren't started and whose largest row sum is at most their
  /// `enough`: that is their bound then. `is_symmetric`: what they say of the matrices.
  /// Exec      Waits, once for all of them.
  static void end_by_row_sums(std::span<EigenvalueSearch> searches, bool is_symmetric);

  /// Takes the steps of the Lanczos method, unless they were taken or the search was ended.
  /// Exec      Enqueued on Cuda, but for a look at a large matrix that may not be symmetric.
  void start(const Operator<Space, T>& op, const Vector<Space, T>& inverse);

  /// What each of some searches in the same space has found, all of which were started or ended.
  /// Exec      Waits, once for all of them.
  static std::vector<LargestEigenvalue> results(std::span<const EigenvalueSearch> searches);

 private:
  /// What a search has left in host memory.
  struct Left {
    std::vector<std::int32_t> row_sums;
    std::vector<double> slots;
  };
  LargestEigenvalue read(const Left& left) const;
  bool is_near_row_sums(int steps) const;

  std::optional<Space> space_;  ///< none for an empty matrix
  double sign_, enough_;
  int steps_;
  Vector<Space, std::int32_t> row_sums_;
  Vector<Space, double> slots_;             ///< empty before start()
  std::optional<LargestEigenvalue> ended_;  ///< by end_by_row_sums()
};

/// The same, at once.
template <class Space, class T>
LargestEigenvalue largest_eigenvalue(const Operator<Space, T>& op, const CsrView<T>& a, const Vector<Space, T>& inverse,
                                     int sign, int steps = 15);

/// The largest eigenvalue, plus the norm of the residual of its vector. Zero rows give 0.
double ritz_bound(const Tridiagonal& t);

}  // namespace ostinato
