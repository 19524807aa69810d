// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0

// Which rows csr gives to whole blocks of threads of a GPU.

#include <ostinato/spmv/formats/csr/csr_plan.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include <ostinato/spmv/operator.hpp>

#include "support/reference.hpp"
#include "support/samples.hpp"
#include "support/spaces.hpp"

namespace ostinato::test {
namespace {

/// 2 entries a row, but `length` in the first `longer` rows.
Csr<double> with_longer_rows(Index rows, Index longer, Index length) {
  std::vector<Triplet<double>> entries;
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < (i < longer ? length : 2); ++j) entries.push_back({i, i + j, 1.0 / (1 + j)});
  }
  return from_triplets<double>(rows, rows + length, entries);
}

TEST(CsrPlanCuda, LeavesWholeBlocksNoMoreThanTwoRowsAMultiprocessorUnlessTheyAreLongest) {
  if (Cuda::device_count() == 0) GTEST_SKIP() << Cuda::why_absent();
  const Cuda space;
  const Index rows = 2048 * space.multiprocessors(), few = 2 * space.multiprocessors();
  struct {
    Index longer, length;
    int longest_short;
    Index pieces;
  } const cases[] = {{few, 8, 32, 0},      {few, 9, 8, few},     {few + 1, 9, 16, 0},       {few + 1, 16, 16, 0},
                     {few + 1, 17, 32, 0}, {few + 1, 32, 32, 0}, {few + 1, 33, 32, few + 1}};
  for (const auto& c : cases) {
    SCOPED_TRACE(testing::Message() << c.longer << " rows of " << c.length);
    const Csr<double> a = with_longer_rows(rows, c.longer, c.length);
    const Resident<Cuda, double> resident(space, a.view());
    const formats::CsrPlan<Cuda> plan(space, resident.view(), analyse(space, resident.view()));
    ASSERT_EQ(plan.threads_per_row, 1);
    EXPECT_EQ(plan.longest_short, c.longest_short);
    EXPECT_EQ(plan.pieces.size(), static_cast<std::size_t>(c.pieces));

    const std::vector<double> x = random_vector<double>(a.cols, 3);
    const Vector<Cuda, double> dx(space, x);
    Vector<Cuda, double> dy(space, static_cast<std::size_t>(rows), -1.0);
    formats::csr_apply(space, plan, resident.view(), 1.0, dx.data(), 0.0, dy.data());
    EXPECT_EQ(difference(dy.download(), reference_product(a.view(), 1.0, x, 0.0, {})), "");
  }
}

TEST(CsrPlanCuda, GivesTheSameBitsAThousandTimes) {
  if (Cuda::device_count() == 0) GTEST_SKIP() << Cuda::why_absent();
  const Cuda space;
  const Csr<double> a = with_long_rows<double>();
  const Resident<Cuda, double> resident(space, a.view());
  const Operator<Cuda, double> op(space, resident.view(), on_space, {.format = "csr"});
  const Vector<Cuda, double> x(space, random_vector<double>(a.cols, 4));
  const auto once = [&](bool dotted) {
    Vector<Cuda, double> y(space, static_cast<std::size_t>(a.rows), -1.0), slot(space, 1, 0.0);
    if (dotted) {
      op.apply_dot(x, y, y, slot.data());
    } else {
      op.apply(1, x, 0, y);
    }
    std::vector<double> got = y.download();
    got.push_back(slot.download()[0]);
    return got;
  };

  for (const bool dotted : {false, true}) {
    const std::vector<double> first = once(dotted);
    for (int k = 0; k < 1000; ++k) ASSERT_TRUE(same_bits(once(dotted), first)) << dotted << ", product " << k;
  }
}

}  // namespace
}  // namespace ostinato::test
