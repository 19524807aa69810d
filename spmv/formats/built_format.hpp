// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include <ostinato/spmv/matrix/space_csr.hpp>

namespace ostinato {

struct Structure;

/// A matrix stored in some format. Only the object file of the format knows the format's class.
///
/// Exec      Products are enqueued and allocate no device memory.
/// Requires  x and y don't overlap and have the lengths of the matrix; the callers check both.
template <class Space, class T>
class BuiltFormat {
 public:
  virtual ~BuiltFormat() = default;

  /// y = alpha A x + beta y; beta = 0 overwrites y, even where y holds NaN.
  virtual void apply(T alpha, std::span<const T> x, T beta, std::span<T> y) const = 0;

  /// y = A x and *slot = w . y in one pass; the slot is in the memory of the space. Returns false and does nothing when
  /// the format has no such pass.
  virtual bool apply_dot(std::span<const T> x, std::span<T> y, std::span<const T> w, double* slot) const = 0;

  /// r = b - A x and *slot = r . r in one pass. Returns false and does nothing when the format has no such pass.
  virtual bool residual(std::span<const T> x, std::span<const T> b, std::span<T> r, double* slot) const = 0;

  /// y = A x and *slot = w . y in one pass for vectors in float, of a matrix in double: the terms of a row are added up
  /// in double. Does nothing unless has_mixed_dot().
  virtual void mixed_dot(std::span<const float> x, std::span<float> y, std::span<const float> w,
                         double* slot) const = 0;
  virtual bool has_mixed_dot() const = 0;

  /// Takes new values on the same pattern. Returns false when the format has to be built anew; until then the object
  /// must not be used.
  virtual bool update_values(const SpaceCsr<Space, T>& a) = 0;

  /// The matrix in CSR, where the format stores it so; null for other formats.
  virtual const SpaceCsr<Space, T>* csr() const = 0;

  /// Compiles kernels for this matrix: in the background, or before the return when `wait` is set. Does nothing for a
  /// format that generates no kernels. Throws DeviceError when `wait` is set and the compilation fails.
  virtual void generate(bool wait) = 0;

  /// A number that changes when compiled kernels come into use; a graph captured before is then out of date.
  virtual int revision() const = 0;

  /// The state of the compiled kernels in words; empty when generate() wasn't called.
  virtual std::string generated() const = 0;

  virtual std::size_t bytes() const = 0;  ///< bytes stored for the matrix
};

}  // namespace ostinato
