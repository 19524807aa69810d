// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include "../../cli/bench_reference.hpp"

#include <ostinato/spmv/selection/tuner.hpp>

#include "cli/program.hpp"

// Whether bench tells rounding from a wrong product.

namespace ostinato::cli_tests {
namespace {

using CliBench = Cli;

/// A row of 1 and a third of the last digit that a sum of half of them has: in order, each addition rounds the same
/// way.
constexpr Index row_length = 512;
const double term = 1 + std::ldexp(1.0, -44) / 3;

TEST(BenchReference, RoundingOfALongRowIsNoWrongProduct) {
  const Csr<double> a = from_triplets<double>(1, row_length, [] {
    std::vector<Triplet<double>> row;
    for (Index j = 0; j < row_length; ++j) row.push_back({0, j, term});
    return row;
  }());
  const std::vector<double> ones(row_length, 1);
  const auto reference = cli::reference_product<double>(a, ones);
  double sum = 0;
  for (Index j = 0; j < row_length; ++j) sum += term;

  const auto rounded = cli::error_of<double>(reference, std::vector<double>{sum});
  const auto without_one = cli::error_of<double>(reference, std::vector<double>{sum - term});
  const auto nan = cli::error_of<double>(reference, std::vector<double>{NAN});

  EXPECT_GT(rounded.largest, 20);
  EXPECT_TRUE(rounded.right);
  EXPECT_FALSE(without_one.right);
  EXPECT_FALSE(nan.right);
}

TEST(BenchReference, ShortRowBesideALongOneHasItsOwnBound) {
  std::vector<Triplet<double>> entries = {{0, 0, 1}};
  for (Index j = 0; j < row_length; ++j) entries.push_back({1, j, 1});
  const auto reference =
      cli::reference_product<double>(from_triplets<double>(2, row_length, entries), std::vector<double>(row_length, 1));

  EXPECT_FALSE(cli::error_of<double>(reference, std::vector<double>{1 + 20 * 2.3e-16, row_length}).right);
  EXPECT_TRUE(cli::error_of<double>(reference, std::vector<double>{1, row_length * (1 + 20 * 2.3e-16)}).right);
}

TEST(BenchReference, ARowOutOfRangeIsNoWrongProduct) {
  const Csr<double> a =
      from_triplets<double>(2, 2, std::vector<Triplet<double>>{{0, 0, 1e308}, {0, 1, 1e308}, {1, 1, 1}});
  const auto reference = cli::reference_product<double>(a, std::vector<double>{1, 1});

  EXPECT_TRUE(cli::error_of<double>(reference, std::vector<double>{HUGE_VAL, 1}).right);
  EXPECT_FALSE(cli::error_of<double>(reference, std::vector<double>{HUGE_VAL, 2}).right);

  const Csr<double> tiny = from_triplets<double>(1, 1, std::vector<Triplet<double>>{{0, 0, 5e-324}});
  const auto small = cli::reference_product<double>(tiny, std::vector<double>{0.7});
  EXPECT_TRUE(cli::error_of<double>(small, std::vector<double>{5e-324}).right);
  EXPECT_FALSE(cli::error_of<double>(small, std::vector<double>{1e-323}).right);
}

TEST_F(CliBench, LongRowsRaiseNoFalseAlarm) {
  const std::vector<double> x = trial_vector<double>(row_length);
  std::string text = "%%MatrixMarket matrix coordinate real general\n1 512 512\n";
  for (Index j = 0; j < row_length; ++j) {
    char line[64];
    std::snprintf(line, sizeof line, "1 %d %.17g\n", j + 1, term / x[static_cast<std::size_t>(j)]);
    text += line;
  }
  write("a.mtx", text);

  const Outcome r = run("bench a.mtx --repetitions 1 --device cpu");

  EXPECT_EQ(r.code, 0) << r.out << r.err;
  EXPECT_EQ(r.out.find("WRONG"), std::string::npos) << r.out;
}

}  // namespace
}  // namespace ostinato::cli_tests
