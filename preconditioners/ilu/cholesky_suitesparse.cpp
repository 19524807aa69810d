// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/ilu/cholesky.hpp>

#include <suitesparse/cholmod.h>

#include <algorithm>
#include <limits>
#include <new>
#include <utility>

#include <ostinato/preconditioners/ilu/ic.hpp>
#include <ostinato/spmv/base/error.hpp>

namespace ostinato {

const char* const cholesky_library = "CHOLMOD";

namespace {

/// CHOLMOD with its workspace, for factors row by row in the order of the matrix.
class Cholmod {
 public:
  explicit Cholmod(const CsrView<double>& a) {
    cholmod_start(&common_);
    common_.print = 0;
    common_.nmethods = 1;
    common_.method[0].ordering = CHOLMOD_NATURAL;
    common_.postorder = false;
    common_.supernodal = CHOLMOD_SIMPLICIAL;
    common_.quick_return_if_not_posdef = true;
    read_lower_triangle(a);
  }
  Cholmod(const Cholmod&) = delete;
  Cholmod& operator=(const Cholmod&) = delete;
  ~Cholmod() {
    cholmod_free_factor(&factor_, &common_);
    cholmod_finish(&common_);
  }

  /// Finds the pattern of L. Returns the entries of L beside its diagonal.
  Offset analyse() {
    factor_ = cholmod_analyze(&matrix_, &common_);
    require_ok();
    return static_cast<Offset>(common_.lnz) - static_cast<Offset>(matrix_.nrow);
  }

  void factor(const StopRequest& stop) {
    constexpr std::size_t rows_at_once = 64;
    for (std::size_t i = 0; i < matrix_.nrow; i += rows_at_once) {
      end_factoring_on(stop);
      double no_shift[2] = {0, 0};
      cholmod_rowfac(&matrix_, nullptr, no_shift, i, std::min(i + rows_at_once, matrix_.nrow), factor_, &common_);
      require_ok();
    }
  }

  /// Copies the factors. L D L^T has the columns of L as rows of L^T.
  Factors factors() const {
    const auto n = static_cast<Index>(matrix_.nrow);
    const int *const begin = static_cast<int*>(factor_->p), *const count = static_cast<int*>(factor_->nz),
                     *const row = static_cast<int*>(factor_->i);
    const double* const value = static_cast<double*>(factor_->x);
    Factors f;
    f.upper = {n, n, Array<Offset>(1, 0), {}, {}};
    for (Index k = 0; k < n; ++k) {
      const double pivot = value[begin[k]];  // the first entry of a column is that of D
      if (!(pivot > 0 && pivot < std::numeric_limits<double>::infinity())) detail::throw_not_definite();
      f.pivot.push_back(pivot);
      for (int q = begin[k] + 1; q < begin[k] + count[k]; ++q) {
        f.upper.col.push_back(row[q]);
        f.upper.val.push_back(value[q]);
      }
      f.upper.row_ptr.push_back(f.upper.nonzeros());
    }
    f.lower = transpose(f.upper.view(), checked);
    for (Index k = 0; k < n; ++k) {
      for (auto q = static_cast<std::size_t>(f.upper.row_ptr[static_cast<std::size_t>(k)]);
           q < static_cast<std::size_t>(f.upper.row_ptr[static_cast<std::size_t>(k) + 1]); ++q)
        f.upper.val[q] *= f.pivot[static_cast<std::size_t>(k)];
    }
    return f;
  }

 private:
  /// The rows of the lower triangle are the columns of the upper one, which CHOLMOD reads.
  void read_lower_triangle(const CsrView<double>& a) {
    begin_.push_back(0);
    for (std::size_t i = 0; i < static_cast<std::size_t>(a.rows); ++i) {
      for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k) {
        if (a.col[k] > static_cast<Index>(i)) break;
        row_.push_back(a.col[k]);
        value_.push_back(a.val[k]);
      }
      if (row_.size() > static_cast<std::size_t>(std::numeric_limits<int>::max())) throw TooManyEntries();
      begin_.push_back(static_cast<int>(row_.size()));
    }
    matrix_.nrow = matrix_.ncol = static_cast<std::size_t>(a.rows);
    matrix_.nzmax = row_.size();
    matrix_.p = begin_.data();
    matrix_.i = row_.data();
    matrix_.x = value_.data();
    matrix_.stype = 1;
    matrix_.itype = CHOLMOD_INT;
    matrix_.xtype = CHOLMOD_REAL;
    matrix_.dtype = CHOLMOD_DOUBLE;
    matrix_.sorted = matrix_.packed = true;
  }

  void require_ok() const {
    if (common_.status == CHOLMOD_OUT_OF_MEMORY) throw std::bad_alloc();
    if (common_.status == CHOLMOD_TOO_LARGE) throw TooManyEntries();
    if (common_.status == CHOLMOD_NOT_POSDEF) detail::throw_not_definite();
    if (common_.status < CHOLMOD_OK) throw ArgumentError("cholesky: CHOLMOD can't factor the matrix; take lu");
  }

  mutable cholmod_common common_{};
  cholmod_sparse matrix_{};
  cholmod_factor* factor_ = nullptr;
  Array<int> begin_, row_;
  Array<double> value_;
};

}  // namespace

Factors factor_cholesky(const CsrView<double>& a, const FactorMemory& memory, const StopRequest& stop) {
  if (a.rows == 0) return factor_ic(a, {});  // CHOLMOD takes no matrix without rows
  Cholmod cholmod(a);
  detail::announce_cholesky(cholmod.analyse(), a.rows, memory);
  cholmod.factor(stop);
  return cholmod.factors();
}

}  // namespace ostinato
