// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/preconditioners/chebyshev.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <ostinato/preconditioners/chebyshev_steps.hpp>
#include <ostinato/preconditioners/contract/option_text.hpp>
#include <ostinato/preconditioners/contract/require_rows.hpp>
#include <ostinato/preconditioners/contract/require_square.hpp>
#include <ostinato/preconditioners/definite_sign.hpp>
#include <ostinato/preconditioners/jacobi_steps.hpp>
#include <ostinato/preconditioners/largest_eigenvalue.hpp>
#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/message.hpp>
#include <ostinato/spmv/selection/select_format.hpp>
#include <ostinato/spmv/space/vector_steps.hpp>

namespace ostinato {

namespace chebyshev_definition {

/// What the options are called in a text, and what they may be.
const OptionTable<ChebyshevOptions>& table();

/// The estimate of the largest eigenvalue may be a little below. The margin is that of the first kind: beyond the
/// interval its polynomial grows fastest.
inline constexpr double margin = 1.05;

/// Refuses what isn't square before an operator is made.
template <class Space, class T>
const Analysis<Space, T>& square(const Analysis<Space, T>& analysis, const ChebyshevOptions& o) {
  require_square("chebyshev", analysis.structure());
  if (!analysis.structure().finite)
    throw ArgumentError("chebyshev: the matrix holds NaN or infinity; use preconditioner none");
  table().require("chebyshev", o);
  return analysis;
}

template <class Space, class T>
Vector<Space, T> positive_inverse(const Analysis<Space, T>& analysis) {
  const Space& space = analysis.space();
  const CsrView<T>& a = analysis.matrix().view();
  Vector<Space, T> inverse(space, static_cast<std::size_t>(a.rows));
  Vector<Space, double> unusable(space, 1);
  sum(space, inverse.size(),
      detail::InvertDiagonal<T>{detail::pattern_of(a), a.val.data(), inverse.data(),
                                definite_sign(analysis.structure()) < 0},
      unusable.data());
  const std::vector<T> host = inverse.download();
  const auto bad = std::find_if(host.begin(), host.end(), [](T v) { return !(v > 0) || !std::isfinite(v); });
  if (bad == host.end()) return inverse;
  throw ArgumentError("chebyshev: " + row_text(static_cast<std::size_t>(bad - host.begin())) +
                      " has no positive diagonal entry that can be divided by; use preconditioner none");
}

}  // namespace chebyshev_definition

template <class Space, class T>
std::string Chebyshev<Space, T>::why_not(const Structure& s) {
  if (s.rows != s.cols) return "the matrix isn't square";
  if (!s.symmetric) return "the matrix isn't symmetric";
  return s.positive_diagonal || s.negative_diagonal ? std::string() : "the diagonal isn't positive";
}

template <class Space, class T>
std::string Chebyshev<Space, T>::known_options() {
  return chebyshev_definition::table().text();
}

template <class Space, class T>
ChebyshevOptions Chebyshev<Space, T>::parse_options(std::string_view text) {
  return chebyshev_definition::table().read(name, text);
}

template <class Space, class T>
Chebyshev<Space, T>::Chebyshev(const Analysis<Space, T>& analysis, ChebyshevOptions options)
    : options_(options),
      op_(chebyshev_definition::square(analysis, options)),
      inverse_(chebyshev_definition::positive_inverse(analysis)),
      largest_(chebyshev_definition::margin *
               largest_eigenvalue(op_, analysis.matrix().view(), inverse_, definite_sign(op_.structure())).bound),
      steps_(chebyshev_coefficients(options.kind, options.degree, largest_ / options.ratio, largest_)),
      residual_(analysis.space(), inverse_.size()),
      direction_(analysis.space(), inverse_.size()) {
  if (!std::isfinite(largest_)) {
    throw ArgumentError(
        "chebyshev: the largest eigenvalue is beyond the range of the numbers; scale the matrix, or use preconditioner "
        "none");
  }
}

template <class Space, class T>
void Chebyshev<Space, T>::update_values(const Analysis<Space, T>& analysis) {
  require_rows(name, analysis.structure(), inverse_.size());
  *this = Chebyshev(analysis, options_);
}

template <class Space, class T>
void Chebyshev<Space, T>::apply(std::span<const T> r, std::span<T> z) const {
  require_lengths(name, rows(), r.size(), z.size());
  const auto within = one_thread_.enter(name);
  const Space& space = op_.space();
  const std::size_t n = inverse_.size();
  for_each(space, n,
           detail::BeginChebyshev<T>{static_cast<T>(steps_[0].add), inverse_.data(), r.data(), residual_.data(),
                                     direction_.data(), z.data()});
  for (std::size_t k = 1; k < steps_.size(); ++k) {
    op_.apply(static_cast<T>(-definite_sign(op_.structure())), direction_, T{1}, residual_);
    for_each(space, n,
             detail::ChebyshevStep<T>{static_cast<T>(steps_[k].keep), static_cast<T>(steps_[k].add), inverse_.data(),
                                      residual_.data(), direction_.data(), z.data()});
  }
}

template <class Space, class T>
MemoryPrediction Chebyshev<Space, T>::predict(const Analysis<Space, T>& analysis, const ChebyshevOptions&) {
  const std::size_t vectors = 3 * sizeof(T) * static_cast<std::size_t>(analysis.structure().rows);
  const MemoryPrediction op = memory_of(choose_format(analysis));
  return {vectors + op.bytes, op.certainty};
}

template <class Space, class T>
std::size_t Chebyshev<Space, T>::bytes() const {
  return op_.bytes() + inverse_.bytes() + residual_.bytes() + direction_.bytes();
}

template <class Space, class T>
double Chebyshev<Space, T>::seconds() const {
  const auto& candidates = op_.choice().candidates;
  return candidates.empty() ? 0 : (options_.degree - 1) * candidates.front().product_seconds();
}

template <class Space, class T>
std::string Chebyshev<Space, T>::remarks() const {
  char text[64];
  std::snprintf(text, sizeof text, "eigenvalues up to %.3g, products in ", largest_);
  return text + op_.format();
}

}  // namespace ostinato
