// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <ostinato/spmv/matrix/csr.hpp>

namespace ostinato {

class Host;
class Cuda;

/// Says that the arrays of a view are in the memory of the space already.
struct OnSpace {};
inline constexpr OnSpace on_space;

/// A CSR matrix in memory that the space reads, with ascending columns and no duplicates in each row: what the analysis
/// and all formats are made from. A copy refers to the same arrays, which live until the last copy has gone.
///
/// Exec      On Cuda the arrays are uploaded, and the constructor waits for that.
/// Throws    ArgumentError when the arrays aren't those of a matrix (check()); DeviceError; std::bad_alloc.
template <class Space, class T>
class SpaceCsr {
 public:
  /// Host: refers to the caller's arrays, which have to stay. Rows that are unsorted or hold duplicates are put in order
  /// on a copy.
  SpaceCsr(const Space& space, const CsrView<T>& a);

  /// The same; on Host the matrix is taken over.
  SpaceCsr(const Space& space, Csr<T>&& a);

  /// Refers to arrays in the memory of the space, which have to stay.
  /// Requires  Ascending columns, no duplicates and valid indices, which isn't checked.
  SpaceCsr(const Space&, const CsrView<T>& a, OnSpace) : view_(a) {}

  const CsrView<T>& view() const { return view_; }

 private:
  void take(const Space& space, Csr<T>&& a);
  void upload(const Space& space, const CsrView<T>& a);

  std::shared_ptr<const void> owned_;  ///< the arrays, when they belong to this object and its copies
  CsrView<T> view_;
};

}  // namespace ostinato
