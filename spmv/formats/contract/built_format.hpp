// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <ostinato/spmv/linear_map.hpp>
#include <ostinato/spmv/matrix/space_csr.hpp>

namespace ostinato {

/// A matrix stored in some format. Only the object file of the format knows the format's class.
///
/// Exec      Products are enqueued and allocate no device memory.
/// Requires  The callers of products check shapes.
template <class Space, class T>
class BuiltFormat : public LinearMap<Space, T> {
 public:
  using LinearMap<Space, T>::LinearMap;

  /// Takes new values on the same pattern. Returns false when the format has to be built anew; until then the object
  /// must not be used.
  virtual bool update_values(const SpaceCsr<Space, T>& a) = 0;

  /// The matrix in CSR, where the format stores it so; null for other formats.
  virtual const SpaceCsr<Space, T>* csr() const = 0;

  /// Compiles kernels for this matrix: in the background, or before the return when `wait` is set. Does nothing for a
  /// format that generates no kernels. Throws DeviceError when `wait` is set and the compilation fails. revision()
  /// changes when they come into use.
  virtual void generate(bool wait) = 0;

  /// The state of the compiled kernels in words; empty when generate() wasn't called.
  virtual std::string generated() const = 0;
};

}  // namespace ostinato
