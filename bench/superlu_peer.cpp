// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <slu_ddefs.h>

#include <algorithm>
#include <optional>

#include <ostinato/ostinato.hpp>
#include <ostinato/preconditioners/triangular/preparation.hpp>
#include <ostinato/spmv/base/timing.hpp>

#include "peers.hpp"

namespace ostinato::bench {

namespace {

/// The incomplete factors of a matrix, by SuperLU's expert driver.
class Ilutp {
 public:
  explicit Ilutp(const Csr<double>& a)
      : n_(a.rows), row_scale_(a.rows), col_scale_(a.rows), rows_(a.rows), cols_(a.rows) {
    copy_by_columns(a);
    StatInit(&stat_);
    superlu_options_t options;
    ilu_set_default_options(&options);
    options.RowPerm = NOROWPERM;
    options.PivotGrowth = NO;
    options.ConditionNumber = NO;
    SuperMatrix nothing;  // no right-hand side: the driver factors, and that is all
    dCreate_Dense_Matrix(&nothing, n_, 0, nullptr, n_, SLU_DN, SLU_D, SLU_GE);
    std::vector<int> tree(rows_.size());
    double growth = 0, condition = 0;
    mem_usage_t memory;
    dgsisx(&options, &a_, cols_.data(), rows_.data(), tree.data(), &equilibrated_, row_scale_.data(), col_scale_.data(),
           &lower_, &upper_, nullptr, 0, &nothing, &nothing, &growth, &condition, &global_, &memory, &stat_, &info_);
    Destroy_SuperMatrix_Store(&nothing);
  }
  ~Ilutp() {
    if (made()) {
      Destroy_SuperNode_Matrix(&lower_);
      Destroy_CompCol_Matrix(&upper_);
    }
    Destroy_SuperMatrix_Store(&a_);
    StatFree(&stat_);
  }
  Ilutp(const Ilutp&) = delete;
  Ilutp& operator=(const Ilutp&) = delete;

  /// Between 1 and n, info counts the pivots that were 0 and were replaced; above, memory ran out.
  bool made() const { return info_ >= 0 && info_ <= n_ + 1; }
  int info() const { return info_; }
  long entries() const { return static_cast<SCformat*>(lower_.Store)->nnz + static_cast<NCformat*>(upper_.Store)->nnz; }

  /// z = M^-1 z
  void apply(std::vector<double>& z) const {
    if (equilibrated_ == 'R' || equilibrated_ == 'B') multiply(z, row_scale_);
    SuperMatrix right;
    dCreate_Dense_Matrix(&right, n_, 1, z.data(), n_, SLU_DN, SLU_D, SLU_GE);
    int info = 0;
    dgstrs(NOTRANS, &lower_, &upper_, cols_.data(), rows_.data(), &right, &stat_, &info);
    Destroy_SuperMatrix_Store(&right);
    if (equilibrated_ == 'C' || equilibrated_ == 'B') multiply(z, col_scale_);
  }

 private:
  static void multiply(std::vector<double>& z, const std::vector<double>& by) {
    for (std::size_t i = 0; i < z.size(); ++i) z[i] *= by[i];
  }

  void copy_by_columns(const Csr<double>& a) {
    const Csr<double> t = transpose(a.view());
    ptr_.assign(t.row_ptr.begin(), t.row_ptr.end());
    index_.assign(t.col.begin(), t.col.end());
    val_.assign(t.val.begin(), t.val.end());
    dCreate_CompCol_Matrix(&a_, n_, n_, static_cast<int>(val_.size()), val_.data(), index_.data(), ptr_.data(), SLU_NC,
                           SLU_D, SLU_GE);
  }

  int n_, info_ = 0;
  std::vector<int> ptr_, index_;
  std::vector<double> val_;
  std::vector<double> row_scale_, col_scale_;
  mutable std::vector<int> rows_, cols_;  // SuperLU takes pointers to what it only reads
  char equilibrated_ = 'N';
  SuperMatrix a_;
  mutable SuperMatrix lower_, upper_;
  mutable SuperLUStat_t stat_;
  GlobalLU_t global_;
};

}  // namespace

PeerSolve solve_with_superlu(const Host& space, const Csr<double>& a, const std::vector<double>& b, bool match) {
  const Operator<Host, double> op(space, a, FormatOptions{.format = "csr"});
  const std::size_t n = b.size();
  PeerSolve s;
  Stopwatch watch;
  std::optional<Preparation> how;
  if (match) how = prepare(a.view(), {.match = true, .order = Ordering::natural});
  const Ilutp factors(match ? prepared(a.view(), *how) : a);
  s.setup = watch.lap();
  s.x.assign(n, 0.0);
  if (!factors.made()) {
    s.status = "no factors (info " + std::to_string(factors.info()) + ")";
    return s;
  }
  s.notes = "factors of " + std::to_string(factors.entries()) + " entries";
  if (factors.info() > 0) s.notes += ", " + std::to_string(factors.info()) + " pivots replaced";
  std::vector<double> between(n);
  const auto m = make_preconditioner([&](std::span<const double> r, std::span<double> z) {
    if (how) {
      for (std::size_t i = 0; i < n; ++i) {
        const auto row = static_cast<std::size_t>(how->row[i]);
        between[i] = r[row] * (how->is_scaled() ? how->row_scale[row] : 1);
      }
    } else {
      std::copy(r.begin(), r.end(), between.begin());
    }
    factors.apply(between);
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t col = how ? static_cast<std::size_t>(how->col[i]) : i;
      z[col] = between[i] * (how && how->is_scaled() ? how->col_scale[col] : 1);
    }
  });
  const SolveOptions options{
      .rtol = peer_goal, .max_iterations = peer_iterations, .restart = peer_restart, .history = false};
  Vector<Host, double> x(space, n, 0.0);
  const SolveResult result = gmres(space, op, Vector<Host, double>(space, b), x, m, options);
  s.solve = watch.lap();
  s.x = x.download();
  s.iterations = result.iterations;
  s.status = in_words(result.status);
  return s;
}

}  // namespace ostinato::bench
