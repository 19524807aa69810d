// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include <ostinato/preconditioners/ilu/library_factors.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/space/concept.hpp>

namespace ostinato {

/// M^-1 as complete factors that a library keeps in host memory, in double.
template <class Space, class T>
class FactoredByLibrary {
 public:
  FactoredByLibrary(const Space& space, LibraryFactors factors) : space_(space), factors_(std::move(factors)) {
    if (is_single<T>) wide_.resize(rows());
    if (!is_host<Space>) moved_.resize(rows());
  }

  /// z = M^-1 r
  /// Traffic   From a GPU sizeof(T) bytes a row to the host, and as many back.
  /// Exec      On the calling thread, which waits for the space. One thread at a time applies an object.
  void apply(std::span<const T> r, std::span<T> z) const {
    if constexpr (!is_host<Space>) {
      space_.download(moved_.data(), r.data(), r.size_bytes());
      solve(moved_, moved_);
      space_.upload(z.data(), moved_.data(), z.size_bytes());
    } else {
      solve(r, z);
    }
  }

  const FactorsInLibrary& factors() const { return factors_.kept(); }
  const Space& space() const { return space_; }
  std::size_t rows() const { return factors_.kept().rows(); }
  std::size_t bytes() const {
    return factors_.kept().bytes() + wide_.size() * sizeof(double) + moved_.size() * sizeof(T);
  }

 private:
  /// z = M^-1 r in host memory, which may be the same.
  void solve(std::span<const T> r, std::span<T> z) const {
    if constexpr (is_single<T>) {
      std::copy(r.begin(), r.end(), wide_.begin());
      factors_.solve(wide_);
      std::transform(wide_.begin(), wide_.end(), z.begin(), [](double v) { return static_cast<T>(v); });
    } else {
      if (r.data() != z.data()) std::copy(r.begin(), r.end(), z.begin());
      factors_.solve(z);
    }
  }

  Space space_;
  LibraryFactors factors_;
  mutable std::vector<double> wide_;  ///< r and z, where T is float
  mutable std::vector<T> moved_;      ///< r and z of a GPU
};

}  // namespace ostinato
