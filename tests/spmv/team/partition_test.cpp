// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/matrix/generate.hpp>
#include <ostinato/spmv/space/parallel.hpp>
#include <ostinato/spmv/team/partition.hpp>

#include "support/matrices.hpp"
#include "support/pieces.hpp"
#include "support/ranks.hpp"

namespace ostinato::test {
namespace {

static_assert(Partition::block == sum_block && host_block == sum_block, "ranks share the blocks of sums");

TEST(Partition, HasWholeBlocksOfRowsForEachRank) {
  on_ranks({1, 2, 3, 5, 7}, [](const Team& team) {
    for (const Index rows : {0, 1, 4, 2048, 2049, 100000}) {
      const Partition parts = Partition::by_rows(team, rows);
      ASSERT_EQ(parts.ranks(), team.size());
      EXPECT_EQ(parts.rows(), rows);
      for (int r = 1; r < team.size(); ++r)
        EXPECT_TRUE(parts.offset(r) % Partition::block == 0 || parts.offset(r) == rows);
      for (Index row = 0; row < rows; row += 999) {
        const int owner = parts.owner(row);
        EXPECT_TRUE(row >= parts.offset(owner) && row < parts.offset(owner + 1));
      }
    }
  });
}

TEST(Partition, SharesEntriesEvenly) {
  on_ranks({2, 3, 5}, [](const Team& team) {
    std::vector<Triplet<double>> entries;  // rows of 1 entry, then as many of 41
    const Index rows = 100000;
    for (Index i = 0; i < rows; ++i)
      for (Index k = 0; k < (i < rows / 2 ? 1 : 41); ++k) entries.push_back({i, (i + k) % rows, 1.0});
    const Csr<double> a = from_triplets<double>(rows, rows, entries);
    const Partition now = Partition::by_rows(team, rows);
    const Partition parts = Partition::by_entries(team, piece(a, now.begin(team), now.end(team)).row_ptr);
    double most = 0, all = 0;
    for (int r = 0; r < team.size(); ++r) {
      const auto at = [&](int k) { return static_cast<double>(a.row_ptr[static_cast<std::size_t>(parts.offset(k))]); };
      const double work = at(r + 1) - at(r) + 10.0 * (parts.offset(r + 1) - parts.offset(r));
      most = std::max(most, work);
      all += work;
    }
    EXPECT_LT(most, 1.1 * all / team.size());
  });
}

TEST(Partition, RefusesOffsetsThatDoNotAscend) {
  EXPECT_THROW(Partition({0, 5, 3}), ArgumentError);
  EXPECT_THROW(Partition({1, 5}), ArgumentError);
  EXPECT_THROW(Partition(std::vector<Index>{}), ArgumentError);
}

TEST(Partition, MovesRowsAndVectors) {
  on_ranks({1, 2, 3, 5}, [](const Team& team) {
    const Csr<double> a = odd_matrix(5000, 5000);
    const std::vector<double> x = random_vector<double>(a.rows, 2);
    const Partition from = uneven(team, a.rows), to = from.aligned();
    const Csr<double> mine = piece(a, from.begin(team), from.end(team));
    expect_equal(moved<double>(team, mine.view(), from, to), piece(a, to.begin(team), to.end(team)));
    const std::span<const double> own =
        std::span(x).subspan(static_cast<std::size_t>(from.begin(team)), static_cast<std::size_t>(from.length(team)));
    const auto begin = x.begin() + to.begin(team);
    EXPECT_EQ(moved<double>(team, own, from, to), std::vector<double>(begin, begin + to.length(team)));
  });
}

TEST(Partition, TransposesAndAssembles) {
  on_ranks({1, 2, 3, 5}, [](const Team& team) {
    const Csr<double> a = odd_matrix(600, 400), t = transpose(a.view());
    const Partition rows = uneven(team, a.rows), cols = uneven(team, a.cols);
    const Csr<double> mine = piece(a, rows.begin(team), rows.end(team));
    expect_equal(transposed<double>(team, mine.view(), rows, cols), piece(t, cols.begin(team), cols.end(team)));

    std::vector<Triplet<double>> entries;  // each rank brings some, of all rows
    for (Index i = 0; i < a.rows; ++i)
      for (Offset k = a.row_ptr[static_cast<std::size_t>(i)]; k < a.row_ptr[static_cast<std::size_t>(i) + 1]; ++k)
        if (k % team.size() == team.rank())
          entries.push_back({i, a.col[static_cast<std::size_t>(k)], a.val[static_cast<std::size_t>(k)]});
    expect_equal(assembled<double>(team, entries, rows, a.cols), mine);
  });
}

}  // namespace
}  // namespace ostinato::test
