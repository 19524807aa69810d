// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <ostinato/preconditioners/chebyshev_coefficients.hpp>
#include <ostinato/preconditioners/contract/application.hpp>
#include <ostinato/preconditioners/contract/memory_budget.hpp>
#include <ostinato/spmv/analysis/analysis.hpp>
#include <ostinato/spmv/operator.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/space/vector.hpp>

namespace ostinato {

struct ChebyshevOptions {
  int degree = 4;  ///< steps, 1 .. 100; an application takes one product less
  ChebyshevKind kind = ChebyshevKind::first;
  int ratio = 30;  ///< first kind: the interval is largest / ratio .. largest, 2 .. 100000
};

/// A Chebyshev polynomial in D^-1 A, where D is the diagonal of A: an application does what some iterations of CG with
/// Jacobi do, without their dot products. M is symmetric positive definite when A is, or -A: a
/// symmetric matrix with a negative diagonal counts with its sign turned. The largest eigenvalue of D^-1 A
/// is estimated by products with a random vector (largest_eigenvalue.hpp).
///
/// Traffic   degree - 1 products, and 6 n sizeof(T) bytes a step.
/// Exec      The constructor makes an Operator of its own, in the format that is chosen for it, takes 15 products, and
///           waits. apply is enqueued, allocates nothing, and may be captured. One thread at a time applies an object;
///           a second one gets an ArgumentError.
/// Requires  Where the analysis was made from a CsrView on Host, the arrays of the view are lent: they must outlive the
///           object.
/// Throws    ArgumentError when the matrix isn't square, or naming the first row whose diagonal entry isn't positive
///           and finite.
/// Limits    For a matrix that isn't symmetric the largest row sum of |D^-1 A| bounds the eigenvalues; where they are
///           far from the real axis, the polynomial makes things worse.
/// Source    Saad, Iterative Methods for Sparse Linear Systems, section 12.3; Lottes, arXiv:2202.08830 (4th kind).
template <class Space, class T>
class Chebyshev {
 public:
  using space_type = Space;
  using value_type = T;
  using is_capturable = void;
  static constexpr std::string_view name = "chebyshev";
  static constexpr std::string_view description = "a polynomial in A and its diagonal; for positive definite matrices";
  using Options = ChebyshevOptions;

  static std::string why_not(const Structure& s);
  static std::string known_options();  ///< for help: "KEY=VALUES, KEY=VALUES"
  /// Throws    ArgumentError for a text with other options.
  static ChebyshevOptions parse_options(std::string_view text);

  explicit Chebyshev(const Analysis<Space, T>& analysis, ChebyshevOptions options = {});
  Chebyshev(const Space& space, const Csr<T>& a, ChebyshevOptions options = {})
      : Chebyshev(Analysis<Space, T>(space, a), options) {}

  /// Takes a matrix with new values, with the same options: makes the object anew, so that both are in memory for a
  /// while. After an exception the object is as before.
  /// Throws    DimensionError for another number of rows; as the constructor.
  void update_values(const Analysis<Space, T>& analysis);

  std::size_t rows() const { return inverse_.size(); }
  const Space& space() const { return op_.space(); }
  /// Changes with update_values(), and when another one is assigned.
  int revision() const { return op_.revision(); }
  /// z = M^-1 r
  void apply(std::span<const T> r, std::span<T> z) const;

  static MemoryPrediction predict(const Analysis<Space, T>& analysis, const ChebyshevOptions& options);
  std::size_t bytes() const;
  double seconds() const;                      ///< predicted time of the products of an application
  double largest() const { return largest_; }  ///< the upper end of the interval
  std::string remarks() const;                 ///< for reports: "eigenvalues up to 1.94, products in csr"

 private:
  ChebyshevOptions options_;
  Operator<Space, T> op_;
  Vector<Space, T> inverse_;  ///< of the diagonal
  double largest_ = 0;
  std::vector<ChebyshevCoefficients> steps_;
  mutable Vector<Space, T> residual_, direction_;
  OneThread one_thread_;
};

template <class Space, class T>
Chebyshev(const Space&, const Csr<T>&) -> Chebyshev<Space, T>;

OSTINATO_EXTERN_CLASS(Chebyshev);

}  // namespace ostinato
