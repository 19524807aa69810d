// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include <ostinato/preconditioners/ilu/factors.hpp>
#include <ostinato/preconditioners/ilu/preparation.hpp>
#include <ostinato/preconditioners/ilu/sweep.hpp>
#include <ostinato/spmv/matrix/space_csr.hpp>

namespace ostinato {

/// M^-1 as two triangular sweeps: z = C Q U^-1 L^-1 P R r, where R and C scale, and P and Q permute the matrix that was
/// factored. The sweeps contain scalings and permutations.
template <class Space, class T>
class Factored {
 public:
  /// Throws    ArgumentError when a factor leaves the range of T; DeviceError; std::bad_alloc.
  Factored(const Space& space, const Factors& factors, const Preparation& how);

  /// z = M^-1 r
  /// Exec      As Sweep::run(). One thread at a time applies an object.
  void apply(std::span<const T> r, std::span<T> z) const;

  std::size_t bytes() const { return lower_.bytes() + upper_.bytes() + between_.bytes(); }
  /// The bytes() of factors with so many rows and entries beside the diagonal.
  static constexpr std::size_t bytes_of(std::size_t rows, std::size_t entries) {
    return 2 * (rows + 1) * sizeof(Offset) + rows * (4 * sizeof(Index) + 3 * sizeof(T)) +
           entries * (sizeof(Index) + sizeof(T));
  }

 private:
  Sweep<Space, T> lower_, upper_;
  mutable Vector<Space, T> between_;  ///< L^-1 P R r
};

extern template class Factored<Host, float>;
extern template class Factored<Host, double>;
extern template class Factored<Cuda, float>;
extern template class Factored<Cuda, double>;

/// A matrix of a space in host memory, in double precision.
template <class Space, class T>
Csr<double> host_copy(const Space& space, const SpaceCsr<Space, T>& a);

}  // namespace ostinato
