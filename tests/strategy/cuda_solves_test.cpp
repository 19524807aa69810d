// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <ostinato/preconditioners/jacobi.hpp>
#include <ostinato/preconditioners/list.hpp>
#include <ostinato/solvers/methods/cg.hpp>
#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/matrix/generate.hpp>
#include <ostinato/spmv/operator.hpp>
#include <ostinato/spmv/space/vector.hpp>
#include <ostinato/strategy/any_preconditioner.hpp>
#include <ostinato/strategy/solve_by_name.hpp>

#include "support/cuda_runtime.hpp"

// Solves on a GPU that the caller uses, too, from this thread and from others.

namespace ostinato::test {
namespace {

class CudaSolves : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = Cuda::why_absent(); !why.empty()) GTEST_SKIP() << why;
  }
};

/// A system that a solve of 64 iterations keeps busy, so that its blocks are captured.
struct Busy {
  explicit Busy(const Cuda& s, int n = 300)
      : space(s),
        a(generate<double>("poisson2d", {.n = n})),
        op(s, a, {.jit = Jit::off}),
        b(s, static_cast<std::size_t>(a.rows), 1.0),
        x(s, static_cast<std::size_t>(a.rows), 0.0) {}

  SolveOptions options(int iterations) const { return {.rtol = 0, .max_iterations = iterations, .history = false}; }
  SolveResult solve(int iterations = 200) { return cg(space, op, b, x, options(iterations)); }

  Cuda space;
  Csr<double> a;
  Operator<Cuda, double> op;
  Vector<Cuda, double> b, x;
};

/// Calls f() in another thread, again and again, while the object lives.
class Meanwhile {
 public:
  template <class F>
  explicit Meanwhile(F f)
      : thread_([this, f] {
          while (!over_) f();
        }) {}
  ~Meanwhile() {
    over_ = true;
    thread_.join();
  }

 private:
  std::atomic<bool> over_ = false;
  std::thread thread_;
};

TEST_F(CudaSolves, GoOnWhileAnotherThreadMakesOperators) {
  Busy busy{Cuda()};
  std::string text;
  {
    const Meanwhile other([&] {
      try {
        const Cuda space;
        const Operator op(space, generate<double>("variable2d", {.n = 20}), {.format = "dia", .jit = Jit::on});
      } catch (const DeviceError& e) {
        text = e.what();
      }
    });
    for (int k = 0; k < 100; ++k) EXPECT_NO_THROW(busy.solve(64));
  }
  EXPECT_EQ(text, "");
}

TEST_F(CudaSolves, LeaveTheLegacyStreamToOtherThreads) {
  (void)Cuda();  // the runtime is found in the process from now on
  Cuda::Stream blocking = nullptr;
  ASSERT_EQ(cuda_function<int (*)(Cuda::Stream*)>("cudaStreamCreate")(&blocking), 0);
  {
    Busy busy(Cuda(0, blocking));
    busy.solve();
    Vector<Cuda, double> from(busy.space, 1, 1.0), to(busy.space, 1, 0.0);
    busy.space.wait();
    const auto copy = cuda_function<int (*)(void*, const void*, std::size_t, int)>("cudaMemcpy");
    std::atomic<int> worst = 0;
    {
      const Meanwhile other([&, copy] {
        constexpr int device_to_device = 3;
        if (const int code = copy(to.data(), from.data(), 8, device_to_device); code != 0) worst = code;
      });
      for (int k = 0; k < 300; ++k) EXPECT_NO_THROW(busy.solve(64));
    }
    EXPECT_EQ(worst, 0);
  }
  EXPECT_EQ(cuda_function<int (*)(Cuda::Stream)>("cudaStreamDestroy")(blocking), 0);
}

TEST_F(CudaSolves, GoOnWithoutAGraphWhenTheGpuIsFull) {
  const Cuda space;
  Busy busy(space);
  busy.solve(4);  // loads the kernels; too short for a graph
  space.trim();
  auto of_workspace = std::make_unique<Vector<Cuda, double>>(space, 8 * busy.x.size());  // more than a solve takes
  const auto take = cuda_function<int (*)(void**, std::size_t)>("cudaMalloc");
  const auto give = cuda_function<int (*)(void*)>("cudaFree");
  std::vector<void*> held;
  for (std::size_t size = std::size_t{1} << 36; size >= 4096;) {
    void* p = nullptr;
    if (take(&p, size) == 0) {
      held.push_back(p);
    } else {
      size /= 2;
    }
  }
  (void)last_cuda_error();
  of_workspace.reset();  // to the pool, where the solve finds it

  EXPECT_NO_THROW(busy.solve(400));

  for (void* p : held) EXPECT_EQ(give(p), 0);
}

TEST_F(CudaSolves, WaitForNoSpaceThatAnotherThreadDestroys) {
  Busy busy{Cuda()};
  busy.solve();
  Cuda::Stream theirs = nullptr;
  ASSERT_EQ(cuda_function<int (*)(Cuda::Stream*, unsigned)>("cudaStreamCreateWithFlags")(&theirs, 1), 0);
  auto space = std::make_unique<Cuda>(0, theirs);
  static std::atomic<bool> solved, in_time;
  solved = in_time = false;
  const auto wait_for_solve = +[](void*) {
    for (int k = 0; k < 1000 && !solved; ++k) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    in_time = solved.load();
  };
  ASSERT_EQ(cuda_function<int (*)(Cuda::Stream, void (*)(void*), void*)>("cudaLaunchHostFunc")(theirs, wait_for_solve,
                                                                                               nullptr),
            0);
  std::thread other([&] { space.reset(); });
  std::this_thread::sleep_for(std::chrono::milliseconds(100));

  busy.solve();
  solved = true;

  other.join();
  EXPECT_TRUE(in_time);
  EXPECT_EQ(cuda_function<int (*)(Cuda::Stream)>("cudaStreamDestroy")(theirs), 0);
}

TEST_F(CudaSolves, RefusePartsOfAnotherSpace) {
  const Cuda two;
  Busy busy{Cuda()};
  const Operator elsewhere(two, busy.a);
  const Operator on_host(Host(), busy.a);
  EXPECT_THROW(cg(busy.space, elsewhere, busy.b, busy.x, busy.options(4)), ArgumentError);
  EXPECT_THROW(cg(busy.space, on_host, busy.b, busy.x, busy.options(4)), ArgumentError);
  const Jacobi<Host, double> jacobi_on_host(Host(), busy.a);
  EXPECT_THROW(cg(busy.space, busy.op, busy.b, busy.x, jacobi_on_host, busy.options(4)), ArgumentError);
  const auto small = generate<double>("poisson2d", {.n = 20});
  const Operator op(busy.space, small);
  const Vector<Cuda, double> b(busy.space, 400, 1.0);
  Vector<Cuda, double> x(busy.space, 400, 0.0);
  for (const auto& entry : preconditioner_list<Cuda, double>()) {
    SCOPED_TRACE(entry.name);
    const AnyPreconditioner<Cuda, double> m(two, small, entry.name), here(busy.space, small, entry.name);
    EXPECT_THROW(solve(busy.space, op, b, x, m, "auto", busy.options(4)), ArgumentError);
    EXPECT_NO_THROW(solve(busy.space, op, b, x, here, "auto", busy.options(4)));
  }
}

class CudaPairSolves : public CudaSolves {
 protected:
  void SetUp() override {
    CudaSolves::SetUp();
    if (!IsSkipped() && Cuda::device_count() < 2) GTEST_SKIP() << "only one GPU here";
  }
};

TEST_F(CudaPairSolves, RefuseTheOtherGpuOnTheDefaultStream) {
  const Cuda zero(0, nullptr), one(1, nullptr);
  const auto a = generate<double>("poisson2d", {.n = 10});
  const Operator here(zero, a), op(one, a);
  const Jacobi<Cuda, double> m(one, a);
  Vector<Cuda, double> b(zero, 100, 1.0), x(zero, 100, 0.0);
  EXPECT_THROW(cg(zero, op, b, x), ArgumentError);
  EXPECT_THROW(cg(zero, here, b, x, m), ArgumentError);
}

}  // namespace
}  // namespace ostinato::test
