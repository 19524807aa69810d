// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
// Triangular solves with incomplete factors on a GPU: both sweeps of L U z = r, against cuSPARSE's SpSV with the same
// factors. The floor reads each entry once (12 bytes) and moves four vectors. Median times of plain calls.
//
// And ILU(0) itself, double precision: the look at the pattern and the computation of the values, apart and together,
// against csrilu02 of cuSPARSE (deprecated, but the only one that it has) with and without levels. Its analysis counts
// with the buffer that it needs, and each phase with the question whether a pivot is 0; ours allocate and count pivots,
// too. Two ratios: csrilu02 over both of our phases, which make what the sweeps need, too; and csrilu02 with SpSV's
// analyses of both factors over both of our phases, which is the same work.
// Medians of some runs, after one that doesn't count.

#include <cuda_runtime.h>
#define DISABLE_CUSPARSE_DEPRECATED
#include <cusparse.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include <ostinato/ostinato.hpp>
#include <ostinato/preconditioners/ilu/incomplete_lu.hpp>
#include <ostinato/preconditioners/ilu/zero_fill.hpp>
#include <ostinato/spmv/base/timing.hpp>
#include <ostinato/spmv/ordering/nested_dissection.hpp>

#include "baseline.hpp"
#include "cases.hpp"
#include "triangular.hpp"

namespace {

using namespace ostinato;
using namespace ostinato::bench;

void check(cusparseStatus_t status) {
  if (status != CUSPARSE_STATUS_SUCCESS) throw std::runtime_error(cusparseGetErrorString(status));
}

/// A triangle with its diagonal in cuSPARSE's form, and its analysis.
class Spsv {
 public:
  Spsv(const Cuda& space, cusparseHandle_t handle, const Csr<double>& strict, const std::vector<double>& pivot,
       bool upper)
      : handle_(handle), space_(space) {
    const std::size_t n = pivot.size();
    std::vector<int> ptr = {0}, col;
    std::vector<double> val;
    const auto copy = [&](std::size_t i) {
      for (auto k = static_cast<std::size_t>(strict.row_ptr[i]); k < static_cast<std::size_t>(strict.row_ptr[i + 1]);
           ++k)
        col.push_back(strict.col[k]), val.push_back(strict.val[k]);
    };
    for (std::size_t i = 0; i < n; ++i) {
      if (!upper) copy(i);
      col.push_back(static_cast<int>(i)), val.push_back(upper ? pivot[i] : 1);
      if (upper) copy(i);
      ptr.push_back(static_cast<int>(col.size()));
    }
    ptr_ = Vector<Cuda, int>(space, std::span<const int>(ptr));
    col_ = Vector<Cuda, int>(space, std::span<const int>(col));
    val_ = Vector<Cuda, double>(space, std::span<const double>(val));
    const auto rows = static_cast<std::int64_t>(n);
    check(cusparseCreateCsr(&matrix_, rows, rows, static_cast<std::int64_t>(val.size()), ptr_.data(), col_.data(),
                            val_.data(), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
    cusparseFillMode_t fill = upper ? CUSPARSE_FILL_MODE_UPPER : CUSPARSE_FILL_MODE_LOWER;
    cusparseDiagType_t diagonal = upper ? CUSPARSE_DIAG_TYPE_NON_UNIT : CUSPARSE_DIAG_TYPE_UNIT;
    check(cusparseSpMatSetAttribute(matrix_, CUSPARSE_SPMAT_FILL_MODE, &fill, sizeof fill));
    check(cusparseSpMatSetAttribute(matrix_, CUSPARSE_SPMAT_DIAG_TYPE, &diagonal, sizeof diagonal));
  }
  Spsv(const Spsv&) = delete;
  Spsv& operator=(const Spsv&) = delete;
  ~Spsv() {
    forget();
    cusparseDestroySpMat(matrix_);
  }

  /// Returns the seconds of the analysis, which may be repeated.
  double analyse(double* in, double* out, std::size_t n) {
    forget();
    check(cusparseSpSV_createDescr(&plan_));
    check(cusparseCreateDnVec(&in_, static_cast<std::int64_t>(n), in, CUDA_R_64F));
    check(cusparseCreateDnVec(&out_, static_cast<std::int64_t>(n), out, CUDA_R_64F));
    std::size_t bytes = 0;
    check(cusparseSpSV_bufferSize(handle_, CUSPARSE_OPERATION_NON_TRANSPOSE, &one_, matrix_, in_, out_, CUDA_R_64F,
                                  CUSPARSE_SPSV_ALG_DEFAULT, plan_, &bytes));
    buffer_ = Vector<Cuda, char>(space_, bytes);
    space_.wait();
    const Stopwatch watch;
    check(cusparseSpSV_analysis(handle_, CUSPARSE_OPERATION_NON_TRANSPOSE, &one_, matrix_, in_, out_, CUDA_R_64F,
                                CUSPARSE_SPSV_ALG_DEFAULT, plan_, buffer_.data()));
    space_.wait();
    return watch.seconds();
  }

  void solve() const {
    check(cusparseSpSV_solve(handle_, CUSPARSE_OPERATION_NON_TRANSPOSE, &one_, matrix_, in_, out_, CUDA_R_64F,
                             CUSPARSE_SPSV_ALG_DEFAULT, plan_));
  }

 private:
  void forget() {
    if (plan_ == nullptr) return;
    cusparseSpSV_destroyDescr(plan_);
    cusparseDestroyDnVec(in_);
    cusparseDestroyDnVec(out_);
  }

  cusparseHandle_t handle_;
  Cuda space_;
  Vector<Cuda, int> ptr_, col_;
  Vector<Cuda, double> val_;
  Vector<Cuda, char> buffer_;
  cusparseSpMatDescr_t matrix_ = nullptr;
  cusparseDnVecDescr_t in_ = nullptr, out_ = nullptr;
  cusparseSpSVDescr_t plan_ = nullptr;
  const double one_ = 1;
};

/// The median of some runs, which return seconds, after one that doesn't count.
template <class F>
double median_run(int runs, F f) {
  f();
  std::vector<double> seconds;
  for (int run = 0; run < runs; ++run) seconds.push_back(f());
  return median(seconds);
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference = std::max(difference, std::abs(a[i] - b[i]));
    size = std::max(size, std::abs(b[i]));
  }
  return size > 0 ? difference / size : difference;
}

const char* name_of(Ordering order) {
  return order == Ordering::natural ? "natural" : order == Ordering::rcm ? "rcm" : "nd";
}

Csr<double> ordered_case(const std::string& name, Ordering order) {
  const Csr<double> a = canonical(load_case(name).matrix.view());
  return prepared(a.view(), prepare(a, {.match = false, .order = order}));
}

/// A matrix that nothing is done to: cuSPARSE solves without permutations.
Preparation in_its_order(std::size_t rows) {
  Preparation in_place;
  for (std::size_t i = 0; i < rows; ++i) in_place.row.push_back(static_cast<Index>(i));
  in_place.col = in_place.row;
  return in_place;
}

void measure(const Cuda& space, cusparseHandle_t handle, const std::string& name, Ordering order) {
  const Csr<double> a = ordered_case(name, order);
  Stopwatch watch;
  const Factors f = factor_iluk(a.view(), {});
  const double factor = watch.lap();
  const std::size_t n = f.pivot.size();
  const Preparation in_place = in_its_order(n);
  watch.lap();
  const Factored<Cuda, double> ours(space, f, in_place);
  space.wait();
  const double setup = watch.lap();
  Vector<Cuda, double> r(space, random_vector(n, 2)), y(space, n), z(space, n), theirs(space, n);
  const double sweeps = median_seconds(space, 30, [&] { ours.apply(r, z); });
  Spsv lower(space, handle, f.lower, f.pivot, false), upper(space, handle, f.upper, f.pivot, true);
  const double analysis =
      median_run(5, [&] { return lower.analyse(r.data(), y.data(), n) + upper.analyse(y.data(), theirs.data(), n); });
  const double spsv = median_seconds(space, 30, [&] {
    lower.solve();
    upper.solve();
  });
  const double floor = (12.0 * static_cast<double>(f.nonzeros()) + 32.0 * static_cast<double>(n)) / space.bandwidth();
  std::printf("| %s | %s | %zu | %.2f | %.2f | %.3f | %.2f | %.3f | %.2f | %.1f | %.0e | %s |\n", name.c_str(),
              name_of(order), n, factor * 1e3, setup * 1e3, sweeps * 1e3, analysis * 1e3, spsv * 1e3, spsv / sweeps,
              sweeps / floor, largest_difference(z.download(), theirs.download()), ours.lower().way().c_str());
  std::fflush(stdout);
}

/// How far sweeps should look ahead; the last: as far as the GPU can.
const std::vector<double> look_aheads = {2, 4, 8, 16, 32, 64, 128, 1e9};

void measure_look_aheads(const Cuda& space, const std::string& name, Ordering order) {
  const Factors f = factor_iluk(ordered_case(name, order).view(), {});
  const std::size_t n = f.pivot.size();
  Factored<Cuda, double> ours(space, f, in_its_order(n));
  const Vector<Cuda, double> r(space, random_vector(n, 2));
  Vector<Cuda, double> z(space, n);
  std::printf("| %s | %s | %s |", name.c_str(), name_of(order), ours.lower().way().c_str());
  for (const double levels : look_aheads) {
    ours.lower().look_ahead(levels);
    ours.upper().look_ahead(levels);
    std::printf(" %.1f |", median_seconds(space, 30, [&] { ours.apply(r, z); }) * 1e6);
  }
  std::printf("\n");
  std::fflush(stdout);
}

/// ILU(0) by cuSPARSE.
class Csrilu02 {
 public:
  Csrilu02(const Cuda& space, cusparseHandle_t handle, const CsrView<double>& a, cusparseSolvePolicy_t policy)
      : space_(space), handle_(handle), policy_(policy), n_(a.rows), entries_(static_cast<int>(a.nonzeros())) {
    const std::vector<int> ptr(a.row_ptr.begin(), a.row_ptr.end());
    ptr_ = Vector<Cuda, int>(space, std::span<const int>(ptr));
    col_ = Vector<Cuda, int>(space, a.col);
    a_ = Vector<Cuda, double>(space, a.val);
    val_ = Vector<Cuda, double>(space, a.val);
    check(cusparseCreateMatDescr(&matrix_));
    check(cusparseSetMatType(matrix_, CUSPARSE_MATRIX_TYPE_GENERAL));
    check(cusparseSetMatIndexBase(matrix_, CUSPARSE_INDEX_BASE_ZERO));
    check(cusparseCreateCsrilu02Info(&info_));
  }
  Csrilu02(const Csrilu02&) = delete;
  Csrilu02& operator=(const Csrilu02&) = delete;
  ~Csrilu02() {
    cusparseDestroyCsrilu02Info(info_);
    cusparseDestroyMatDescr(matrix_);
  }

  double analyse() {
    space_.wait();
    const Stopwatch watch;
    int bytes = 0;
    check(cusparseDcsrilu02_bufferSize(handle_, n_, entries_, matrix_, val_.data(), ptr_.data(), col_.data(), info_,
                                       &bytes));
    buffer_ = Vector<Cuda, char>(space_, static_cast<std::size_t>(bytes));
    check(cusparseDcsrilu02_analysis(handle_, n_, entries_, matrix_, val_.data(), ptr_.data(), col_.data(), info_,
                                     policy_, buffer_.data()));
    look_for_zero_pivot();
    space_.wait();
    return watch.seconds();
  }

  double factor() {
    space_.wait();
    const Stopwatch watch;
    space_.copy(val_.data(), a_.data(), a_.bytes());
    check(cusparseDcsrilu02(handle_, n_, entries_, matrix_, val_.data(), ptr_.data(), col_.data(), info_, policy_,
                            buffer_.data()));
    look_for_zero_pivot();
    space_.wait();
    return watch.seconds();
  }

  std::vector<double> values() const { return val_.download(); }

 private:
  void look_for_zero_pivot() {
    int row = -1;
    const cusparseStatus_t status = cusparseXcsrilu02_zeroPivot(handle_, info_, &row);
    if (status != CUSPARSE_STATUS_ZERO_PIVOT) check(status);
  }

  Cuda space_;
  cusparseHandle_t handle_;
  cusparseSolvePolicy_t policy_;
  int n_, entries_;
  Vector<Cuda, int> ptr_, col_;
  Vector<Cuda, double> a_, val_;
  Vector<Cuda, char> buffer_;
  cusparseMatDescr_t matrix_ = nullptr;
  csrilu02Info_t info_ = nullptr;
};

struct Phases {
  double analysis, values;
};

Phases measure(const Cuda& space, cusparseHandle_t handle, const CsrView<double>& a, cusparseSolvePolicy_t policy,
               std::vector<double>& values) {
  Phases p;
  p.analysis = median_run(5, [&] { return Csrilu02(space, handle, a, policy).analyse(); });
  Csrilu02 theirs(space, handle, a, policy);
  theirs.analyse();
  p.values = median_run(10, [&] { return theirs.factor(); });
  values = theirs.values();
  return p;
}

double analysis_of_sweeps(const Cuda& space, cusparseHandle_t handle, const Factors& f) {
  const std::size_t n = f.pivot.size();
  Spsv lower(space, handle, f.lower, f.pivot, false), upper(space, handle, f.upper, f.pivot, true);
  Vector<Cuda, double> r(space, n), y(space, n), z(space, n);
  return median_run(5, [&] { return lower.analyse(r.data(), y.data(), n) + upper.analyse(y.data(), z.data(), n); });
}

/// The values of both factors in the places of A's entries.
std::vector<double> in_place(const Factors& f, const CsrView<double>& a) {
  std::vector<double> all;
  for (std::size_t i = 0; i < f.pivot.size(); ++i) {
    all.insert(all.end(), f.lower.val.begin() + f.lower.row_ptr[i], f.lower.val.begin() + f.lower.row_ptr[i + 1]);
    const bool has_diagonal =
        static_cast<Offset>(all.size()) < a.row_ptr[i + 1] && a.col[all.size()] == static_cast<Index>(i);
    if (has_diagonal) all.push_back(f.pivot[i]);
    all.insert(all.end(), f.upper.val.begin() + f.upper.row_ptr[i], f.upper.val.begin() + f.upper.row_ptr[i + 1]);
  }
  return all;
}

bool same_values(const Sweep<Cuda, double>& a, const Sweep<Cuda, double>& b) {
  return a.arrays().val.download() == b.arrays().val.download() &&
         a.arrays().scale.download() == b.arrays().scale.download();
}

void measure_factors(const Cuda& space, cusparseHandle_t handle, const std::string& name, Ordering order) {
  const Csr<double> a = ordered_case(name, order);
  const PreparationOptions as_it_is = {.match = false, .order = Ordering::natural};
  const Factors f = factor_iluk(a.view(), {});
  Factored<Cuda, double> from_host(space, f, prepare(a.view(), as_it_is));
  const SpaceCsr<Cuda, double> on(space, a.view());
  Phases ours;
  ours.analysis = median_run(5, [&] {
    space.wait();
    const Stopwatch watch;
    const auto sweeps = ZeroFill<Cuda, double>(space, on, ZeroFillKind::ilu, as_it_is).sweeps(on);
    space.wait();
    return watch.seconds();
  });
  const double whole = median_run(10, [&] {
    space.wait();
    const Stopwatch watch;
    const auto made = ZeroFill<Cuda, double>(space, on, ZeroFillKind::ilu, as_it_is).make(on);
    space.wait();
    return watch.seconds();
  });
  const ZeroFill<Cuda, double> zero_fill(space, on, ZeroFillKind::ilu, as_it_is);
  Factored<Cuda, double> factored = zero_fill.sweeps(on);
  ours.values = median_run(10, [&] {
    space.wait();
    const Stopwatch watch;
    zero_fill.factor(on, factored);
    space.wait();
    return watch.seconds();
  });
  const bool same =
      same_values(factored.lower(), from_host.lower()) && same_values(factored.upper(), from_host.upper());
  std::vector<double> values;
  const Phases levels = measure(space, handle, a.view(), CUSPARSE_SOLVE_POLICY_USE_LEVEL, values);
  const Phases plain = measure(space, handle, a.view(), CUSPARSE_SOLVE_POLICY_NO_LEVEL, values);
  const double best = std::min(levels.analysis + levels.values, plain.analysis + plain.values);
  const double sweeps = analysis_of_sweeps(space, handle, f);
  std::printf("| %s | %s | %zu |", name.c_str(), name_of(order), f.pivot.size());
  for (const double seconds :
       {ours.analysis, ours.values, whole, levels.analysis, levels.values, plain.analysis, plain.values, sweeps})
    std::printf(" %.3f |", seconds * 1e3);
  std::printf(" %.2f | %.2f | %s | %.0e |\n", best / whole, (best + sweeps) / whole, same ? "yes" : "NO",
              largest_difference(values, in_place(f, a.view())));
  std::fflush(stdout);
}

cusparseHandle_t handle_on(const Cuda& space) {
  cusparseHandle_t handle;
  check(cusparseCreate(&handle));
  check(cusparseSetStream(handle, space.stream()));
  return handle;
}

}  // namespace

void ostinato::bench::compare_with_cusparse(const std::vector<std::string>& names) {
  const Cuda space;
  std::printf(
      "%s\n\n| matrix | order | rows | factor (host) ms | set-up ms | both sweeps ms | SpSV analysis ms | SpSV ms | "
      "ratio | to the floor | difference | lower sweep |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n",
      space.description().c_str());
  const cusparseHandle_t handle = handle_on(space);
  for (const std::string& name : names) {
    measure(space, handle, name, Ordering::natural);
    if (has_nested_dissection) measure(space, handle, name, Ordering::nd);
  }
}

void ostinato::bench::compare_ilu0_with_cusparse(const std::vector<std::string>& names) {
  const Cuda space;
  const cusparseHandle_t handle = handle_on(space);
  std::printf(
      "%s\n\n| matrix | order | rows | pattern ms | values ms | both ms | csrilu02 with levels: "
      "analysis ms | values ms | without: analysis ms | values ms | SpSV's analyses ms | "
      "csrilu02 over both | csrilu02 and the analyses over both | bits of the host | csrilu02's difference |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
      space.description().c_str());
  for (const std::string& name : names) {
    measure_factors(space, handle, name, Ordering::natural);
    if (has_nested_dissection) measure_factors(space, handle, name, Ordering::nd);
  }
}

void ostinato::bench::time_look_aheads(const std::vector<std::string>& names) {
  const Cuda space;
  std::printf("%s\n\n| matrix | order | lower sweep |", space.description().c_str());
  for (const double levels : look_aheads) std::printf(" %g levels ahead: us |", levels);
  std::printf("\n|---|---|---|");
  for (std::size_t i = 0; i < look_aheads.size(); ++i) std::printf("---|");
  std::printf("\n");
  for (const std::string& name : names) {
    measure_look_aheads(space, name, Ordering::natural);
    if (has_nested_dissection) measure_look_aheads(space, name, Ordering::nd);
  }
}
