// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include <ostinato/spmv/space/parallel.hpp>
#include <ostinato/spmv/space/vector.hpp>

#include "support/matrices.hpp"
#include "support/reference.hpp"
#include "support/spaces.hpp"

// A fused step is compared with the sequence of single operations that it replaces, computed in long double.

namespace ostinato::test {

/// Sizes up to some blocks of the host, not multiples of any block or warp size.
inline constexpr Index step_sizes[] = {1, 31, 33, 597, 5 * static_cast<Index>(host_block) + 3};

/// The expected value of an element, and the sum of the absolute values of its terms.
struct Want {
  long double value, magnitude;
};

inline Want sum_of(long double a, long double b) { return {a + b, std::abs(a) + std::abs(b)}; }

template <class Case>
class StepsTest : public SpaceTest<Case> {
 protected:
  using Value = typename Case::T;
  using Device = Vector<typename Case::Space, Value>;

  void SetUp() override {
    SpaceTest<Case>::SetUp();
    if (this->IsSkipped()) return;
    slots_ = Vector<typename Case::Space, double>(this->space(), std::vector<double>(8, -1));
  }

  double* slot(std::size_t k, double value = -1) {
    this->space().upload(slots_.data() + k, &value, sizeof value);
    return slots_.data() + k;
  }
  double at(const double* place) const {
    double value;
    this->space().download(&value, place, sizeof value);
    return value;
  }

  Device vector(Index n, std::uint64_t seed) const { return this->put(random_vector<Value>(n, seed)); }

  /// Expects each element of y to be f(i).value up to a few roundings of f(i).magnitude.
  template <class F>
  static void expect_elements(const Device& y, F f) {
    const std::vector<Value> got = y.download();
    std::vector<ReferenceRow> want;
    for (std::size_t i = 0; i < got.size(); ++i) want.push_back({f(i).value, f(i).magnitude, 3});
    EXPECT_EQ(difference(got, want), "");
  }

  /// Expects the slot to hold x . y. Sums are in double for every T.
  void expect_dot(const double* place, const std::vector<Value>& x, const std::vector<Value>& y) const {
    ReferenceRow want{0, 0, static_cast<Offset>(x.size())};
    for (std::size_t i = 0; i < x.size(); ++i) {
      want.value += static_cast<long double>(x[i]) * y[i];
      want.magnitude += std::abs(static_cast<long double>(x[i]) * y[i]);
    }
    EXPECT_EQ(difference(std::vector<double>{at(place)}, {want}), "");
  }

 private:
  Vector<typename Case::Space, double> slots_;
};

}  // namespace ostinato::test
