// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <ostinato/spmv/matrix/generate.hpp>
#include <ostinato/spmv/team/distributed_operator.hpp>
#include <ostinato/spmv/team/rank_forecast.hpp>

#include "support/pieces.hpp"
#include "support/ranks.hpp"

namespace ostinato::test {
namespace {

TEST(RankForecast, CountsTheGhostsAndNeighboursOfAPartition) {
  const Csr<double> a = generate<double>("poisson2d", {.n = 100});
  for (const int ranks : {1, 2, 3, 5}) {
    const RankShare share = largest_share(a.row_ptr, a.col, ranks);
    EXPECT_EQ(share.ghosts, ranks == 1 ? 0 : ranks == 2 ? 100 : 200);
    EXPECT_EQ(share.neighbours, ranks == 1 ? 0 : ranks == 2 ? 1 : 2);
    EXPECT_NEAR(share.work, 1.0 / ranks, 0.01);
  }
}

TEST(RankForecast, HasTheGhostsOfTheOperatorOnEveryMatrix) {
  const Csr<double> a = odd_matrix(20000, 20000);
  on_ranks({2, 3, 5}, [&](const Team& team) {
    const Partition whole = Partition::by_rows(team, a.rows);
    const Partition parts =
        Partition::by_entries(team, piece(a, whole.begin(team), whole.end(team)).row_ptr);  // with blocks
    const DistributedOperator<Host, double> part(Distributed<Host>(Host(1), team), parts,
                                                 piece(a, parts.begin(team), parts.end(team)));
    const RankShare share = largest_share(a.row_ptr, a.col, team.size());
    EXPECT_NEAR(static_cast<double>(share.ghosts), static_cast<double>(team.most(part.report().ghosts)),
                0.1 * share.ghosts);
    EXPECT_EQ(share.neighbours, team.size() - 1);
  });
}

TEST(RankForecast, AddsWorkHaloAndReductions) {
  const RankNetwork network{.latency = 1, .bandwidth = 8};
  const RankForecast hidden = forecast({4, 0.25, 3, 2}, 100, 80, 8, network);
  EXPECT_DOUBLE_EQ(hidden.work, 25);
  EXPECT_DOUBLE_EQ(hidden.halo, 5);
  EXPECT_DOUBLE_EQ(hidden.exposed, 0);
  EXPECT_DOUBLE_EQ(hidden.seconds(), 25 + 6);
  EXPECT_DOUBLE_EQ(forecast({4, 0.25, 3, 2}, 100, 4, 8, network).seconds(), 25 + 4 + 6);
  EXPECT_DOUBLE_EQ(forecast({1, 1, 0, 0}, 100, 80, 8, network).seconds(), 100);
  const double rows = rows_that_pay(2, network);  // 2 rows r / 1.3 = rows + 3
  EXPECT_NEAR(2 * rows / 1.3, rows + 3, 1e-12);
}

TEST(RankForecast, TakesAnEmptyMatrix) {
  const std::vector<Offset> row_ptr = {0};
  EXPECT_EQ(largest_share(row_ptr, {}, 3).ghosts, 0);
}

}  // namespace
}  // namespace ostinato::test
