// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/space/cuda.hpp>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/formats/list.hpp>
#include <ostinato/spmv/matrix/generate.hpp>
#include <ostinato/spmv/operator.hpp>
#include <ostinato/spmv/space/graph_capture.hpp>
#include <ostinato/spmv/space/readback.hpp>
#include <ostinato/spmv/space/scan.hpp>
#include <ostinato/spmv/space/vector.hpp>
#include <ostinato/spmv/stencil/stencil_operator.hpp>
#include <ostinato/strategy/any_preconditioner.hpp>

#include "support/cuda_runtime.hpp"
#include "support/matrices.hpp"
#include "support/reference.hpp"
#include "support/run_self.hpp"

// Several Cuda spaces in one process, on one GPU and on two, beside a caller who uses CUDA, too.

namespace ostinato::test {
namespace {

class CudaSpaces : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = Cuda::why_absent(); !why.empty()) GTEST_SKIP() << why;
  }
};

/// The streams that a caller may make: with flags = 1 one that doesn't wait for the legacy stream.
class CallersStream {
 public:
  explicit CallersStream(unsigned flags) {
    EXPECT_EQ(cuda_function<int (*)(Cuda::Stream*, unsigned)>("cudaStreamCreateWithFlags")(&stream_, flags), 0);
  }
  ~CallersStream() { EXPECT_EQ(cuda_function<int (*)(Cuda::Stream)>("cudaStreamDestroy")(stream_), 0); }
  CallersStream(const CallersStream&) = delete;
  CallersStream& operator=(const CallersStream&) = delete;
  operator Cuda::Stream() const { return stream_; }

 private:
  Cuda::Stream stream_ = nullptr;
};

const auto legacy = reinterpret_cast<Cuda::Stream>(1), per_thread = reinterpret_cast<Cuda::Stream>(2);

TEST_F(CudaSpaces, CaptureNoStreamThatWaitsForTheLegacyStream) {
  EXPECT_TRUE(CudaGraph::can_capture(Cuda()));
  EXPECT_FALSE(CudaGraph::can_capture(Cuda(0, nullptr)));
  EXPECT_FALSE(CudaGraph::can_capture(Cuda(0, legacy)));
  const CallersStream blocking(0), other(1);
  EXPECT_FALSE(CudaGraph::can_capture(Cuda(0, blocking)));
  EXPECT_TRUE(CudaGraph::can_capture(Cuda(0, other)));
  EXPECT_EQ(last_cuda_error(), 0);
}

TEST_F(CudaSpaces, RefuseTheStreamThatEachThreadHas) { EXPECT_THROW(Cuda(0, per_thread), ArgumentError); }

TEST_F(CudaSpaces, AreTheSamePlaceOnOneStream) {
  const Cuda one, two, copy = one;
  EXPECT_TRUE(one.is_same_place(copy));
  EXPECT_FALSE(one.is_same_place(two));
  EXPECT_TRUE(Cuda(0, nullptr).is_same_place(Cuda(0, legacy)));
  EXPECT_FALSE(one.is_same_place(Host()));
  EXPECT_FALSE(Host().is_same_place(one));
}

TEST_F(CudaSpaces, SayThatMemoryRanOut) {
  const Cuda space;
  EXPECT_THROW(space.release(space.allocate(std::size_t{1} << 50)), DeviceMemoryError);
  EXPECT_EQ(last_cuda_error(), 0);
  EXPECT_NO_THROW(space.wait());
}

TEST_F(CudaSpaces, CopyAVectorOfAnother) {
  const Cuda one, two;
  const std::vector<double> values = random_vector<double>(100000, 1);
  const Vector<Cuda, double> first(one, std::span<const double>(values)), second(two, first);
  EXPECT_EQ(second.download(), values);
}

TEST_F(CudaSpaces, RefuseGpuMemoryInPlaceOfHostMemory) {
  const Cuda space;
  for (const std::size_t n : {std::size_t{100}, std::size_t{1000000}}) {
    Vector<Cuda, double> x(space, n, 1.0), y(space, n);
    EXPECT_THROW(y.upload(x.span()), DeviceError);
    EXPECT_THROW((Vector<Cuda, double>(space, std::span<const double>(x))), DeviceError);
    EXPECT_THROW(space.download(y.data(), x.data(), x.bytes()), DeviceError);
  }
  EXPECT_NO_THROW(space.wait());
}

TEST_F(CudaSpaces, RefuseHostMemoryInPlaceOfGpuMemory) {
  const Cuda space;
  const auto a = generate<double>("poisson2d", {.n = 10});
  const StencilOperator<Cuda, double> stencil(space, *generate_stencil("poisson2d", {.n = 10}));
  const std::vector<double> x(100, 1.0);
  std::vector<double> y(100);
  const Vector<Cuda, double> on_gpu(space, std::span<const double>(x));
  Vector<Cuda, double> result(space, y.size()), slot(space, 1);
  const auto refuses = [&](const auto& op) {
    EXPECT_THROW(op.apply(1, x, 0, result), DeviceError);
    EXPECT_THROW(op.apply(1, on_gpu, 0, y), DeviceError);
    EXPECT_THROW(op.apply_dot(x, result, x, slot.data()), DeviceError);
    EXPECT_NO_THROW(op.apply(1, on_gpu, 0, result));
  };

  refuses(Operator<Cuda, double>(space, a, {.jit = Jit::off}));
  refuses(stencil);
  EXPECT_NO_THROW(space.wait());
}

/// Leaves the error of a failed call behind, as a caller may. Returns its code.
int leave_an_error() {
  void* p = nullptr;
  const int code = cuda_function<int (*)(void**, std::size_t)>("cudaMalloc")(&p, std::size_t{1} << 60);
  EXPECT_NE(code, 0);
  return code;
}

TEST_F(CudaSpaces, TakeNoOldErrorForTheirs) {
  const auto a = generate<double>("poisson2d", {.n = 200});
  (void)Cuda();  // the runtime is found in the process from now on
  const int code = leave_an_error();
  const Cuda space;
  space.release(space.allocate(1000));
  EXPECT_EQ(last_cuda_error(), code) << "the caller's stays";
  for (const char* format : {"dia", "csr", "sliced-ell", "bccoo"}) {
    leave_an_error();
    EXPECT_NO_THROW((Operator<Cuda, double>(space, a, {.format = format, .jit = Jit::off}))) << format;
  }
  const Analysis<Cuda, double> analysis(space, a);
  for (const char* name : {"ilu0", "ic0", "fsai", "ssor", "multigrid", "multigrid:kind=plain"}) {
    leave_an_error();
    EXPECT_NO_THROW((AnyPreconditioner<Cuda, double>(analysis, name))) << name;
  }
  Vector<Cuda, Offset> counts(space, 100000, 1);
  leave_an_error();
  EXPECT_NO_THROW(exclusive_scan(space, counts));
  (void)last_cuda_error();
}

/// The second process is a copy of one that has used CUDA.
TEST(CudaAlone, DISABLED_Forks) {
  static const Cuda space;
  space.wait();
  std::fflush(stdout);
  if (const pid_t child = ::fork(); child == 0) {
    std::printf("child: %s\n", Cuda::why_absent().c_str());
    std::exit(0);
  } else {
    int state = -1;
    ::waitpid(child, &state, 0);
    std::printf("ended:%d\n", state);
  }
}

TEST_F(CudaSpaces, SayThatTheyDoNotOutliveAFork) {
  EXPECT_NE(line_of_disabled_case("CudaAlone.DISABLED_Forks", "child:", 2).find("before fork()"), std::string::npos);
  EXPECT_EQ(line_of_disabled_case("CudaAlone.DISABLED_Forks", "ended:", 2), "0");
}

TEST_F(CudaSpaces, MultiplyOnTheLegacyStream) {
  const auto a = generate<double>("poisson2d", {.n = 30});
  const auto x = random_vector<double>(a.cols, 1);
  const Cuda space(0, legacy);
  const Operator op(space, a);
  const Vector<Cuda, double> dx(space, std::span<const double>(x));
  Vector<Cuda, double> y(space, x.size()), z(space, x.size());
  GraphCapture<Cuda> blocks(space, 2, 2, true, 4);

  for (int k = 0; k < 5; ++k) {  // from the third on captured
    blocks({op.revision()}, [&] {
      op.apply(1, dx, 0, y);
      op.apply(1, dx, 0, z);
    });
  }

  EXPECT_EQ(difference(y.download(), reference_product(a.view(), 1.0, x, 0.0, {})), "");
}

TEST_F(CudaSpaces, UseWhatAnotherSpaceHasFreed) {
  const Cuda one, two;
  const std::size_t before = free_device_bytes(), large = before / 4 * 3;
  one.release(one.allocate(large));
  one.wait();

  void* const p = two.allocate(large);  // more than the driver has left, if the first space kept its part
  two.zero(p, 4096);
  two.release(p);
  two.trim();

  EXPECT_GT(free_device_bytes(), before - before / 8);
}

TEST_F(CudaSpaces, GiveFreedMemoryBackWhenAnOperatorIsBuilt) {
  const Cuda space;
  const auto a = generate<double>("poisson2d", {.n = 10});
  const Operator warm(space, a);
  const std::size_t before = free_device_bytes(), large = before / 4;
  space.release(space.allocate(large));
  space.wait();
  ASSERT_LT(free_device_bytes(), before - large / 2);

  const Operator op(space, a);

  EXPECT_GT(free_device_bytes(), before - large / 4);
}

TEST_F(CudaSpaces, SayThatTwoThreadsUseOne) {
  const Cuda space;
  std::atomic<bool> met = false;
  std::string text;
  std::mutex text_mutex;
  const auto use = [&] {
    for (int k = 0; k < 1000000 && !met; ++k) {
      try {
        space.wait();
      } catch (const DeviceError& e) {
        const std::lock_guard lock(text_mutex);
        text = e.what();
        met = true;
      }
    }
  };

  std::thread other(use);
  use();
  other.join();

  EXPECT_NE(text.find("two host threads"), std::string::npos) << text;
  EXPECT_NO_THROW(space.wait());
}

TEST_F(CudaSpaces, ServeOneThreadEach) {
  const auto a = generate<double>("poisson2d", {.n = 60});
  const auto x = random_vector<double>(a.cols, 2);
  const auto reference = reference_product(a.view(), 1.0, x, 0.0, {});
  std::vector<std::string> wrong(4);
  std::vector<std::thread> threads;
  for (std::string& text : wrong) {
    threads.emplace_back([&] {
      const Cuda space;
      const Operator op(space, a);
      const Vector<Cuda, double> dx(space, std::span<const double>(x));
      for (int k = 0; k < 50 && text.empty(); ++k) {
        Vector<Cuda, double> y(space, x.size());
        op.apply(1, dx, 0, y);
        text = difference(y.download(), reference);
      }
    });
  }
  for (std::thread& t : threads) t.join();
  for (const std::string& text : wrong) EXPECT_EQ(text, "");
}

TEST_F(CudaSpaces, LeaveNoErrorBehindWhenTheyCannotBeMade) {
  EXPECT_THROW(Cuda(1000), DeviceError);
  EXPECT_THROW(Cuda(-1), DeviceError);
  EXPECT_EQ(last_cuda_error(), 0);
}

class CudaPair : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = Cuda::why_absent(); !why.empty()) GTEST_SKIP() << why;
    if (Cuda::device_count() < 2) GTEST_SKIP() << "only one GPU here";
  }
};

TEST_F(CudaPair, LeavesTheCallersDeviceCurrent) {
  const auto a = generate<double>("poisson2d", {.n = 40});
  const std::vector<double> host(1600, 1.0);
  for (const int of_caller : {0, 1}) {
    SCOPED_TRACE(of_caller);
    make_current(of_caller);
    {
      const Cuda space(1 - of_caller);
      EXPECT_EQ(current_device(), of_caller) << "constructor";
      Vector<Cuda, double> x(space, std::span<const double>(host)), y(space, host.size());
      EXPECT_EQ(current_device(), of_caller) << "upload";
      Operator op(space, a, {.jit = Jit::on});
      EXPECT_EQ(current_device(), of_caller) << "operator";
      op.apply(1, x, 0, y);
      EXPECT_EQ(current_device(), of_caller) << "product";
      op.update_values(a);
      EXPECT_EQ(current_device(), of_caller) << "update_values";
      y.download();
      EXPECT_EQ(current_device(), of_caller) << "download";
      space.trim();
      EXPECT_EQ(current_device(), of_caller) << "trim";
      GraphCapture<Cuda> blocks(space, 2, 1, true, 4);
      for (int k = 0; k < 4; ++k) blocks({op.revision()}, [&] { op.apply(1, x, 0, y); });
      EXPECT_EQ(current_device(), of_caller) << "capture";
      Readback<Cuda, double> readback(space);
      readback.start(y.data());
      readback.wait();
      EXPECT_EQ(current_device(), of_caller) << "readback";
      for (const auto& format : format_list<Cuda, double>()) {
        const Operator by_name(space, a, {.format = std::string(format.name), .jit = Jit::off});
        by_name.apply(1, x, 0, y);
        EXPECT_EQ(current_device(), of_caller) << format.name;
      }
    }
    EXPECT_EQ(current_device(), of_caller) << "destructors";
  }
  make_current(0);
}

TEST_F(CudaPair, RefusesMemoryOfTheOtherGpu) {
  const Cuda zero(0), one(1);
  const auto a = dense<double>({{1, 2}, {0, 3}});
  const Vector<Cuda, Offset> row_ptr(one, std::span<const Offset>(a.row_ptr));
  const Vector<Cuda, Index> col(one, std::span<const Index>(a.col));
  const Vector<Cuda, double> val(one, std::span<const double>(a.val));
  const CsrView<double> on_one{2, 2, row_ptr, col, val};

  const auto text = message_of<DeviceError>([&] { require_device_memory(zero, val.data(), "b"); });
  EXPECT_NE(text.find("b is in the memory of GPU 1"), std::string::npos) << text;
  EXPECT_NO_THROW(require_device_memory(one, val.data(), "b"));
  EXPECT_THROW(Operator(zero, on_one, on_space), DeviceError);
  EXPECT_NO_THROW(Operator(one, on_one, on_space));
  zero.wait();  // nothing has reached the GPU
}

TEST_F(CudaPair, HasNoPlaceInCommon) {
  EXPECT_FALSE(Cuda(0, nullptr).is_same_place(Cuda(1, nullptr)));
  const Cuda one(1);
  EXPECT_THROW(Cuda(0, one.stream()), ArgumentError);
  const Vector<Cuda, double> x(one, 1000, 2.0), y(Cuda(0), x);
  EXPECT_EQ(y.download(), std::vector<double>(1000, 2.0));
}

TEST_F(CudaPair, MultipliesAlikeOnBoth) {
  const auto a = generate<double>("banded", {.n = 5000});
  const auto x = random_vector<double>(a.cols, 3);
  const auto reference = reference_product(a.view(), 1.0, x, 0.0, {});
  const Cuda zero(0), one(1);
  const Operator chosen(zero, a);
  for (const Candidate& c : chosen.choice().candidates) {
    if (!c.cost.applies()) continue;
    SCOPED_TRACE(c.name);
    const Operator on_zero(zero, a, {.format = c.name}), on_one(one, a, {.format = c.name});
    for (const auto* op : {&on_zero, &on_one, &on_zero}) {
      const Vector<Cuda, double> dx(op->space(), std::span<const double>(x));
      Vector<Cuda, double> y(op->space(), x.size());
      op->apply(1, dx, 0, y);
      EXPECT_EQ(difference(y.download(), reference), "");
    }
  }
}

TEST_F(CudaPair, CapturesGeneratedKernelsOnBoth) {
  const auto a = generate<double>("variable2d", {.n = 100});
  const auto x = random_vector<double>(a.cols, 4);
  const auto reference = reference_product(a.view(), 1.0, x, 0.0, {});
  for (const int device : {0, 1}) {
    SCOPED_TRACE(device);
    const Cuda space(device);
    const Operator op(space, a, {.format = "dia", .jit = Jit::on});
    const Vector<Cuda, double> dx(space, std::span<const double>(x));
    Vector<Cuda, double> y(space, x.size());
    CudaGraph graph(space);
    graph.begin();
    op.apply(1, dx, 0, y);  // on the second GPU the first launch of these kernels
    graph.end();
    graph.launch();
    EXPECT_EQ(difference(y.download(), reference), "");
  }
}

/// Runs in a process of its own, because other cases use GPU 0.
TEST(CudaPairAlone, DISABLED_UsesTheSecondGpu) {
  std::string touched;
  {
    const Cuda space(1);
    const auto a = generate<double>("poisson2d", {.n = 30});
    const Operator op(space, a, {.jit = Jit::on});
    const Vector<Cuda, double> x(space, 900, 1.0);
    Vector<Cuda, double> y(space, 900);
    op.apply(1, x, 0, y);
    y.download();
  }
  for (const int device : {0, 1}) {
    if (has_context(device)) touched += " " + std::to_string(device);
  }
  std::printf("touched:%s\n", touched.c_str());
}

TEST_F(CudaPair, TouchesTheGpuOfTheSpaceAlone) {
  EXPECT_EQ(line_of_disabled_case("CudaPairAlone.DISABLED_UsesTheSecondGpu", "touched:", 2), " 1");
}

}  // namespace
}  // namespace ostinato::test
