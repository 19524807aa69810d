// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/matrix/generate.hpp>
#include <ostinato/spmv/ordering/graph_parts.hpp>
#include <ostinato/spmv/ordering/rcm.hpp>
#include <ostinato/spmv/ordering/renumber.hpp>
#include <ostinato/spmv/team/distributed_operator.hpp>
#include <ostinato/spmv/team/partitioning.hpp>

#include "support/matrices.hpp"
#include "support/pieces.hpp"
#include "support/ranks.hpp"
#include "support/temporary_directory.hpp"

namespace ostinato::test {
namespace {

HaloReport report_of(const Team& team, const Partition& parts, const Csr<double>& mine) {
  return DistributedOperator<Host, double>(Distributed<Host>(Host(1), team), parts, mine).report();
}

TEST(Partitioning, ByTheGridGivesWholePlanes) {
  struct Case {
    const char* family;
    GenerateOptions options;
    Index plane, planes;
  };
  for (const Case& c : {Case{"poisson2d", {.n = 30}, 30, 30}, Case{"fem27", {.n = 12}, 144, 12},
                        Case{"fem27", {.n = 8, .unknowns = 3}, 192, 8}}) {
    SCOPED_TRACE(c.family);
    const Csr<double> a = generate<double>(c.family, c.options);
    ASSERT_EQ(a.rows, c.plane * c.planes);
    on_ranks({1, 2, 3, 5}, [&](const Team& team) {
      const Partition given = uneven(team, a.rows);
      const Partition parts = grid_partition(team, given, piece(a, given.begin(team), given.end(team)).view());
      for (int r = 0; r <= team.size(); ++r)
        EXPECT_EQ(parts.offset(r), c.planes * static_cast<Index>(r) / team.size() * c.plane);
    });
  }
}

TEST(Partitioning, ByTheGridNeedsOne) {
  const Csr<double> a = odd_matrix(3000, 3000);
  on_ranks({1, 2}, [&](const Team& team) {
    const Partition given = uneven(team, a.rows);
    EXPECT_THROW(grid_partition(team, given, piece(a, given.begin(team), given.end(team)).view()), ArgumentError);
  });
}

TEST(Partitioning, ByRcmIsTheOrderOfOneRank) {
  const Csr<double> a = generate<double>("mesh2d", {.n = 90});
  const std::vector<Index> order = reverse_cuthill_mckee(symmetric_graph(a.row_ptr, a.col));
  const Csr<double> expected = renumber<double>(Host(1), a, order);
  on_ranks({1, 2, 3}, [&](const Team& team) {
    const Partition given = uneven(team, a.rows);
    const Csr<double> mine = piece(a, given.begin(team), given.end(team));
    const Numbering numbering = rcm_partition(team, given, mine.view());
    const Partition& parts = numbering.parts();
    EXPECT_EQ(parts, parts.aligned());
    const Csr<double> own = numbering.renumbered(mine.view());
    expect_equal(own, piece(expected, parts.begin(team), parts.end(team)));
    EXPECT_LT(static_cast<double>(team.most(own.nonzeros() + 10 * own.rows) * team.size()),
              1.6 * static_cast<double>(a.nonzeros() + 10 * a.rows));
  });
}

TEST(Partitioning, ByMetisHasFewGhostsAndEvenWork) {
  if (!has_graph_parts) GTEST_SKIP() << "this build has no METIS";
  const Csr<double> a = generate<double>("mesh2d", {.n = 60});  // rows in a scattered order
  on_ranks({1, 2, 3, 5}, [&](const Team& team) {
    const Partition given = uneven(team, a.rows);
    const Csr<double> mine = piece(a, given.begin(team), given.end(team));
    const Numbering numbering = metis_partition(team, given, mine.view());
    const Csr<double> own = numbering.renumbered(mine.view());
    EXPECT_LT(static_cast<double>(team.most(own.nonzeros() + 10 * own.rows) * team.size()),
              1.1 * static_cast<double>(a.nonzeros() + 10 * a.rows));
    const std::int64_t ghosts = team.sum(report_of(team, numbering.parts(), own).ghosts),
                       before = team.sum(report_of(team, given, mine).ghosts);
    if (team.size() > 1) {
      EXPECT_LT(ghosts, before / 2);
    }
  });
}

TEST(Partitioning, WithoutMetisSaysSo) {
  if (has_graph_parts) GTEST_SKIP() << "this build has METIS";
  on_ranks({1, 2}, [](const Team& team) {
    const Csr<double> a = generate<double>("poisson2d", {.n = 4});
    const Partition given = Partition::by_rows(team, a.rows);
    const Csr<double> mine = piece(a, given.begin(team), given.end(team));
    EXPECT_THROW(metis_partition(team, given, mine.view()), ArgumentError);
  });
}

TEST(Partitioning, ReadsOwnersAndNamesTheBadLine) {
  const TemporaryDirectory directory;
  const std::string path = (directory.path() / "owners.txt").string();
  on_ranks({1, 2, 3}, [&](const Team& team) {
    const std::string own = path + std::to_string(team.rank());
    const Partition given = Partition({uneven(team, 7)});
    const auto read = [&](const std::string& text) {
      std::ofstream(own, std::ios::binary) << text;
      return read_owners(team, given, own);
    };
    const int last = team.size() - 1;
    const std::string l = std::to_string(last);
    const std::vector<int> all = {0, last, 0, 0, last, last, 0};
    EXPECT_EQ(read("0\n" + l + "\r\n0\n 0 \n" + l + "\n" + l + "\n\n0"), piece(all, given, team));
    const auto expect_line = [&](const std::string& text, std::int64_t line) {
      try {
        read(text);
        ADD_FAILURE() << text;
      } catch (const FormatError& e) {
        EXPECT_EQ(e.line(), line) << e.what();
      }
    };
    expect_line("0\n0\nx\n0\n0\n0\n0\n", 3);
    expect_line("0\n0\n0\n0\n0 1\n0\n0\n", 5);
    expect_line("0\n" + std::to_string(team.size()) + "\n0\n0\n0\n0\n0\n", 2);
    expect_line("0\n0\n-1\n0\n0\n0\n0\n", 3);
    expect_line("0\n0\n0\n", 3);
    expect_line("0\n0\n0\n0\n0\n0\n0\n0\n", 8);
    EXPECT_EQ(team.sum(1), team.size());
  });
}

}  // namespace
}  // namespace ostinato::test
