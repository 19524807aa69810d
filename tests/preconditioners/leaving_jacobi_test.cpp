// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/leaving_jacobi.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <ostinato/preconditioners/any_preconditioner.hpp>
#include <ostinato/spmv/analysis/structure.hpp>

namespace ostinato::test {
namespace {

struct Times {
  double setup, solve;  ///< milliseconds
  double total() const { return setup + solve; }
};

/// The rows of docs/performance.md, "Preconditioners of the program on an H200".
struct Row {
  std::string_view matrix;
  Index rows;
  double entries;
  Times jacobi, chebyshev, fsai;
};
const std::vector<Row> rows = {{"bcsstk14", 1806, 63454, {9.9, 5.0}, {14.5, 3.8}, {5.3, 2.4}},
                               {"bcsstk16", 4884, 290378, {8.0, 3.6}, {13.6, 3.7}, {17.8, 2.1}},
                               {"bcsstk18", 11948, 149090, {7.6, 13.7}, {10.3, 8.3}, {12.0, 6.5}},
                               {"Dubcova1", 16129, 253009, {7.3, 2.1}, {10.1, 1.2}, {14.3, 1.9}},
                               {"lap3d_40", 64000, 438400, {8.9, 2.4}, {10.5, 1.3}, {22.2, 2.0}},
                               {"nos3", 960, 15844, {9.5, 4.2}, {13.0, 3.5}, {2.2, 2.6}},
                               {"nasa4704", 4704, 104756, {9.9, 59.8}, {13.3, 33.4}, {7.3, 18.9}},
                               {"poisson3d:128", 2097152, 14581760, {9.8, 22.0}, {26.8, 18.2}, {677, 17.0}},
                               {"variable3d:128", 2097152, 14581760, {10.7, 37.9}, {30.5, 32.1}, {745, 28.6}},
                               {"fem27:48", 110592, 2863288, {6.9, 2.7}, {12.3, 2.1}, {111, 2.5}}};

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

/// How many choices take at most 1.2 times as long as the fastest, when the first use of a kernel takes so long.
int count_good(double first_use) {
  int good = 0;
  for (const Row& row : rows) {
    const double jacobi = std::max(0.0, row.jacobi.setup - first_use) + row.jacobi.solve,
                 chebyshev = row.chebyshev.total() - first_use, fsai = row.fsai.total();
    const std::string_view choice = choice_for(row);
    const double taken = choice == "fsai" ? fsai : choice == "chebyshev" ? chebyshev : jacobi;
    good += taken <= 1.2 * std::min({jacobi, chebyshev, fsai});
  }
  return good;
}

TEST(LeavingJacobi, IsRightForTheMeasuredMatrices) {
  EXPECT_EQ(count_good(8), 10) << "without the first use of kernels";
  EXPECT_GE(count_good(0), 8);
}

TEST(LeavingJacobi, TakesFsaiForLongSolvesAndNothingForShortOnes) {
  EXPECT_EQ(faster_than_jacobi_on_gpu(104756, 59.8e-3), "fsai");
  EXPECT_EQ(faster_than_jacobi_on_gpu(149090, 13.7e-3), "chebyshev");
  EXPECT_EQ(faster_than_jacobi_on_gpu(63454, 5e-3), "");
  EXPECT_EQ(faster_than_jacobi_on_gpu(63454, 0), "") << "of a solve that doesn't get there by itself";
  EXPECT_EQ(faster_than_jacobi_on_gpu(63454, std::numeric_limits<double>::infinity()), "fsai");
}

TEST(LeavingJacobi, PaysFromTheLeastTimeOn) {
  for (const double entries : {1e3, 1e5, 3e5, 1e7}) {
    const double least = least_seconds_to_leave_jacobi(entries);
    EXPECT_EQ(faster_than_jacobi_on_gpu(entries, 0.99 * least), "");
    EXPECT_NE(faster_than_jacobi_on_gpu(entries, 1.01 * least), "");
  }
}

TEST(LeavingJacobi, IsARungOfSmallSymmetricMatricesOnAGpu) {
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
