// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include "direct_peers.hpp"

#include <dmumps_c.h>
#include <slu_ddefs.h>
#undef TRUE
#undef FALSE
#include <suitesparse/cholmod.h>
#include <suitesparse/klu.h>

#include <memory>
#include <string>

#include <ostinato/spmv/analysis/analysis.hpp>
#include <ostinato/spmv/base/timing.hpp>
#include <ostinato/spmv/space/host.hpp>

namespace ostinato::bench {

namespace {

using Numbers = std::vector<double>;

Numbers residual(const Csr<double>& a, const Numbers& b, const Numbers& x) {
  Numbers r;
  for (Index i = 0; i < a.rows; ++i) {
    long double sum = b[i];
    for (Offset k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) sum -= static_cast<long double>(a.val[k]) * x[a.col[k]];
    r.push_back(static_cast<double>(sum));
  }
  return r;
}

/// Solves, and refines the solution once. solve(v): v := A^-1 v.
template <class Solve>
Numbers refined(const Csr<double>& a, const Numbers& b, Solve solve) {
  Numbers x = b;
  solve(x);
  Numbers d = residual(a, b, x);
  solve(d);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] += d[i];
  return x;
}

/// A by columns, in int.
struct Columns {
  explicit Columns(const Csr<double>& a) {
    const Csr<double> t = transpose(a.view());
    begin.assign(t.row_ptr.begin(), t.row_ptr.end());
    row.assign(t.col.begin(), t.col.end());
    value.assign(t.val.begin(), t.val.end());
  }
  std::vector<int> begin, row;
  Numbers value;
};

PeerSolve failed(const Stopwatch& watch, const std::string& status) {
  PeerSolve s;
  s.setup = watch.seconds();
  s.status = status;
  return s;
}

}  // namespace

PeerSolve factor_with_superlu(const Csr<double>& a, const Numbers& b) {
  const Stopwatch watch;
  const int n = a.rows;
  Columns of(a);
  SuperMatrix matrix, lower, upper, right, left;
  dCreate_CompCol_Matrix(&matrix, n, n, static_cast<int>(of.value.size()), of.value.data(), of.row.data(),
                         of.begin.data(), SLU_NC, SLU_D, SLU_GE);
  superlu_options_t options;
  set_default_options(&options);
  options.IterRefine = SLU_DOUBLE;
  Numbers of_b = b, x(b.size()), row_scale(b.size()), col_scale(b.size()), forward(1), backward(1);
  dCreate_Dense_Matrix(&right, n, 1, of_b.data(), n, SLU_DN, SLU_D, SLU_GE);
  dCreate_Dense_Matrix(&left, n, 1, x.data(), n, SLU_DN, SLU_D, SLU_GE);
  std::vector<int> cols(b.size()), rows(b.size()), tree(b.size());
  char equilibrated[] = "N";
  double growth = 0, condition = 0;
  mem_usage_t memory;
  int info = 0;
  GlobalLU_t global;
  SuperLUStat_t stat;
  StatInit(&stat);
  dgssvx(&options, &matrix, cols.data(), rows.data(), tree.data(), equilibrated, row_scale.data(), col_scale.data(),
         &lower, &upper, nullptr, 0, &right, &left, &growth, &condition, forward.data(), backward.data(), &global,
         &memory, &stat, &info);
  PeerSolve s = failed(watch, info == 0 ? "converged" : "info " + std::to_string(info));
  if (info == 0) s.x = x;
  if (info <= n + 1) {
    Destroy_SuperNode_Matrix(&lower);
    Destroy_CompCol_Matrix(&upper);
  }
  for (SuperMatrix* m : {&matrix, &right, &left}) Destroy_SuperMatrix_Store(m);
  StatFree(&stat);
  return s;
}

PeerSolve factor_with_klu(const Csr<double>& a, const Numbers& b) {
  Stopwatch watch;
  Columns of(a);
  klu_common common;
  klu_defaults(&common);
  klu_symbolic* symbolic = klu_analyze(a.rows, of.begin.data(), of.row.data(), &common);
  klu_numeric* numeric =
      symbolic == nullptr ? nullptr : klu_factor(of.begin.data(), of.row.data(), of.value.data(), symbolic, &common);
  if (numeric == nullptr || common.status != KLU_OK) return failed(watch, "status " + std::to_string(common.status));
  PeerSolve s;
  s.setup = watch.lap();
  s.x = refined(a, b, [&](Numbers& v) { klu_solve(symbolic, numeric, a.rows, 1, v.data(), &common); });
  s.solve = watch.lap();
  s.status = "converged";
  klu_free_numeric(&numeric, &common);
  klu_free_symbolic(&symbolic, &common);
  return s;
}

PeerSolve factor_with_cholmod(const Csr<double>& a, const Numbers& b) {
  const Structure structure = Analysis<Host, double>(Host(), a).structure();
  if (!structure.symmetric || !structure.positive_diagonal) return failed(Stopwatch(), "-");
  Stopwatch watch;
  Columns of(a);  // both triangles, of which the upper one is read
  cholmod_common common;
  cholmod_start(&common);
  common.print = 0;
  common.quick_return_if_not_posdef = 1;
  cholmod_sparse matrix{};
  matrix.nrow = matrix.ncol = b.size();
  matrix.nzmax = of.value.size();
  matrix.p = of.begin.data();
  matrix.i = of.row.data();
  matrix.x = of.value.data();
  matrix.stype = 1;
  matrix.itype = CHOLMOD_INT;
  matrix.xtype = CHOLMOD_REAL;
  matrix.dtype = CHOLMOD_DOUBLE;
  matrix.sorted = matrix.packed = 1;
  cholmod_factor* factor = cholmod_analyze(&matrix, &common);
  cholmod_factorize(&matrix, factor, &common);
  PeerSolve s = failed(watch, common.status == CHOLMOD_OK ? "converged" : "status " + std::to_string(common.status));
  if (common.status == CHOLMOD_OK) {
    watch.lap();
    s.x = refined(a, b, [&](Numbers& v) {
      cholmod_dense right{};
      right.nrow = right.nzmax = right.d = v.size();
      right.ncol = 1;
      right.x = v.data();
      right.xtype = CHOLMOD_REAL;
      right.dtype = CHOLMOD_DOUBLE;
      cholmod_dense* x = cholmod_solve(CHOLMOD_A, factor, &right, &common);
      v.assign(static_cast<double*>(x->x), static_cast<double*>(x->x) + v.size());
      cholmod_free_dense(&x, &common);
    });
    s.solve = watch.lap();
  }
  cholmod_free_factor(&factor, &common);
  cholmod_finish(&common);
  return s;
}

PeerSolve factor_with_mumps(const Csr<double>& a, const Numbers& b) {
  const bool is_symmetric = Analysis<Host, double>(Host(), a).structure().symmetric;
  Stopwatch watch;
  std::vector<int> row, col;
  Numbers value;
  for (Index i = 0; i < a.rows; ++i) {
    for (Offset k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) {
      if (is_symmetric && a.col[k] > i) break;
      row.push_back(i + 1);
      col.push_back(a.col[k] + 1);
      value.push_back(a.val[k]);
    }
  }
  const auto id = std::make_unique<DMUMPS_STRUC_C>();
  *id = {};
  const auto call = [&](int job) {
    id->job = job;
    dmumps_c(id.get());
  };
  id->comm_fortran = -987654;
  id->par = 1;
  id->sym = is_symmetric ? 2 : 0;
  call(-1);
  for (const int messages : {0, 1, 2, 3}) id->icntl[messages] = 0;
  id->icntl[13] = 100;  // room for pivots that come late, in per cent
  id->n = a.rows;
  id->nnz = static_cast<MUMPS_INT8>(value.size());
  id->irn = row.data();
  id->jcn = col.data();
  id->a = value.data();
  call(4);
  PeerSolve s = failed(watch, id->infog[0] < 0 ? "error " + std::to_string(id->infog[0]) : "converged");
  if (id->infog[0] >= 0) {
    watch.lap();
    s.x = refined(a, b, [&](Numbers& v) {
      id->rhs = v.data();
      call(3);
    });
    s.solve = watch.lap();
  }
  call(-2);
  return s;
}

}  // namespace ostinato::bench
