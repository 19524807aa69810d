// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/strategy/leaving_jacobi.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <ostinato/spmv/analysis/structure.hpp>
#include <ostinato/strategy/any_preconditioner.hpp>

#include "support/spaces.hpp"

namespace ostinato::test {
namespace {

struct Times {
  double setup, solve;  ///< milliseconds
  double total() const { return setup + solve; }
};

/// Rows of docs/performance.md, "Jacobi, FSAI and Chebyshev on an H200": those of less than 20,000 rows.
struct Row {
  std::string_view matrix;
  Index rows;
  double entries;
  Times jacobi, chebyshev, fsai;
};
const std::vector<Row> measured_rows = {{"bcsstk14", 1806, 63454, {0.37, 6.84}, {0.54, 4.19}, {0.88, 2.23}},
                                        {"bcsstk16", 4884, 290378, {0.35, 3.47}, {0.58, 2.45}, {1.01, 1.88}},
                                        {"bcsstk18", 11948, 149090, {0.35, 25.26}, {0.56, 13.82}, {1.05, 9.59}},
                                        {"Dubcova1", 16129, 253009, {0.31, 2.79}, {0.50, 1.68}, {0.81, 1.78}},
                                        {"nos3", 960, 15844, {0.43, 3.30}, {0.57, 2.22}, {1.07, 2.00}},
                                        {"nasa4704", 4704, 104756, {0.34, 60.05}, {0.52, 31.84}, {0.83, 17.87}}};

Structure definite(Index n, double entries) {
  Structure s;
  s.rows = s.cols = n;
  s.nonzeros = static_cast<Offset>(entries);
  s.symmetric = s.pattern_symmetric = s.positive_diagonal = s.finite = true;
  s.norm_inf = 1;
  return s;
}

/// What auto ends with, if the time that is left is known at once.
std::string_view choice_for(const Row& row) {
  const auto rungs = stronger_preconditioners<Cuda, double>(definite(row.rows, row.entries));
  if (std::find(rungs.begin(), rungs.end(), "fsai") == rungs.end()) return {};
  return faster_than_jacobi_on_gpu(row.entries, row.jacobi.solve / 1e3);
}

/// Where Jacobi takes so long that leaving it pays, the choice takes at most 1.2 times as long as the fastest.
TEST(LeavingJacobi, IsRightForTheMeasuredMatrices) {
  if (!built_with_cuda) GTEST_SKIP() << Cuda::why_absent();
  for (const Row& row : measured_rows) {
    const double jacobi = row.jacobi.total(), chebyshev = row.chebyshev.total(), fsai = row.fsai.total();
    const std::string_view choice = choice_for(row);
    EXPECT_EQ(choice.empty(), row.jacobi.solve < 3) << row.matrix;
    if (choice.empty()) continue;
    const double taken = choice == "fsai" ? fsai : choice == "chebyshev" ? chebyshev : jacobi;
    EXPECT_LE(taken, 1.2 * std::min({jacobi, chebyshev, fsai})) << row.matrix;
  }
}

TEST(LeavingJacobi, TakesFsaiForLongSolvesAndNothingForShortOnes) {
  EXPECT_EQ(faster_than_jacobi_on_gpu(104756, 59.8e-3), "fsai");
  EXPECT_EQ(faster_than_jacobi_on_gpu(1e6, 7e-3), "fsai");
  EXPECT_EQ(faster_than_jacobi_on_gpu(1e6, 4.5e-3), "chebyshev");
  EXPECT_EQ(faster_than_jacobi_on_gpu(63454, 1.5e-3), "");
  EXPECT_EQ(faster_than_jacobi_on_gpu(63454, 0), "") << "of a solve that doesn't get there by itself";
  EXPECT_EQ(faster_than_jacobi_on_gpu(63454, std::numeric_limits<double>::infinity()), "fsai");
}

/// Where fsai comes first, it takes at most 1.2 times as long as the fastest.
TEST(LeavingJacobi, BeginsWithFsaiWhereThatIsRightForTheMeasuredMatrices) {
  for (const Row& row : measured_rows) {
    Structure s = definite(row.rows, row.entries);
    s.mean_row = row.entries / row.rows;
    EXPECT_TRUE(begins_with_fsai_on_gpu(s)) << row.matrix;
    EXPECT_LE(row.fsai.total(), 1.2 * std::min({row.jacobi.total(), row.chebyshev.total(), row.fsai.total()}));
  }
}

TEST(LeavingJacobi, BeginsWithJacobiWhereFsaiMayNotDo) {
  const auto begins = [](auto change) {
    Structure s = definite(5000, 1e5);
    s.mean_row = 20;
    change(s);
    return begins_with_fsai_on_gpu(s);
  };
  EXPECT_TRUE(begins([](Structure&) {}));
  EXPECT_FALSE(begins([](Structure& s) { s.symmetric = false; }));
  EXPECT_FALSE(begins([](Structure& s) { s.positive_diagonal = false; }));
  EXPECT_FALSE(begins([](Structure& s) { s.constant_diagonal = true; }));
  EXPECT_FALSE(begins([](Structure& s) { s.finite = false; }));
  EXPECT_FALSE(begins([](Structure& s) { s.mean_row = 101; }));
  EXPECT_TRUE(begins([](Structure& s) { s.longest_row = 150; }));
  EXPECT_FALSE(begins([](Structure& s) { s.longest_row = 151; }));
  EXPECT_FALSE(begins([](Structure& s) { s.rows = s.cols = 499; }));
  EXPECT_FALSE(begins([](Structure& s) { s.rows = s.cols = 20000; }));
}

TEST(LeavingJacobi, PaysFromTheLeastTimeOn) {
  for (const double entries : {1e3, 1e5, 3e5, 1e7}) {
    const double least = least_seconds_to_leave_jacobi(entries);
    EXPECT_EQ(faster_than_jacobi_on_gpu(entries, 0.99 * least), "");
    EXPECT_NE(faster_than_jacobi_on_gpu(entries, 1.01 * least), "");
  }
}

TEST(LeavingJacobi, IsARungOfSmallSymmetricMatricesOnAGpu) {
  if (!built_with_cuda) GTEST_SKIP() << Cuda::why_absent();
  using Names = std::vector<std::string_view>;
  EXPECT_EQ((stronger_preconditioners<Cuda, double>(definite(5000, 1e5))),
            (Names{"fsai", "chebyshev", "cholesky", "ict", "ilut", "lu"}));
  EXPECT_EQ((stronger_preconditioners<Cuda, double>(definite(50000, 1e6))),
            (Names{"multigrid", "cholesky", "ict", "ilut", "lu"}));
  EXPECT_EQ((stronger_preconditioners<Host, double>(definite(1000, 1e4))), (Names{"cholesky", "ict", "ilut", "lu"}));
  Structure unsymmetric = definite(5000, 1e5);
  unsymmetric.symmetric = false;
  EXPECT_EQ((stronger_preconditioners<Cuda, double>(unsymmetric)), (Names{"ilut", "lu"}));
}

}  // namespace
}  // namespace ostinato::test
