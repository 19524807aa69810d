// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/ilu/band.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <ostinato/preconditioners/ilu/raise.hpp>

extern "C" void dgbtrf_(const int* rows, const int* cols, const int* lower, const int* upper, double* band,
                        const int* stride, int* pivot, int* info);

namespace ostinato {

const bool has_band_factors = true;

namespace {

/// A^T as LAPACK stores a band: a row of A after the other. LAPACK's rows, which change places, are the columns of A.
class TransposedBand {
 public:
  TransposedBand(const CsrView<double>& a, const Bandwidth& band)
      : a_(a),
        n_(static_cast<std::size_t>(a.rows)),
        below_(static_cast<std::size_t>(band.upper)),
        above_(below_ + static_cast<std::size_t>(band.lower)),
        stride_(above_ + below_ + 1),
        value_(n_ * stride_),
        column_(n_),
        place_(n_) {
    for (std::size_t i = 0; i < n_; ++i) {
      for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k)
        at(static_cast<std::size_t>(a.col[k]), i) = a.val[k];
    }
  }

  std::optional<Factors> factors(double boost) {
    std::vector<int> pivots = factor();
    Factors f;
    take_pivots(f, boost);
    f.lower = lower(f.pivot);
    f.upper = upper(pivots);
    f.col = std::move(column_);
    const auto is_finite = [](double v) { return std::isfinite(v); };
    if (!std::all_of(f.lower.val.begin(), f.lower.val.end(), is_finite) ||
        !std::all_of(f.upper.val.begin(), f.upper.val.end(), is_finite) ||
        !std::all_of(f.pivot.begin(), f.pivot.end(), is_finite))
      return {};
    return f;
  }

 private:
  /// Element (row, column) of A^T, or of its factors.
  double& at(std::size_t row, std::size_t column) { return value_[column * stride_ + above_ + row - column]; }

  /// A pivot that is 0 doesn't end the factorisation: there is nothing below it to be eliminated.
  std::vector<int> factor() {
    const int n = static_cast<int>(n_), below = static_cast<int>(below_), above = static_cast<int>(above_) - below,
              stride = static_cast<int>(stride_);
    std::vector<int> pivots(n_);
    int info = 0;
    dgbtrf_(&n, &n, &below, &above, value_.data(), &stride, pivots.data(), &info);
    return pivots;
  }

  void take_pivots(Factors& f, double boost) {
    for (std::size_t i = 0; i < n_; ++i) {
      double largest = 0, value = at(i, i);
      for (auto k = static_cast<std::size_t>(a_.row_ptr[i]); k < static_cast<std::size_t>(a_.row_ptr[i + 1]); ++k)
        largest = std::max(largest, std::abs(a_.val[k]));
      const PivotChange change = raise(value, largest, boost);
      f.boosted += change != PivotChange::none;
      f.null_pivots += change == PivotChange::replaced;
      f.pivot.push_back(value);
    }
  }

  /// A triangle with room for so many entries a row.
  Csr<double> triangle(std::size_t a_row) const {
    const auto n = static_cast<Index>(n_);
    Csr<double> t{n, n, Array<Offset>(1, 0), {}, {}};
    t.row_ptr.reserve(n_ + 1);
    t.col.reserve(n_ * a_row);
    t.val.reserve(n_ * a_row);
    return t;
  }

  /// The columns of LAPACK's U, divided by its diagonal.
  Csr<double> lower(const std::vector<double>& pivot) {
    Csr<double> l = triangle(above_);
    for (std::size_t i = 0; i < n_; ++i) {
      for (std::size_t j = i - std::min(i, above_); j < i; ++j) {
        if (at(j, i) == 0) continue;
        l.col.push_back(static_cast<Index>(j));
        l.val.push_back(at(j, i) / pivot[j]);
      }
      l.row_ptr.push_back(l.nonzeros());
    }
    return l;
  }

  /// The columns of LAPACK's L, times its diagonal. Their elements were written when later rows hadn't changed places.
  Csr<double> upper(const std::vector<int>& pivots) {
    Csr<double> u = triangle(below_);
    std::iota(column_.begin(), column_.end(), Index{0});
    for (std::size_t i = 0; i < n_; ++i) {
      std::swap(column_[i], column_[static_cast<std::size_t>(pivots[i]) - 1]);
      for (std::size_t j = i + 1; j <= std::min(i + below_, n_ - 1); ++j) {
        if (at(j, i) == 0) continue;
        u.col.push_back(column_[j]);
        u.val.push_back(at(j, i) * at(i, i));
      }
      u.row_ptr.push_back(u.nonzeros());
    }
    for (std::size_t i = 0; i < n_; ++i) place_[static_cast<std::size_t>(column_[i])] = static_cast<Index>(i);
    for (Index& column : u.col) column = place_[static_cast<std::size_t>(column)];
    sort_rows(u);
    return u;
  }

  const CsrView<double>& a_;
  std::size_t n_, below_, above_;  ///< diagonals of LAPACK's L and U beside the main one
  std::size_t stride_;
  std::vector<double> value_;
  std::vector<Index> column_, place_;  ///< the column of A at each place, and the reverse
};

}  // namespace

std::optional<Factors> factor_band(const CsrView<double>& a, const Bandwidth& band, double boost) {
  return TransposedBand(a, band).factors(boost);
}

}  // namespace ostinato
