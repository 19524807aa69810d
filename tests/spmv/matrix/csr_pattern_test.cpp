// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <vector>

#include <ostinato/spmv/matrix/csr_pattern.hpp>

namespace ostinato::test {
namespace {

TEST(CsrPattern, FindsRowsAmongEmptyOnes) {
  const std::vector<Offset> row_ptr = {0, 0, 0, 2, 2, 5, 5};
  const std::vector<Index> col = {1, 4, 0, 2, 7};
  const detail::CsrPattern a{6, row_ptr.data(), col.data()};
  const std::vector<Index> rows = {2, 2, 4, 4, 4};
  for (Offset k = 0; k < 5; ++k) EXPECT_EQ(a.row_of(k), rows[static_cast<std::size_t>(k)]) << k;
  EXPECT_EQ(a.first_from(2, 0), 0);
  EXPECT_EQ(a.first_from(2, 2), 1);
  EXPECT_EQ(a.first_from(2, 5), 2);
  EXPECT_EQ(a.first_from(3, 0), 2);
}

TEST(EntryRuns, VisitEachEntryOnceInItsRow) {
  const std::vector<Offset> row_ptr = {0, 0, 3, 3, 40, 41, 41};
  const std::vector<Index> col(41, 0);
  const detail::CsrPattern a{6, row_ptr.data(), col.data()};
  for (const detail::EntryRuns runs : {detail::EntryRuns{41, 8, 1}, {41, 1, 32}, {41, 3, 4}, {41, 64, 32}}) {
    std::vector<int> seen(41);
    for (std::size_t run = 0; run < runs.count(); ++run) {
      runs.visit(run, a, [&](Index row, Offset k) {
        ++seen[static_cast<std::size_t>(k)];
        EXPECT_EQ(row, a.row_of(k)) << k;
      });
    }
    EXPECT_EQ(seen, std::vector<int>(41, 1)) << runs.length << " x " << runs.lanes;
  }
}

}  // namespace
}  // namespace ostinato::test
