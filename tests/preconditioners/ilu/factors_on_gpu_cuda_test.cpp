// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/ilu/factors_on_gpu.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <ostinato/preconditioners/ilu/incomplete_lu.hpp>
#include <ostinato/spmv/matrix/generate.hpp>
#include <ostinato/spmv/matrix/space_csr.hpp>
#include <ostinato/spmv/space/vector.hpp>

namespace ostinato {
namespace {

using Kind = LibraryFactorOptions::Kind;
using Numbers = std::vector<double>;

constexpr Offset any_number = std::numeric_limits<Offset>::max();

/// b - A x beside b, in long double; with `transposed`, of A^T.
double residual_of(const Csr<double>& given, const Numbers& x, const Numbers& b, bool transposed = false) {
  const Csr<double> a = transposed ? transpose(given.view()) : given;
  long double left = 0, whole = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    long double r = b[i];
    for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k)
      r -= static_cast<long double>(a.val[k]) * x[static_cast<std::size_t>(a.col[k])];
    left += r * r;
    whole += static_cast<long double>(b[i]) * b[i];
  }
  return static_cast<double>(std::sqrt(left / whole));
}

class FactorsOnGpuCuda : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = Cuda::why_absent(); !why.empty()) GTEST_SKIP() << why;
    space_.emplace();
  }

  std::optional<FactorsOnGpu<double>> factors_of(const Csr<double>& a, Kind kind, Offset most_entries = any_number,
                                                 const StopRequest& stop = {}) {
    const SpaceCsr<Cuda, double> there(*space_, a.view());
    return FactorsOnGpu<double>::make(*space_, there.view(), kind, most_entries, MemoryBudget(*space_, "lu"), stop);
  }

  Numbers solved(const FactorsOnGpu<double>& f, const Numbers& b, bool transposed = false) {
    Vector<Cuda, double> r(*space_, b.size()), z(*space_, b.size());
    space_->upload(r.data(), b.data(), b.size() * sizeof(double));
    transposed ? f.solve_transposed(r.span(), z.span()) : f.solve(r.span(), z.span());
    Numbers x(b.size());
    space_->download(x.data(), z.data(), x.size() * sizeof(double));
    return x;
  }

  static bool is_there() { return !FactorsOnGpu<double>::library().empty(); }

  std::optional<Cuda> space_;
};

Numbers right_hand_side(Index rows) {
  Numbers b;
  for (Index i = 0; i < rows; ++i) b.push_back(1 + (i % 5));
  return b;
}

TEST_F(FactorsOnGpuCuda, AreNoneWithoutTheLibrary) {
  if (is_there()) GTEST_SKIP() << "cuDSS is here";
  EXPECT_FALSE(factors_of(generate<double>("poisson2d", {.n = 20}), Kind::definite));
}

TEST_F(FactorsOnGpuCuda, SolveWithTheMatrixAndItsTranspose) {
  if (!is_there()) GTEST_SKIP() << "no cuDSS";
  for (const char* family : {"poisson2d", "convection-diffusion2d", "mesh2d"}) {
    SCOPED_TRACE(family);
    const Csr<double> a = generate<double>(family, {.n = 40});
    const Numbers b = right_hand_side(a.rows);
    const auto f = factors_of(a, Kind::general);
    ASSERT_TRUE(f);
    EXPECT_EQ(f->rows(), b.size());
    EXPECT_GE(f->nonzeros(), a.nonzeros());
    EXPECT_LT(residual_of(a, solved(*f, b), b), 1e-12);
    EXPECT_LT(residual_of(a, solved(*f, b, true), b, true), 1e-12);
  }
}

TEST_F(FactorsOnGpuCuda, CountNegativePivots) {
  if (!is_there()) GTEST_SKIP() << "no cuDSS";
  Csr<double> a = generate<double>("poisson2d", {.n = 30});
  for (double& v : a.val) v = -v;
  const auto f = factors_of(a, Kind::symmetric);
  ASSERT_TRUE(f);
  EXPECT_EQ(f->negative_pivots(), a.rows);
  const Numbers b = right_hand_side(a.rows);
  EXPECT_LT(residual_of(a, solved(*f, b), b), 1e-12);
}

TEST_F(FactorsOnGpuCuda, TakeNewValues) {
  if (!is_there()) GTEST_SKIP() << "no cuDSS";
  Csr<double> a = generate<double>("convection-diffusion2d", {.n = 30});
  auto f = factors_of(a, Kind::general);
  ASSERT_TRUE(f);
  for (std::size_t k = 0; k < a.val.size(); ++k) a.val[k] *= 1 + 0.1 * static_cast<double>(k % 3);
  const SpaceCsr<Cuda, double> changed(*space_, a.view());
  ASSERT_TRUE(f->update_values(changed.view().val, [] { return true; }));
  const Numbers b = right_hand_side(a.rows);
  EXPECT_LT(residual_of(a, solved(*f, b), b), 1e-12);
  const SpaceCsr<Cuda, double> zero(*space_,
                                    Csr<double>{a.rows, a.cols, a.row_ptr, a.col, Array<double>(a.val.size())}.view());
  ASSERT_FALSE(f->update_values(zero.view().val, [] { return false; }));
  EXPECT_LT(residual_of(a, solved(*f, b), b), 1e-12) << "the old values again";
  EXPECT_THROW(f->update_values(zero.view().val, []() -> bool { throw ArgumentError("NaN"); }), ArgumentError);
  EXPECT_LT(residual_of(a, solved(*f, b), b), 1e-12) << "the old values again";
}

TEST_F(FactorsOnGpuCuda, AreRefusedWithTooManyEntriesAndStopped) {
  if (!is_there()) GTEST_SKIP() << "no cuDSS";
  const Csr<double> a = generate<double>("poisson3d", {.n = 20});
  EXPECT_FALSE(factors_of(a, Kind::definite, a.nonzeros()));
  struct Now {
    bool stop_requested() const { return true; }
  };
  EXPECT_THROW(factors_of(a, Kind::definite, any_number, Now()), Stopped);
}

/// Whoever makes them: cuDSS, MUMPS or our own code.
TEST_F(FactorsOnGpuCuda, OfAnyMakerSolveAsAPreconditioner) {
  for (const char* family : {"poisson2d", "convection-diffusion2d", "mesh2d"}) {
    SCOPED_TRACE(family);
    Csr<double> a = generate<double>(family, {.n = 40});
    Analysis<Cuda, double> analysis(*space_, a);
    Lu<Cuda, double> lu(analysis);
    const Numbers b = right_hand_side(a.rows);
    Vector<Cuda, double> r(*space_, b.size()), z(*space_, b.size());
    for (const double factor : {1.0, 3.0}) {
      for (double& v : a.val) v *= factor;
      analysis = Analysis<Cuda, double>(*space_, a);
      lu.update_values(analysis);
      space_->upload(r.data(), b.data(), b.size() * sizeof(double));
      lu.apply(r.span(), z.span());
      Numbers x(b.size());
      space_->download(x.data(), z.data(), x.size() * sizeof(double));
      EXPECT_LT(residual_of(a, x, b), 1e-11) << lu.remarks();
    }
  }
}

}  // namespace
}  // namespace ostinato
