// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/preconditioners/multigrid/algebraic/coarse_inverse.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>

#include <ostinato/preconditioners/multigrid/algebraic/level_steps.hpp>
#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/space/concept.hpp>

namespace ostinato::algebraic {

namespace coarse_inverse_definition {

/// A pivot of the coarsest matrix that should be 0, in its diagonal entry.
template <class T>
constexpr double no_pivot = is_single<T> ? 1e-5 : 1e-10;

/// A pivot that is smaller in its diagonal entry leaves the matrix to the host, which chooses the pivots: with the
/// pivots in their order, what should be 0 might become a large number after smaller ones.
template <class T>
constexpr double least_pivot = is_single<T> ? 1e-3 : 1e-4;

}  // namespace coarse_inverse_definition

template <class Space, class T>
CoarseInverse<Space, T>::CoarseInverse(const Space& space, const SpaceCsr<Space, T>& a,
                                       const Vector<Space, double>& sizes, double factor, Vector<Space, float>& to)
    : space_(space), a_(a), sizes_(sizes), factor_(factor), to_(to) {
  const Index rows = a_.view().rows;
  is_cuda<Space>&& rows > 0 && rows <= most_inverted_in_block ? start_on_gpu() : start_download();
}

template <class Space, class T>
void CoarseInverse<Space, T>::start_on_gpu() {
  if constexpr (is_cuda<Space>) {
    const CsrView<T>& a = a_.view();
    on_gpu_.full = Vector<Space, double>(space_, to_.size());
    on_gpu_.is_made = Vector<Space, int>(space_, 1);
    const double* const sizes = sizes_.size() == 0 ? nullptr : sizes_.data();
    invert_in_block(space_,
                    CoarsestMatrix<T>{detail::pattern_of(a), a.val.data(), sizes, factor_, rounding_of_sum<T>,
                                      coarse_inverse_definition::no_pivot<T>, coarse_inverse_definition::least_pivot<T>,
                                      on_gpu_.full.data(), to_.data(), on_gpu_.is_made.data()});
    on_gpu_.copy.emplace(space_, std::vector<Copied>{copied(on_gpu_.made, on_gpu_.is_made.data())});
  }
}

template <class Space, class T>
void CoarseInverse<Space, T>::start_download() {
  const CsrView<T>& a = a_.view();
  to_host_.row_ptr.resize(a.row_ptr.size());
  to_host_.col.resize(a.col.size());
  to_host_.val.resize(a.val.size());
  to_host_.sizes.resize(sizes_.size());
  to_host_.copy.emplace(space_, std::vector<Copied>{{to_host_.row_ptr.data(), a.row_ptr.data(), a.row_ptr.size_bytes()},
                                                    {to_host_.col.data(), a.col.data(), a.col.size_bytes()},
                                                    {to_host_.val.data(), a.val.data(), a.val.size_bytes()},
                                                    {to_host_.sizes.data(), sizes_.data(), sizes_.bytes()}});
}

template <class Space, class T>
void CoarseInverse<Space, T>::finish() {
  if (on_gpu_.copy) on_gpu_.copy->finish();
  if (on_gpu_.made == 0) to_.upload(made_on_host());
}

template <class Space, class T>
std::vector<float> CoarseInverse<Space, T>::made_on_host() {
  if (!to_host_.copy) start_download();
  to_host_.copy->finish();
  const Index rows = a_.view().rows;
  const std::vector<T>& values = to_host_.val;
  const std::vector<double>& sizes = to_host_.sizes;
  Csr<double> d{rows, rows, Array<Offset>(to_host_.row_ptr.size()), Array<Index>(to_host_.col.size()),
                Array<double>(values.size())};
  std::copy(to_host_.row_ptr.begin(), to_host_.row_ptr.end(), d.row_ptr.begin());
  std::copy(to_host_.col.begin(), to_host_.col.end(), d.col.begin());
  for (std::size_t k = 0; k < values.size(); ++k) d.val[k] = factor_ * static_cast<double>(values[k]);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    for (auto k = static_cast<std::size_t>(d.row_ptr[i]); k < static_cast<std::size_t>(d.row_ptr[i + 1]); ++k) {
      const bool is_own = d.col[k] == static_cast<Index>(i);
      if (is_own && std::abs(d.val[k]) <= rounding_of_sum<T> * sizes[i]) d.val[k] = 0;
    }
  }
  const std::vector<double> inverse = coarse_inverse(d, coarse_inverse_definition::no_pivot<T>);
  std::vector<float> made(inverse.begin(), inverse.end());
  if (!std::all_of(made.begin(), made.end(), [](float v) { return std::isfinite(v); }))
    throw ArgumentError("multigrid: the coarsest matrix has no inverse in float");
  return made;
}

}  // namespace ostinato::algebraic
