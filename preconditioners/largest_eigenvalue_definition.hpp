// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/preconditioners/largest_eigenvalue.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <ostinato/preconditioners/chebyshev_steps.hpp>
#include <ostinato/spmv/space/together.hpp>

namespace ostinato {

namespace largest_eigenvalue_definition {

/// A symmetric matrix whose values were rounded on their way, such as A_multigrid, isn't quite symmetric. Part of the
/// eigenvalues.
inline constexpr double asymmetry = 1e-4;

/// |last element| of the vector that belongs to the eigenvalue x, over the vector's norm.
inline double last_of_vector(const Tridiagonal& t, double x) {
  double before = 0, now = 1, squares = 1;
  for (std::size_t k = 0; k + 1 < t.diagonal.size(); ++k) {
    const double next = ((x - t.diagonal[k]) * now - (k == 0 ? 0 : t.beside[k - 1] * before)) / t.beside[k];
    before = now;
    now = next;
    squares += now * now;
  }
  return std::abs(now) / std::sqrt(squares);
}

/// What the slots say, step by step.
class Steps {
 public:
  Steps(double sign, double rounding, double first_square)
      : sign_(sign), rounding_(rounding), norm_(std::sqrt(first_square)) {}

  bool goes_on() const { return goes_on_ && norm_ > 0 && std::isfinite(norm_); }
  bool is_symmetric() const { return is_symmetric_; }
  const Tridiagonal& found() const { return found_; }

  void take(double product, double next_square, double mirrored_product) {
    const double alpha = sign_ * product / (norm_ * norm_), next = std::sqrt(next_square);
    const double mirrored = sign_ * mirrored_product / (before_ * norm_);
    is_symmetric_ = found_.diagonal.empty() || std::abs(mirrored - norm_) <= asymmetry * std::abs(alpha);
    goes_on_ = is_symmetric_ && next > rounding_ * std::abs(alpha);  // else the vectors span all that the first holds
    if (!is_symmetric_) return;
    found_.diagonal.push_back(alpha);
    found_.beside.push_back(next);
    before_ = norm_;
    norm_ = next;
  }

 private:
  double sign_, rounding_, norm_, before_ = 1;
  bool goes_on_ = true, is_symmetric_ = true;
  Tridiagonal found_;
};

/// The first `steps` steps, from the slots in host memory.
template <class T>
Steps steps_of(const double* slots, double sign, int steps) {
  using Slots = detail::LanczosSlots;
  // The rounding of a step doesn't grow with n: a vector is as long as its rounding is by element.
  constexpr double rounding = 64 * static_cast<double>(std::numeric_limits<T>::epsilon());
  Steps read(sign, rounding, slots[Slots::norm(0)]);
  for (int k = 0; k < steps && read.goes_on(); ++k)
    read.take(slots[Slots::product(k)], slots[Slots::norm(k + 1)], slots[Slots::mirrored(k)]);
  return read;
}

/// The largest of the row sums that LargestRowSum has found.
inline double largest_of(const std::vector<std::int32_t>& row_sums) {
  return static_cast<double>(std::bit_cast<float>(*std::max_element(row_sums.begin(), row_sums.end())));
}

}  // namespace largest_eigenvalue_definition

template <class Space, class T>
EigenvalueSearch<Space, T>::EigenvalueSearch(const Space& space, const CsrView<T>& a, const Vector<Space, T>& inverse,
                                             int sign, int steps, double enough)
    : sign_(sign), enough_(enough), steps_(steps) {
  if (inverse.size() == 0) return;
  using RowSum = detail::LargestRowSum<T, Atomic<Space>>;
  space_.emplace(space);
  row_sums_ = Vector<Space, std::int32_t>(space, RowSum::slots, 0);
  for_each(space, inverse.size(), RowSum{detail::pattern_of(a), a.val.data(), inverse.data(), row_sums_.data()});
}

/// On Host, no more steps than tell something; on Cuda, where a look at the slots takes as long as a step on a small
/// level, such a look is taken only where it may save much.
template <class Space, class T>
void EigenvalueSearch<Space, T>::start(const Operator<Space, T>& op, const Vector<Space, T>& inverse) {
  using Slots = detail::LanczosSlots;
  constexpr std::size_t large = 1000000;
  constexpr int enough = 5;  // steps, after which many matrices have told nearly all
  if (!space_ || ended_ || slots_.size() > 0) return;
  const Space& space = *space_;
  const std::size_t n = inverse.size();
  slots_ = Vector<Space, double>(space, static_cast<std::size_t>(Slots::count(steps_)), 0.0);
  double* const slots = slots_.data();
  Vector<Space, T> product(space, n), u(space, n), before(space, n);
  sum(space, n, detail::LanczosBegin<T>{inverse.data(), u.data(), before.data()}, slots + Slots::norm(0));
  for (int k = 0; k < steps_; ++k) {
    const bool may_be_unsymmetric = k == 2 && !op.structure().symmetric;
    if (!Space::has_streams || (n >= large && may_be_unsymmetric)) {
      if (!largest_eigenvalue_definition::steps_of<T>(slots_.download().data(), sign_, k).goes_on()) return;
    }
    if (n >= large && k == enough && is_near_row_sums(k)) {
      steps_ = k;
      return;
    }
    op.apply_dot(u, product, u, slots + Slots::product(k));
    sum(space, n, detail::LanczosStep<T>{k, sign_, slots, inverse.data(), product.data(), u.data(), before.data()},
        slots + Slots::norm(k + 1));
    std::swap(u, before);
  }
}

/// Whether the bound after some steps is so near to the largest row sum, which no eigenvalue exceeds, that more steps
/// can't change it much.
template <class Space, class T>
bool EigenvalueSearch<Space, T>::is_near_row_sums(int steps) const {
  constexpr double near = 0.98;
  Left left{std::vector<std::int32_t>(row_sums_.size()), std::vector<double>(slots_.size())};
  download(*space_, {{left.row_sums.data(), row_sums_.data(), row_sums_.bytes()},
                     {left.slots.data(), slots_.data(), slots_.bytes()}});
  const largest_eigenvalue_definition::Steps found =
      largest_eigenvalue_definition::steps_of<T>(left.slots.data(), sign_, steps);
  return found.is_symmetric() &&
         ritz_bound(found.found()) >= near * largest_eigenvalue_definition::largest_of(left.row_sums);
}

template <class Space, class T>
void EigenvalueSearch<Space, T>::end_by_row_sums(std::span<EigenvalueSearch> searches, bool is_symmetric) {
  std::vector<std::vector<std::int32_t>> row_sums(searches.size());
  std::vector<Copied> copies;
  const Space* space = nullptr;
  for (std::size_t k = 0; k < searches.size(); ++k) {
    const EigenvalueSearch& search = searches[k];
    if (!search.space_ || search.ended_ || search.slots_.size() > 0 || !(search.enough_ > 0)) continue;
    space = &*search.space_;
    row_sums[k].resize(search.row_sums_.size());
    copies.push_back({row_sums[k].data(), search.row_sums_.data(), search.row_sums_.bytes()});
  }
  if (space == nullptr) return;
  download(*space, copies);
  for (std::size_t k = 0; k < searches.size(); ++k) {
    const double bound = row_sums[k].empty() ? 0 : largest_eigenvalue_definition::largest_of(row_sums[k]);
    if (bound > 0 && bound <= searches[k].enough_) searches[k].ended_ = {bound, is_symmetric};
  }
}

template <class Space, class T>
std::vector<LargestEigenvalue> EigenvalueSearch<Space, T>::results(std::span<const EigenvalueSearch> searches) {
  std::vector<Left> left(searches.size());
  std::vector<Copied> copies;
  const Space* space = nullptr;
  for (std::size_t k = 0; k < searches.size(); ++k) {
    const EigenvalueSearch& search = searches[k];
    if (!search.space_ || search.ended_) continue;
    space = &*search.space_;
    left[k] = {std::vector<std::int32_t>(search.row_sums_.size()), std::vector<double>(search.slots_.size())};
    copies.push_back({left[k].row_sums.data(), search.row_sums_.data(), search.row_sums_.bytes()});
    copies.push_back({left[k].slots.data(), search.slots_.data(), search.slots_.bytes()});
  }
  if (space != nullptr) download(*space, copies);
  std::vector<LargestEigenvalue> found;
  for (std::size_t k = 0; k < searches.size(); ++k)
    found.push_back(searches[k].ended_ ? *searches[k].ended_ : searches[k].read(left[k]));
  return found;
}

template <class Space, class T>
LargestEigenvalue EigenvalueSearch<Space, T>::read(const Left& left) const {
  if (left.row_sums.empty()) return {1, true};
  const double bound = largest_eigenvalue_definition::largest_of(left.row_sums);
  if (!(bound > 0)) return {1, true};  // no row has a diagonal
  const largest_eigenvalue_definition::Steps found =
      largest_eigenvalue_definition::steps_of<T>(left.slots.data(), sign_, steps_);
  const double ritz = found.is_symmetric() ? ritz_bound(found.found()) : 0;
  return {ritz > 0 && ritz < bound ? ritz : bound, found.is_symmetric()};
}

template <class Space, class T>
LargestEigenvalue largest_eigenvalue(const Operator<Space, T>& op, const CsrView<T>& a, const Vector<Space, T>& inverse,
                                     int sign, int steps) {
  EigenvalueSearch<Space, T> search(op.space(), a, inverse, sign, steps);
  search.start(op, inverse);
  return EigenvalueSearch<Space, T>::results({&search, 1}).front();
}

}  // namespace ostinato
