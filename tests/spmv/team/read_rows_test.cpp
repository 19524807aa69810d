// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/matrix/io/matrix_market.hpp>
#include <ostinato/spmv/team/read_rows.hpp>

#include "support/matrices.hpp"
#include "support/pieces.hpp"
#include "support/ranks.hpp"
#include "support/temporary_directory.hpp"

namespace ostinato::test {
namespace {

/// A file that all ranks find, written by each process for itself.
std::string file_of(const TemporaryDirectory& directory, const std::string& text) {
  const std::string path = (directory.path() / "a.mtx").string();
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

constexpr const char* general = "%%MatrixMarket matrix coordinate real general\n";

/// Files that are cut in awkward places whatever the number of ranks.
std::vector<std::string> texts() {
  std::string long_comment = general + std::string("6 6 7\n1 1 1.5\n2 3 -2\n%") + std::string(300, 'x') +
                             "\n5 1 3\n2 3 0.25\n6 6 1e-3\n4 2 8\n1 6 9\n",
              returns = general + std::string("3 4 4\r\n1 4 1\r\n\r\n3 1 2\r\n2 2 3\r\n3 1 4\r\n"),
              symmetric = "%%MatrixMarket matrix coordinate real symmetric\n5000 5000 9999\n",
              skew = "%%MatrixMarket matrix coordinate integer skew-symmetric\n4 4 2\n3 1 7\n4 2 -1",
              array = "%%MatrixMarket matrix array real general\n3 2\n1\n2\n3\n4\n5\n6\n",
              empty = general + std::string("7 7 0\n");
  for (int i = 1; i <= 5000; ++i) {
    symmetric += std::to_string(i) + " " + std::to_string(i) + " 4.25\n";
    if (i > 1) symmetric += std::to_string(i) + " " + std::to_string((i * 7) % (i - 1) + 1) + " -0.1\n";
  }
  return {long_comment, returns, symmetric, skew, array, empty};
}

TEST(ReadRows, GivesTheRowsOfTheWholeMatrix) {
  for (const std::string& text : texts()) {
    SCOPED_TRACE(text.substr(0, 70));
    const TemporaryDirectory directory;
    const std::string path = file_of(directory, text);
    MatrixMarketInfo expected;
    const Csr<double> whole = read_matrix_market<double>(path, &expected);
    on_ranks({1, 2, 3, 5, 7}, [&](const Team& team) {
      for (const Sharing sharing : {Sharing::rows, Sharing::entries}) {
        MatrixMarketInfo info;
        const SharedRows<double> found = read_rows<double>(team, path, sharing, &info);
        EXPECT_EQ(found.parts, found.parts.aligned());
        expect_equal(found.mine, piece(whole, found.parts.begin(team), found.parts.end(team)));
        EXPECT_EQ(info.stored_entries, expected.stored_entries);
        EXPECT_EQ(info.symmetry, expected.symmetry);
      }
    });
  }
}

TEST(ReadRows, NamesTheFirstBadLineOnAllRanks) {
  for (const char* const lines : {"4 4 3\n1 1 1\n2 2 x\n3 5 1\n", "4 4 3\n1 1 1\n2 2 2\n", "4 4 1\n1 1 1\n2 2 2\n"}) {
    const TemporaryDirectory directory;
    const std::string path = file_of(directory, general + std::string(lines));
    std::string expected;
    try {
      read_matrix_market<double>(path);
    } catch (const FormatError& e) {
      expected = e.what();
    }
    ASSERT_FALSE(expected.empty());
    on_ranks({1, 2, 3}, [&](const Team& team) {
      try {
        read_rows<double>(team, path, Sharing::entries);
        ADD_FAILURE();
      } catch (const FormatError& e) {
        EXPECT_EQ(e.what(), expected);
      }
      EXPECT_EQ(team.sum(1), team.size());
    });
  }
}

TEST(ReadRows, RefusesAFileThatOneRankDoesNotFind) {
  const TemporaryDirectory directory;
  const std::string path = file_of(directory, texts()[0]);
  on_ranks({2, 3}, [&](const Team& team) {
    const std::string own = team.rank() == 1 ? path + ".gone" : path;
    if (team.rank() == 1) {
      EXPECT_THROW(read_rows<double>(team, own, Sharing::rows), FormatError);
    } else {
      EXPECT_THROW(read_rows<double>(team, own, Sharing::rows), RankError);
    }
  });
}

}  // namespace
}  // namespace ostinato::test
