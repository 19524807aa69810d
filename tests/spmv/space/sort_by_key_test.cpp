// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/space/sort_by_key.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "support/matrices.hpp"
#include "support/spaces.hpp"

namespace ostinato::test {
namespace {

template <class Case>
using SortByKey = SpaceTest<Case>;
TYPED_TEST_SUITE(SortByKey, EverySpace, SpaceNames);

TYPED_TEST(SortByKey, KeepsTheOrderOfValuesWithTheSameKey) {
  Random random(1);
  for (const std::size_t n : {0, 1, 31, 33, 597, 100000}) {
    for (const unsigned largest : {0u, 1u, 255u, 256u, 70000u}) {
      std::vector<unsigned> keys(n);
      std::vector<Index> values(n), places(n);
      for (unsigned& k : keys) k = static_cast<unsigned>(below(random, static_cast<int>(largest) + 1));
      std::iota(places.begin(), places.end(), 0);
      for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<Index>(n - i);
      std::stable_sort(places.begin(), places.end(), [&](Index p, Index q) {
        return keys[static_cast<std::size_t>(p)] < keys[static_cast<std::size_t>(q)];
      });
      auto on_keys = this->template put<unsigned>(keys);
      auto on_values = this->template put<Index>(values);

      sort_by_key(this->space(), on_keys, largest, on_values);

      std::vector<unsigned> sorted_keys;
      std::vector<Index> sorted;
      for (const Index p : places) {
        sorted_keys.push_back(keys[static_cast<std::size_t>(p)]);
        sorted.push_back(values[static_cast<std::size_t>(p)]);
      }
      EXPECT_EQ(on_keys.download(), sorted_keys) << n << " " << largest;
      EXPECT_EQ(on_values.download(), sorted) << n << " " << largest;
    }
  }
}

}  // namespace
}  // namespace ostinato::test
