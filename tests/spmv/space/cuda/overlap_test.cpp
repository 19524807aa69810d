// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include <ostinato/spmv/operator.hpp>
#include <ostinato/spmv/space/graph_capture.hpp>

#include "support/spaces.hpp"

// With programmatic dependent launch a kernel may start before the preceding kernel has ended
// (spmv/space/cuda/overlap.cuh). The kernel must still see all that the preceding kernel wrote.

namespace ostinato::test {
namespace {

/// The permutation matrix with y[i] = x[i + 1] and y[n - 1] = x[0].
Csr<double> rotation(Index n) {
  Csr<double> a;
  a.rows = a.cols = n;
  a.row_ptr.resize(static_cast<std::size_t>(n) + 1);
  std::iota(a.row_ptr.begin(), a.row_ptr.end(), Offset{0});
  a.col.resize(static_cast<std::size_t>(n));
  std::iota(a.col.begin(), a.col.end(), Index{1});
  a.col.back() = 0;
  a.val.resize(static_cast<std::size_t>(n));
  std::fill(a.val.begin(), a.val.end(), 1.0);
  return a;
}

struct Case {
  std::string format;
  Index n;  ///< thread blocks in one wave on the GPU, or in many
};

class CudaOverlap : public testing::TestWithParam<Case> {
 protected:
  static constexpr int times = 200;

  void SetUp() override {
    if (Cuda::device_count() == 0) GTEST_SKIP() << Cuda::why_absent();
  }

  static std::vector<double> start() {
    std::vector<double> x(static_cast<std::size_t>(GetParam().n));
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i % 1000);
    return x;
  }

  static std::vector<double> rotated() {
    std::vector<double> x = start();
    std::rotate(x.begin(), x.begin() + times, x.end());
    return x;
  }

  static Operator<Cuda, double> make(const Cuda& space) {
    return {space, rotation(GetParam().n), FormatOptions{.format = GetParam().format}};
  }
};

TEST_P(CudaOverlap, OfProductsOfProducts) {
  const Cuda space;
  const auto op = make(space);
  Vector<Cuda, double> x(space, start()), y(space, start());

  for (int k = 0; k < times; k += 2) {
    op.apply(1, x, 0, y);
    op.apply(1, y, 0, x);
  }

  EXPECT_EQ(x.download(), rotated());
}

TEST_P(CudaOverlap, OfProductsWithADotProduct) {
  const Cuda space;
  const auto op = make(space);
  Vector<Cuda, double> x(space, start()), y(space, start()), slots(space, times, -1.0);
  const std::vector<double> host = start();
  // The elements are integers, so the sum is exact, and every rotation has the same sum.
  double dot = host.back() * host.front();
  for (std::size_t i = 1; i < host.size(); ++i) dot += host[i - 1] * host[i];

  for (int k = 0; k < times; k += 2) {
    op.apply_dot(x, y, x, slots.data() + k);
    op.apply_dot(y, x, y, slots.data() + k + 1);
  }

  EXPECT_EQ(x.download(), rotated());
  EXPECT_EQ(slots.download(), std::vector<double>(times, dot));
}

TEST_P(CudaOverlap, OfARecordingWithCopiesBetween) {
  const Cuda space;
  const auto op = make(space);
  Vector<Cuda, double> x(space, start()), y(space, start());

  CudaGraph graph(space);
  graph.begin();
  for (int k = 0; k < times / 10; k += 2) {
    op.apply(1, x, 0, y);
    space.copy(x.data(), y.data(), y.bytes());
    op.apply(1, x, 0, y);
    op.apply(0, x, 1, y);
    space.copy(x.data(), y.data(), y.bytes());
  }
  graph.end();
  for (int k = 0; k < 10; ++k) graph.launch();

  EXPECT_EQ(x.download(), rotated());
}

INSTANTIATE_TEST_SUITE_P(Any, CudaOverlap,
                         testing::Values(Case{"csr", 1000}, Case{"csr", 1000000}, Case{"dia", 1000},
                                         Case{"dia", 1000000}),
                         [](const auto& test) { return test.param.format + std::to_string(test.param.n); });

}  // namespace
}  // namespace ostinato::test
