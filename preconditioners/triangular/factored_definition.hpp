// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/preconditioners/triangular/factored.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include <ostinato/spmv/base/error.hpp>

namespace ostinato {

namespace factored_definition {

inline std::size_t at(Index i) { return static_cast<std::size_t>(i); }

inline std::size_t at(Offset k) { return static_cast<std::size_t>(k); }

/// L y = P R r
inline Substitution lower_sweep(Csr<double> lower, const Preparation& how) {
  Substitution s{std::move(lower.row_ptr), std::move(lower.col), std::move(lower.val), how.row, how.row, {}};
  std::iota(s.target.begin(), s.target.end(), Index{0});
  s.scale.assign(s.target.size(), 1);
  if (how.is_scaled()) {
    for (std::size_t i = 0; i < s.scale.size(); ++i) s.scale[i] = how.row_scale[at(how.row[i])];
  }
  return s;
}

/// U C^-1 Q^T z = y, from the last row to the first. Elements of z are numbered as the columns of A.
inline Substitution upper_sweep(const Factors& f, const Preparation& how) {
  const std::size_t n = f.pivot.size();
  std::vector<Index> column(n);
  std::vector<double> scale(n, 1);
  for (std::size_t i = 0; i < n; ++i) {
    column[i] = how.col[f.col.empty() ? i : at(f.col[i])];
    if (how.is_scaled()) scale[i] = how.col_scale[at(column[i])];
  }
  Substitution s;
  s.row_ptr.reserve(n + 1);
  s.col.resize(f.upper.col.size());
  s.val.resize(f.upper.val.size());
  std::size_t entry = 0;
  for (std::size_t i = n; i-- > 0;) {
    const double inverse = scale[i] / f.pivot[i];
    for (std::size_t k = at(f.upper.row_ptr[i]); k < at(f.upper.row_ptr[i + 1]); ++k, ++entry) {
      const std::size_t j = at(f.upper.col[k]);
      s.col[entry] = column[j];
      s.val[entry] = how.is_scaled() ? inverse * f.upper.val[k] / scale[j] : inverse * f.upper.val[k];
    }
    s.row_ptr.push_back(static_cast<Offset>(entry));
    s.source.push_back(static_cast<Index>(i));
    s.target.push_back(column[i]);
    s.scale.push_back(inverse);
  }
  return s;
}

}  // namespace factored_definition

template <class Space, class T, class V>
void Factored<Space, T, V>::throw_out_of_range() {
  if (!is_narrow) detail::throw_out_of_range();
  throw ArgumentError("the triangular factors leave the range of float; take precision=double, or scale the matrix");
}

namespace factored_definition {

/// The sweep, whose numbers fit.
template <class Sweeps>
Substitution in_range(Substitution s) {
  Sweeps::require_scales(s.scale);
  if (!Sweeps::is_narrow) return s;
  const bool small =
      std::all_of(s.val.begin(), s.val.end(), [](double v) { return std::isfinite(static_cast<float>(v)); });
  if (!small) Sweeps::throw_out_of_range();
  return s;
}

}  // namespace factored_definition

template <class Space, class T, class V>
Factored<Space, T, V>::Factored(const Space& space, Factors factors, const Preparation& how)
    : Factored(space,
               Sweep<Space, V>(space, factored_definition::in_range<Factored>(
                                          factored_definition::lower_sweep(std::move(factors.lower), how))),
               Sweep<Space, V>(
                   space, factored_definition::in_range<Factored>(factored_definition::upper_sweep(factors, how)))) {}

template <class Space, class T, class V>
Factored<Space, T, V>::Factored(const Space& space, Sweep<Space, V> lower, Sweep<Space, V> upper)
    : lower_(std::move(lower)),
      upper_(std::move(upper)),
      between_(space, lower_.arrays().target.size()),
      narrow_(space, is_narrow ? between_.size() : 0) {}

template <class Space, class T, class V>
void Factored<Space, T, V>::apply(std::span<const T> r, std::span<T> z) const {
  lower_.template run<T, V>(r, between_.span());
  const std::span<const V> between = between_.span();
  if constexpr (is_narrow) {
    upper_.template run<V, T>(between, narrow_.span(), z);
  } else {
    upper_.template run<V, V>(between, z);
  }
}

template <class Space, class T>
Csr<double> host_copy(const Space& space, const SpaceCsr<Space, T>& a) {
  const CsrView<T>& v = a.view();
  Csr<double> h{v.rows, v.cols, Array<Offset>(v.row_ptr.size()), Array<Index>(v.col.size()),
                Array<double>(v.val.size())};
  Array<T> val(v.val.size());
  space.download(h.row_ptr.data(), v.row_ptr.data(), v.row_ptr.size_bytes());
  space.download(h.col.data(), v.col.data(), v.col.size_bytes());
  space.download(val.data(), v.val.data(), v.val.size_bytes());
  h.val.assign(val.begin(), val.end());
  return h;
}

}  // namespace ostinato
