// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <vector>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/ordering/renumber.hpp>
#include <ostinato/spmv/team/numbering.hpp>

#include "support/matrices.hpp"
#include "support/pieces.hpp"
#include "support/ranks.hpp"

namespace ostinato::test {
namespace {

/// The rank that is to have a row, out of any order.
int owner_of(Index row, int ranks) { return static_cast<int>((row * 7 + row / 100) % ranks); }

/// The given numbers of all rows in the new order.
std::vector<Index> order_of(Index rows, int ranks) {
  std::vector<Index> order;
  for (int r = 0; r < ranks; ++r)
    for (Index i = 0; i < rows; ++i)
      if (owner_of(i, ranks) == r) order.push_back(i);
  return order;
}

std::vector<int> owners_of(const Team& team, const Partition& given) {
  std::vector<int> owners;
  for (Index i = given.begin(team); i < given.end(team); ++i) owners.push_back(owner_of(i, team.size()));
  return owners;
}

TEST(Numbering, GivesRowsAndElementsToTheirOwnersAndBack) {
  const Csr<double> a = odd_matrix(700, 700);
  const std::vector<double> x = random_vector<double>(a.rows, 3);
  on_ranks({1, 2, 3, 5}, [&](const Team& team) {
    const Partition given = uneven(team, a.rows);
    const Numbering numbering = Numbering::of_owners(team, given, owners_of(team, given));
    const std::vector<Index> order = order_of(a.rows, team.size());
    const Partition& parts = numbering.parts();
    EXPECT_EQ(std::vector<Index>(numbering.rows().begin(), numbering.rows().end()), piece(order, parts, team));
    const Csr<double> expected = renumber<double>(Host(1), a, order);
    expect_equal(numbering.renumbered(piece(a, given.begin(team), given.end(team)).view()),
                 piece(expected, parts.begin(team), parts.end(team)));
    const std::vector<double> mine = piece(x, given, team), own = numbering.renumbered<double>(mine);
    for (std::size_t k = 0; k < own.size(); ++k) EXPECT_EQ(own[k], x[static_cast<std::size_t>(numbering.rows()[k])]);
    EXPECT_EQ(numbering.number_as_before<double>(own), mine);
  });
}

TEST(Numbering, RefusesAnOwnerThatThereIsNot) {
  on_ranks({2, 3}, [](const Team& team) {
    const Partition given = Partition::by_rows(team, 9000);
    std::vector<int> owners(static_cast<std::size_t>(given.length(team)), 0);
    if (team.rank() == 1) owners[5] = team.size();
    if (team.rank() == 1) {
      EXPECT_THROW(Numbering::of_owners(team, given, owners), ArgumentError);
    } else {
      EXPECT_THROW(Numbering::of_owners(team, given, owners), RankError);
    }
    EXPECT_EQ(team.sum(1), team.size());
  });
}

}  // namespace
}  // namespace ostinato::test
