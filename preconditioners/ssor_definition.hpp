// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/preconditioners/ssor.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <vector>

#include <ostinato/preconditioners/contract/option_text.hpp>
#include <ostinato/preconditioners/contract/require_rows.hpp>
#include <ostinato/preconditioners/contract/require_square.hpp>
#include <ostinato/preconditioners/definite_sign.hpp>
#include <ostinato/preconditioners/ilu/growth.hpp>
#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/message.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/ordering/colouring.hpp>

namespace ostinato {

namespace ssor_definition {

/// What the options are called in a text, and what they may be.
const OptionTable<SsorOptions>& table();

inline std::vector<Index> order_of(const CsrView<double>& a, bool coloured) {
  if (coloured) return order_by_colour(symmetric_graph(a.row_ptr, a.col));
  std::vector<Index> all(static_cast<std::size_t>(a.rows));
  std::iota(all.begin(), all.end(), Index{0});
  return all;
}

inline std::vector<double> diagonal_of(const CsrView<double>& a, bool absolute) {
  std::vector<double> d(static_cast<std::size_t>(a.rows), 0);
  for (std::size_t i = 0; i < d.size(); ++i) {
    for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k) {
      if (a.col[k] == static_cast<Index>(i)) d[i] = absolute ? std::abs(a.val[k]) : a.val[k];
    }
    if (d[i] == 0)
      throw ArgumentError("ssor: " + row_text(i) + " has no diagonal entry, or 0 there; use preconditioner none");
  }
  return d;
}

inline void append(Csr<double>& to, Index column, double value) {
  to.col.push_back(column);
  to.val.push_back(value);
}

/// M as the product of (I + omega L D^-1) and (D + omega U) / (omega (2 - omega)), or of the first and D / omega.
inline Factors factors_of(const CsrView<double>& a, const std::vector<double>& d, const SsorOptions& o) {
  Factors f;
  f.lower.rows = f.lower.cols = f.upper.rows = f.upper.cols = a.rows;
  const double divisor = o.symmetric ? o.omega * (2 - o.omega) : o.omega;
  for (std::size_t i = 0; i < d.size(); ++i) {
    for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k) {
      const Index j = a.col[k], row = static_cast<Index>(i);
      if (j < row) append(f.lower, j, o.omega * a.val[k] / d[static_cast<std::size_t>(j)]);
      if (j > row && o.symmetric) append(f.upper, j, o.omega * a.val[k] / divisor);
    }
    f.lower.row_ptr.push_back(static_cast<Offset>(f.lower.col.size()));
    f.upper.row_ptr.push_back(static_cast<Offset>(f.upper.col.size()));
    f.pivot.push_back(d[i] / divisor);
  }
  return f;
}

template <class Space, class T>
Factored<Space, T> factored(const Analysis<Space, T>& analysis, const SsorOptions& o) {
  require_square("ssor", analysis.structure());
  if (!analysis.structure().finite)
    throw ArgumentError("ssor: the matrix holds NaN or infinity; use preconditioner none");
  table().require("ssor", o);
  Csr<double> a = host_copy(analysis.space(), analysis.matrix());
  if (definite_sign(analysis.structure()) < 0)
    std::transform(a.val.begin(), a.val.end(), a.val.begin(), std::negate<>());
  const std::vector<double> d = diagonal_of(a, analysis.structure().symmetric);
  Preparation how;
  how.row = how.col = order_of(a, o.coloured);
  std::vector<double> moved;
  for (const Index i : how.row) moved.push_back(d[static_cast<std::size_t>(i)]);
  const Csr<double> ordered = prepared(a, how);
  const Factors f = factors_of(ordered, moved, o);
  require_bounded_growth("ssor", f, ordered, a, count_tiny_diagonal(a), is_single<T>,
                         "use preconditioner ilut, which pivots");
  return Factored<Space, T>(analysis.space(), f, how);
}

}  // namespace ssor_definition

template <class Space, class T>
std::string Ssor<Space, T>::why_not(const Structure& s) {
  if (s.rows != s.cols) return "the matrix isn't square";
  if (std::string why = why_no_diagonal(s); !why.empty()) return why;
  return s.finite ? std::string() : "the matrix holds NaN or infinity";
}

template <class Space, class T>
std::string Ssor<Space, T>::known_options() {
  return ssor_definition::table().text();
}

template <class Space, class T>
SsorOptions Ssor<Space, T>::parse_options(std::string_view text) {
  return ssor_definition::table().read(name, text);
}

template <class Space, class T>
Ssor<Space, T>::Ssor(const Analysis<Space, T>& analysis, SsorOptions options)
    : options_(options),
      rows_(static_cast<std::size_t>(analysis.structure().rows)),
      factored_(ssor_definition::factored(analysis, options)) {}

template <class Space, class T>
MemoryPrediction Ssor<Space, T>::predict(const Analysis<Space, T>& analysis, const SsorOptions& options) {
  const Structure& s = analysis.structure();
  const auto rows = static_cast<std::size_t>(s.rows), entries = static_cast<std::size_t>(s.nonzeros);
  const std::size_t beside = entries - std::min(entries, rows);
  const bool is_sure = options.symmetric || s.pattern_symmetric;
  return {Factored<Space, T>::bytes_of(rows, options.symmetric ? beside : beside / 2),
          is_sure ? Certainty::close : Certainty::rough};
}

template <class Space, class T>
void Ssor<Space, T>::update_values(const Analysis<Space, T>& analysis) {
  require_rows(name, analysis.structure(), rows_);
  *this = Ssor(analysis, options_);
}

}  // namespace ostinato
