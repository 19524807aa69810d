// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0

// How the format csr distributes rows: on Host to shares of work; on a GPU to threads, and long rows to thread blocks.

#include <ostinato/spmv/formats/csr/csr_plan.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include <ostinato/spmv/matrix/space_csr.hpp>
#include <ostinato/spmv/operator.hpp>

#include "support/reference.hpp"
#include "support/samples.hpp"
#include "support/spaces.hpp"

namespace ostinato::test {
namespace {

template <class Case>
using CsrPlanOn = SpaceTest<Case>;
TYPED_TEST_SUITE(CsrPlanOn, EverySpace, SpaceNames);

/// The first `longer` rows have `length` entries, the others 2.
template <class T>
Csr<T> with_longer_rows(Index rows, Index longer, Index length) {
  std::vector<Triplet<T>> entries;
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < (i < longer ? length : 2); ++j) entries.push_back({i, i + j, T{1} / static_cast<T>(1 + j)});
  }
  return from_triplets<T>(rows, rows + length, entries);
}

TYPED_TEST(CsrPlanOn, LeavesWholeBlocksNoMoreThanTwoRowsAMultiprocessorUnlessTheyAreLongest) {
  using Space = typename TypeParam::Space;
  using T = typename TypeParam::T;
  if constexpr (!Space::has_streams) {
    GTEST_SKIP() << "csr cuts long rows into pieces on GPUs only";
  } else {
    const Space& space = this->space();
    const Index rows = 2048 * space.multiprocessors(), few = 2 * space.multiprocessors();
    struct {
      Index longer, length;
      int longest_short;
      Index pieces;
    } const cases[] = {{few, 8, 32, 0},      {few, 9, 8, few},     {few + 1, 9, 16, 0},       {few + 1, 16, 16, 0},
                       {few + 1, 17, 32, 0}, {few + 1, 32, 32, 0}, {few + 1, 33, 32, few + 1}};
    for (const auto& c : cases) {
      SCOPED_TRACE(testing::Message() << c.longer << " rows of " << c.length);
      const Csr<T> a = with_longer_rows<T>(rows, c.longer, c.length);
      const SpaceCsr<Space, T> matrix(space, a.view());
      const formats::CsrPlan<Space> plan(space, matrix.view(), analyse(space, matrix.view()));
      ASSERT_EQ(plan.threads_per_row, 1);
      EXPECT_EQ(plan.longest_short, c.longest_short);
      EXPECT_EQ(plan.pieces.size(), static_cast<std::size_t>(c.pieces));

      const std::vector<T> x = random_vector<T>(a.cols, 3);
      const auto dx = this->put(x);
      auto dy = this->put(std::vector<T>(static_cast<std::size_t>(rows), T{-1}));
      formats::csr_apply(space, plan, matrix.view(), T{1}, dx.data(), T{0}, dy.data());
      EXPECT_EQ(difference(dy.download(), reference_product(a.view(), T{1}, x, T{0}, {})), "");
    }
  }
}

TYPED_TEST(CsrPlanOn, GivesTheSameBitsAThousandTimes) {
  using Space = typename TypeParam::Space;
  using T = typename TypeParam::T;
  const Csr<T> a = with_long_rows<T>();
  const SpaceCsr<Space, T> matrix(this->space(), a.view());
  const Operator<Space, T> op(this->space(), matrix.view(), on_space, {.format = "csr"});
  const auto x = this->put(random_vector<T>(a.cols, 4));
  const auto once = [&](bool dotted) {
    auto y = this->put(std::vector<T>(static_cast<std::size_t>(a.rows), T{-1}));
    auto slot = this->template put<double>({0});
    if (dotted) {
      op.apply_dot(x, y, y, slot.data());
    } else {
      op.apply(T{1}, x, T{0}, y);
    }
    const std::vector<T> got = y.download();
    std::vector<double> all(got.begin(), got.end());
    all.push_back(slot.download()[0]);
    return all;
  };

  for (const bool dotted : {false, true}) {
    const std::vector<double> first = once(dotted);
    for (int k = 0; k < 1000; ++k) ASSERT_TRUE(same_bits(once(dotted), first)) << dotted << ", product " << k;
  }
}

TEST(CsrPlanOfHost, HasEveryRowInOneRunOfRowsThatAreAsLongAsItSays) {
  const Host host;
  for (const Sample<double>& sample : every_sample<double>()) {
    SCOPED_TRACE(sample.name);
    const Csr<double>& a = sample.matrix;

    const formats::CsrPlan<Host> plan(host, a.view(), analyse(host, a.view()));

    Index next = 0;
    for (const auto& block : plan.blocks) {
      for (const formats::CsrRun& run : block) {
        ASSERT_EQ(run.begin, next);
        ASSERT_GT(run.end, run.begin);
        for (auto i = static_cast<std::size_t>(run.begin); run.length >= 0 && i < static_cast<std::size_t>(run.end);
             ++i)
          ASSERT_EQ(a.row_ptr[i + 1] - a.row_ptr[i], run.length) << i;
        next = run.end;
      }
    }
    EXPECT_EQ(next, a.rows);
  }
}

}  // namespace
}  // namespace ostinato::test
