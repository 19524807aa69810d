// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include <ostinato/preconditioners/contract/memory_budget.hpp>
#include <ostinato/spmv/analysis/analysis.hpp>
#include <ostinato/spmv/base/revision.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/space/vector.hpp>

namespace ostinato {

/// The sparse approximate inverse with the pattern of the identity: M^-1 is the diagonal that makes I - M^-1 A smallest
/// in the Frobenius norm, m(i) = A(i, i) / |row i of A|^2. Where a diagonal entry is small beside its row, Jacobi
/// divides by it and SPAI-0 gives the row little weight. For a symmetric matrix m(i) = |A(i, i)| / |row i of A|^2,
/// which is positive definite as MINRES requires.
///
/// Traffic   One application moves 3 n sizeof(T) bytes, its dot product included.
/// Exec      The constructor reads the matrix twice in the memory of the space and waits for the result. apply and
///           apply_dot are enqueued, allocate nothing, and may be captured.
/// Throws    ArgumentError when the matrix isn't square, or naming the first row whose diagonal entry is missing, 0 or
///           not finite, or whose m leaves the range of T.
/// Source    Broeker & Grote, Appl. Numer. Math. 41 (2002) 61.
template <class Space, class T>
class Spai0 {
 public:
  using space_type = Space;
  using value_type = T;
  using is_capturable = void;
  static constexpr std::string_view name = "spai0";
  static constexpr std::string_view description = "the best diagonal approximate inverse";

  static std::string why_not(const Structure& s);

  explicit Spai0(const Analysis<Space, T>& analysis);
  Spai0(const Space& space, const Csr<T>& a) : Spai0(Analysis<Space, T>(space, a)) {}

  /// Takes a matrix with new values. After an exception the object is as before.
  /// Throws    DimensionError for another number of rows; as the constructor.
  void update_values(const Analysis<Space, T>& analysis);

  std::size_t rows() const { return diagonal_.size(); }
  const T* inverse_diagonal() const { return diagonal_.data(); }
  const Space& space() const { return space_; }
  /// Changes with update_values(), and when another one is assigned.
  int revision() const { return revision_.number(); }
  /// z = M^-1 r
  void apply(std::span<const T> r, std::span<T> z) const;
  /// z = M^-1 r;  *slot = r . z
  void apply_dot(std::span<const T> r, std::span<T> z, Slot<T> slot) const;

  static MemoryPrediction predict(const Analysis<Space, T>& analysis) {
    return {sizeof(T) * static_cast<std::size_t>(analysis.structure().rows)};
  }
  std::size_t bytes() const { return diagonal_.bytes(); }

 private:
  Space space_;
  Vector<Space, T> diagonal_;  ///< of M^-1
  Revision revision_;
};

template <class Space, class T>
Spai0(const Space&, const Csr<T>&) -> Spai0<Space, T>;

OSTINATO_EXTERN_CLASS(Spai0);

}  // namespace ostinato
