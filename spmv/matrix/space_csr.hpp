// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>

#include <ostinato/spmv/matrix/csr.hpp>
#include <ostinato/spmv/space/vector.hpp>

namespace ostinato {

class Host;
class Cuda;

/// A tag: the arrays of a view are already in the memory of the space.
struct OnSpace {};
inline constexpr OnSpace on_space;

/// A tag: a matrix has the same pattern as one that was checked before, so that its rows ascend and are free of
/// duplicates.
struct SamePattern {};
inline constexpr SamePattern same_pattern;

/// The arrays of a CSR matrix in the memory of a space, for code that makes a matrix there.
///
/// Layout    sizeof(T) + 4 bytes per entry and 8 bytes per row.
template <class Space, class T>
struct CsrStorage {
  Index rows = 0;
  Index cols = 0;
  Vector<Space, Offset> row_ptr;
  Vector<Space, Index> col;
  Vector<Space, T> val;

  CsrView<T> view() const { return {rows, cols, row_ptr, col, val}; }
};

/// A CSR matrix in the memory of a space, with ascending columns and no duplicates in each row. The analysis and all
/// formats are built from this class. Copies share the arrays. Arrays that the object owns live as long as a copy does.
///
/// Exec      On Cuda the constructors without OnSpace upload the arrays (Cuda::upload).
/// Throws    ArgumentError when the arrays don't form a valid matrix (check()); DeviceError; std::bad_alloc.
template <class Space, class T>
class SpaceCsr {
 public:
  /// On Host the object refers to the caller's arrays, which must outlive the object, its copies and what is built from
  /// them. When rows are unsorted or hold duplicates, the object owns a sorted copy instead.
  SpaceCsr(const Space& space, const CsrView<T>& a);

  /// The same, but the arrays need to outlive the object and its copies only: kept() copies them.
  SpaceCsr(const Space& space, const Csr<T>& a);

  /// The same for arrays that needn't be checked again.
  SpaceCsr(const Space& space, const CsrView<T>& a, SamePattern);
  SpaceCsr(const Space& space, const Csr<T>& a, SamePattern);

  /// On Host the object takes over the arrays of the matrix.
  SpaceCsr(const Space& space, Csr<T>&& a);

  /// Refers to arrays in the memory of the space, which must outlive the object and its copies.
  /// Requires  Ascending columns, no duplicates and valid indices. The constructor doesn't check this.
  /// Throws    ArgumentError when the sizes of the arrays don't fit; DeviceError when an array is in host memory that
  ///           the GPU can't read, or in the memory of another GPU.
  SpaceCsr(const Space& space, const CsrView<T>& a, OnSpace);

  /// Shares the arrays with their other owners, who may change the values as long as no work reads them.
  /// Requires  As with OnSpace.
  explicit SpaceCsr(std::shared_ptr<const CsrStorage<Space, T>> arrays) : view_(arrays->view()) {
    owned_ = std::move(arrays);
  }

  /// Refers to the pattern of another matrix in the memory of the space, which may end before what is built from the
  /// object: kept() copies the arrays. Copies of the object share the values.
  /// Requires  As with OnSpace.
  template <class U>
  SpaceCsr(const CsrView<U>& pattern, std::shared_ptr<const Vector<Space, T>> values)
      : borrowed_(true), view_{pattern.rows, pattern.cols, pattern.row_ptr, pattern.col, *values} {
    owned_ = std::move(values);
  }

  const CsrView<T>& view() const { return view_; }
  /// The arrays that were given had unsorted rows or duplicates, so that the object holds a sorted copy.
  bool is_sorted_copy() const { return is_sorted_copy_; }

  /// The matrix for an object that goes on using its arrays: one that owns a copy where the arrays are those of a Csr
  /// of the caller, else a copy of this object.
  SpaceCsr kept(const Space& space) const;

  /// Takes the values of a matrix with the same pattern, to go on using them: as *this = a.kept(space), but without a
  /// copy of the pattern where this object has a copy of its own.
  void take_values(const Space& space, const SpaceCsr& a);

  /// Takes over the arrays of the matrix from whose view the object was made, if the object refers to them.
  void keep(Csr<T>&& a);

 private:
  void upload(const Space& space, const CsrView<T>& a);

  std::shared_ptr<const void> owned_;  ///< what this object and its copies own: all arrays, none, or the values
  bool is_sorted_copy_ = false;
  bool borrowed_ = false;  ///< arrays that the object doesn't own may end before what is built from it
  CsrView<T> view_;
};

}  // namespace ostinato
