// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>
#include <span>

#include <ostinato/preconditioners/triangular/factors.hpp>
#include <ostinato/preconditioners/triangular/preparation.hpp>
#include <ostinato/preconditioners/triangular/scale_range.hpp>
#include <ostinato/preconditioners/triangular/sweep.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/matrix/space_csr.hpp>
#include <ostinato/spmv/space/list.hpp>

namespace ostinato {

/// M^-1 as two triangular sweeps: z = C Q U^-1 L^-1 P R r, where R and C scale, and P and Q permute the matrix that was
/// factored. The sweeps contain scalings and permutations. The factors are kept and the sweeps computed in V: T, or
/// float under double.
template <class Space, class T, class V = T>
class Factored {
 public:
  /// Under double, the scales of rows and columns leave room in the range of float for the vectors.
  static constexpr bool is_narrow = is_single<V> && !is_single<T>;
  static constexpr ScaleRange<V> scale_range =
      is_narrow ? ScaleRange<V>{0x1p-100, 0x1p100} : ScaleRange<V>{0, std::numeric_limits<double>::infinity()};
  /// Throws    As throw_out_of_range(), for a scale that isn't in the range.
  static void require_scales(std::span<const double> scales) {
    for (const double scale : scales) {
      if (!scale_range.holds(scale)) throw_out_of_range();
    }
  }

  /// Throws    ArgumentError when a factor leaves the range of V; DeviceError; std::bad_alloc.
  Factored(const Space& space, Factors factors, const Preparation& how);

  /// Sweeps that were made in the memory of the space.
  Factored(const Space& space, Sweep<Space, V> lower, Sweep<Space, V> upper);

  /// z = M^-1 r
  /// Exec      As Sweep::run(). One thread at a time applies an object.
  void apply(std::span<const T> r, std::span<T> z) const;

  Sweep<Space, V>& lower() { return lower_; }
  Sweep<Space, V>& upper() { return upper_; }
  const Sweep<Space, V>& lower() const { return lower_; }
  const Sweep<Space, V>& upper() const { return upper_; }

  const Space& space() const { return lower_.space(); }
  std::size_t rows() const { return between_.size(); }
  std::size_t bytes() const { return lower_.bytes() + upper_.bytes() + between_.bytes() + narrow_.bytes(); }
  double seconds() const { return lower_.seconds() + upper_.seconds(); }  ///< of both sweeps, as far as it is predicted
  /// The bytes() of factors with so many rows and entries beside the diagonal.
  static constexpr std::size_t bytes_of(std::size_t rows, std::size_t entries) {
    constexpr std::size_t vectors = std::is_same_v<T, V> ? 1 : 2;
    // Twice the bytes of a sweep with half of the entries.
    return 2 * Sweep<Space, V>::bytes_of(rows, entries / 2) + entries % 2 * (sizeof(Index) + sizeof(V)) +
           rows * vectors * sizeof(V);
  }

  /// Throws    ArgumentError which says that the factors leave the range of V.
  [[noreturn]] static void throw_out_of_range();

 private:
  Sweep<Space, V> lower_, upper_;
  mutable Vector<Space, V> between_;  ///< L^-1 P R r
  mutable Vector<Space, V> narrow_;   ///< z in V; empty when that is T
};

#define OSTINATO_EXTERN(Space, T, V) extern template class Factored<Space, T, V>
OSTINATO_DECLARED_ALL_MIXED(OSTINATO_EXTERN);
#undef OSTINATO_EXTERN

/// A matrix of a space in host memory, in double precision.
template <class Space, class T>
Csr<double> host_copy(const Space& space, const SpaceCsr<Space, T>& a);

}  // namespace ostinato
