// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <ostinato/spmv/analysis/structure.hpp>
#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/matrix/generate.hpp>
#include <ostinato/spmv/operator.hpp>
#include <ostinato/spmv/team/distributed_operator.hpp>

#include "support/matrices.hpp"
#include "support/pieces.hpp"
#include "support/ranks.hpp"

namespace ostinato::test {
namespace {

using DistributedHost = Distributed<Host>;

struct Named {
  std::string name;
  Csr<double> a;
  std::string format;  ///< that "auto" takes
};

std::vector<Named> matrices() {
  std::vector<Triplet<double>> blocks;  // no entry joins the parts
  for (Index i = 0; i < 6000; ++i)
    for (const Index j : {i / 3 * 3, i / 3 * 3 + 1, i / 3 * 3 + 2}) blocks.push_back({i, j, 1.0 + i % 5 - j % 3});
  std::vector<Named> all;
  all.push_back({"poisson2d", generate<double>("poisson2d", {.n = 80}), "dia"});
  all.push_back({"variable3d", generate<double>("variable3d", {.n = 18}), "dia"});
  all.push_back({"fem27", generate<double>("fem27", {.n = 15}), "csr"});
  all.push_back({"odd", odd_matrix(5000, 5000), "csr"});
  all.push_back({"wide", odd_matrix(300, 700), "csr"});
  all.push_back({"tall", odd_matrix(700, 300), "csr"});
  all.push_back({"disconnected", from_triplets<double>(6000, 6000, blocks), "dia"});
  all.push_back({"four rows", from_triplets<double>(4, 4, std::vector<Triplet<double>>{{0, 3, 2.0}, {2, 1, 5.0}}), ""});
  return all;
}

TEST(DistributedOperator, HasTheBitsOfOneRank) {
  for (const Named& named : matrices()) {
    SCOPED_TRACE(named.name);
    const Csr<double>& a = named.a;
    const Operator<Host, double> whole(Host(), a, {.format = "csr"});
    const std::vector<double> x = random_vector<double>(a.cols, 3), z = random_vector<double>(a.rows, 4);
    std::vector<double> plain(z.size(), 7), added = z;
    whole.apply(1, x, 0, plain);
    whole.apply(-0.3, x, 1.7, added);
    on_ranks({1, 2, 3, 5, 7}, [&](const Team& team) {
      const DistributedHost space(Host(1), team);
      const Partition rows = uneven(team, a.rows), cols = a.rows == a.cols ? rows : uneven(team, a.cols);
      const Csr<double> mine = piece(a, rows.begin(team), rows.end(team));
      const DistributedOperator<Host, double> part(space, rows, cols, mine);
      if (!named.format.empty()) {
        EXPECT_EQ(part.format(), named.format);
      }
      const std::vector<double> own_x = piece(x, cols, team);
      std::vector<double> y(part.rows(), 7), w = piece(z, rows, team);
      for (int twice = 0; twice < 2; ++twice) part.apply(1, own_x, 0, y);
      part.apply(-0.3, own_x, 1.7, w);
      EXPECT_EQ(y, piece(plain, rows, team));
      EXPECT_EQ(w, piece(added, rows, team));
    });
  }
}

TEST(DistributedOperator, HasTheTransposeAndTheFactsOfTheWholeMatrix) {
  for (const Named& named : matrices()) {
    SCOPED_TRACE(named.name);
    const Csr<double>& a = named.a;
    const Structure facts = analyse(Host(), a.view());
    const Csr<double> t = transpose(a.view());
    const Operator<Host, double> turned(Host(), t, {.format = "csr"});
    const std::vector<double> x = random_vector<double>(a.rows, 3);
    std::vector<double> expected(static_cast<std::size_t>(a.cols));
    turned.apply(1, x, 0, expected);
    on_ranks({1, 3}, [&](const Team& team) {
      const Partition rows = uneven(team, a.rows), cols = a.rows == a.cols ? rows : uneven(team, a.cols);
      const Csr<double> mine = piece(a, rows.begin(team), rows.end(team));
      DistributedOperator<Host, double> part(DistributedHost(Host(1), team), rows, cols, mine);
      EXPECT_EQ(part.adjoint(), nullptr);
      const std::size_t without = part.bytes();
      part.add_adjoint(mine);
      EXPECT_GE(part.bytes(), without + part.adjoint()->bytes());
      std::vector<double> y(part.cols());
      part.adjoint()->apply(1, piece(x, rows, team), 0, y);
      EXPECT_EQ(y, piece(expected, cols, team));

      const Facts& found = *part.facts();
      EXPECT_EQ(found.rows, facts.rows);
      EXPECT_EQ(found.cols, facts.cols);
      EXPECT_EQ(found.nonzeros, facts.nonzeros);
      EXPECT_EQ(found.longest_row, facts.longest_row);
      EXPECT_DOUBLE_EQ(found.mean_row, facts.mean_row);
      EXPECT_EQ(found.empty_rows, facts.empty_rows);
      EXPECT_EQ(found.symmetric, facts.symmetric);
      EXPECT_EQ(found.missing_diagonal, facts.missing_diagonal);
      EXPECT_EQ(found.positive_diagonal, facts.positive_diagonal);
      EXPECT_EQ(found.negative_diagonal, facts.negative_diagonal);
      EXPECT_EQ(found.finite, facts.finite);
      EXPECT_NEAR(found.norm_inf, facts.norm_inf, 1e-6 * facts.norm_inf);
    });
  }
}

TEST(DistributedOperator, HasAnAccurateResidualWithTheBitsOfOneRank) {
  const Csr<double> a = generate<double>("variable3d", {.n = 18});
  const Operator<Host, double> whole(Host(), a, {.format = "csr"});
  const std::vector<double> x = random_vector<double>(a.cols, 3), b = random_vector<double>(a.rows, 4);
  std::vector<double> expected(b.size());
  double norm = 0;
  ASSERT_TRUE(whole.accurate_residual(1, 2, x, b, expected, &norm));
  on_ranks({1, 2, 5}, [&](const Team& team) {
    const Partition rows = Partition::by_rows(team, a.rows);
    const Csr<double> mine = piece(a, rows.begin(team), rows.end(team));
    const DistributedOperator<Host, double> part(DistributedHost(Host(1), team), rows, mine);
    std::vector<double> r(part.rows());
    double slot = 0;
    EXPECT_TRUE(part.accurate_residual(1, 2, piece(x, rows, team), piece(b, rows, team), r, &slot));
    EXPECT_EQ(r, piece(expected, rows, team));
    EXPECT_NEAR(slot, norm, 1e-14 * norm);
  });
}

TEST(DistributedOperator, RefusesRowsOfOneRankOnAll) {
  on_ranks({2, 3}, [](const Team& team) {
    const Index n = 20000;
    const Partition rows = Partition::by_rows(team, n);
    Csr<double> mine = piece(odd_matrix(n, n), rows.begin(team), rows.end(team));
    if (team.rank() == 1) mine.col[0] = n;
    const DistributedHost space(Host(1), team);
    if (team.rank() == 1) {
      EXPECT_THROW((DistributedOperator<Host, double>(space, rows, mine)), ArgumentError);
    } else {
      EXPECT_THROW((DistributedOperator<Host, double>(space, rows, mine)), RankError);
    }
    EXPECT_EQ(team.sum(1), team.size());
  });
}

TEST(DistributedOperator, ExchangesWhatItsRowsNeedAlone) {
  const Index n = 100;  // 10,000 rows: 5 blocks
  const Csr<double> a = generate<double>("poisson2d", {.n = n});
  on_ranks({2, 3}, [&](const Team& team) {
    const Partition rows = Partition::by_rows(team, a.rows);
    const Csr<double> mine = piece(a, rows.begin(team), rows.end(team));
    const HaloReport found = DistributedOperator<Host, double>(DistributedHost(Host(1), team), rows, mine).report();
    const int sides = team.rank() == 0 || team.rank() == team.size() - 1 ? 1 : 2;
    EXPECT_EQ(found.ghosts, sides * n);
    EXPECT_EQ(found.neighbours, sides);
    EXPECT_EQ(found.bytes, static_cast<std::size_t>(2 * sides * n) * sizeof(double));
    EXPECT_EQ(found.rows, rows.length(team));
    EXPECT_EQ(found.entries, mine.nonzeros());
  });
}

}  // namespace
}  // namespace ostinato::test
