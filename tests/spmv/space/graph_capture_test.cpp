// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/space/graph_capture.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <ostinato/preconditioners/list.hpp>
#include <ostinato/spmv/matrix/generate.hpp>
#include <ostinato/spmv/operator.hpp>
#include <ostinato/spmv/space/vector.hpp>
#include <ostinato/spmv/space/vector_steps.hpp>
#include <ostinato/strategy/any_preconditioner.hpp>

#include "support/cuda_runtime.hpp"
#include "support/matrices.hpp"

// Blocks of iterations whose graph can't be had, or is out of date.

namespace ostinato::test {
namespace {

class CudaGraphs : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = Cuda::why_absent(); !why.empty()) GTEST_SKIP() << why;
    space_.emplace();
  }
  const Cuda& space() const { return *space_; }

 private:
  std::optional<Cuda> space_;
};

/// A recurrence of one element, which each iteration doubles and puts into the other of two slots.
class Doubling {
 public:
  explicit Doubling(const Cuda& space)
      : space_(space), one_(space, 1, 1.0), other_(space, 1, 0.0), from_(one_), to_(other_) {}

  /// Runs four blocks of two iterations, the first of them plain. Calls at_end(n) at the end of the n-th iteration that
  /// is begun.
  template <class F>
  void run(F at_end) {
    GraphCapture<Cuda> blocks(space_, 2, 2, true, 2);
    const auto iterate = [&] {
      scale<double>(space_, 2.0, from_, to_);
      std::swap(from_, to_);
      at_end(++begun_);
    };
    for (int k = 0; k < 4; ++k) blocks({}, iterate, from_, to_);
  }

  double value() const {
    double value = 0;
    space_.download(&value, from_.data(), sizeof value);
    return value;
  }
  int begun() const { return begun_; }

 private:
  Cuda space_;
  Vector<Cuda, double> one_, other_;
  Out<double> from_, to_;
  int begun_ = 0;
};

TEST_F(CudaGraphs, TakeThePlaceOfLaunches) {
  Doubling doubling(space());
  doubling.run([](int) {});

  EXPECT_EQ(doubling.value(), 256);
  EXPECT_EQ(doubling.begun(), 4) << "a plain block, and the capture of one";
}

TEST_F(CudaGraphs, LeaveABlockPlainWhoseCaptureIsBroken) {
  const auto wait_for_device = cuda_function<int (*)()>("cudaDeviceSynchronize");
  for (const int breaking : {3, 4}) {  // in the middle of the captured block, and at its end
    SCOPED_TRACE(breaking);
    Doubling doubling(space());
    EXPECT_NO_THROW(doubling.run([&](int begun) {
      if (begun == breaking) {
        EXPECT_NE(wait_for_device(), 0);
      }
    }));

    EXPECT_EQ(doubling.value(), 256);
    EXPECT_EQ(doubling.begun(), 2 + (breaking - 2) + 6) << "plain, broken and again plain";
    EXPECT_EQ(last_cuda_error(), 0);
  }
}

TEST_F(CudaGraphs, PassOnWhatAnIterationThrows) {
  Doubling doubling(space());
  EXPECT_THROW(doubling.run([](int begun) {
    if (begun == 3) throw std::runtime_error("of the iteration");
  }),
               std::runtime_error);

  EXPECT_NO_THROW(space().wait());
  Doubling again(space());
  EXPECT_NO_THROW(again.run([](int) {}));
  EXPECT_EQ(again.value(), 256);
}

TEST_F(CudaGraphs, OutliveASpaceThatIsDestroyedWhileTheyAreCaptured) {
  auto other = std::make_unique<Cuda>();
  Doubling doubling(space());
  EXPECT_NO_THROW(doubling.run([&](int begun) {
    if (begun == 3) other.reset();
  }));

  EXPECT_EQ(doubling.value(), 256);
}

TEST_F(CudaGraphs, TakeAnyRevision) {
  Vector<Cuda, double> v(space(), 1, 1.0), w(space(), 1, 0.0);
  GraphCapture<Cuda> blocks(space(), 2, 1, true, 2);
  for (int k = 0; k < 4; ++k) EXPECT_NO_THROW(blocks({-1, -1}, [&] { space().copy(w.data(), v.data(), 8); }));
  EXPECT_EQ(w.download()[0], 1.0);
}

/// Runs the block until its graph is launched, lets `change` put other work into its place, and expects of the next
/// block what a plain run gives.
template <class Run, class Change>
void expect_new_graph(const Cuda& space, std::size_t n, Run run, Change change) {
  const Vector<Cuda, double> x(space, std::span<const double>(random_vector<double>(static_cast<Index>(n), 3)));
  Vector<Cuda, double> y(space, n), plain(space, n);
  GraphCapture<Cuda> blocks(space, 1, 1, true, 1);
  for (int k = 0; k < 3; ++k) blocks(run(x, y), [&] { (void)run(x, y); });
  const std::vector<double> before = y.download();

  change();
  blocks(run(x, plain), [&] { (void)run(x, y); });

  EXPECT_EQ(y.download(), plain.download());
  EXPECT_NE(y.download(), before);
}

TEST_F(CudaGraphs, AreCapturedAnewForAnUpdatedPreconditioner) {
  const auto a = generate<double>("poisson2d", {.n = 30});
  Csr<double> twice = a;
  for (double& v : twice.val) v *= 2;
  const Analysis<Cuda, double> analysis(space(), twice);
  for (const auto& entry : preconditioner_list<Cuda, double>()) {
    AnyPreconditioner<Cuda, double> m(space(), a, std::string(entry.name));
    if (!m.capturable()) continue;
    SCOPED_TRACE(entry.name);
    expect_new_graph(
        space(), 900,
        [&](const auto& r, auto& z) {
          m.apply(r, z);
          return Revisions{0, m.revision()};
        },
        [&] { m.update_values(analysis); });
  }
}

TEST_F(CudaGraphs, AreCapturedAnewForAnotherOperator) {
  const auto a = generate<double>("poisson2d", {.n = 30}), b = generate<double>("anisotropic", {.n = 30});
  Operator op(space(), a);
  expect_new_graph(
      space(), 900,
      [&](const auto& x, auto& y) {
        op.apply(1, x, 0, y);
        return Revisions{op.revision()};
      },
      [&] { op = Operator(space(), b); });
}

}  // namespace
}  // namespace ostinato::test
