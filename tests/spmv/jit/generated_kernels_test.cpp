// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/jit/generated_kernels.hpp>

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/space/graph_capture.hpp>

#include "support/long_compilation.hpp"
#include "support/spaces.hpp"
#include "support/temporary_directory.hpp"

namespace ostinato::test {
namespace {

using Kernels = std::shared_ptr<GeneratedKernels>;
using State = GeneratedKernels::State;

const std::string add_source = R"(
extern "C" __global__ void add(int n, const double* x, double* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += x[i];
}
extern "C" __global__ void twice(int n, double* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += y[i];
}
)";

// A build without CUDA lacks GeneratedKernels. Its tests are skipped before they call these functions.

template <class Where>
Kernels request(const Where& where, const std::string& source, const std::vector<std::string>& names) {
  if constexpr (built_with_cuda) return GeneratedKernels::request(where, source, names);
  throw DeviceError(Cuda::why_absent());
}

void forget() {
  if constexpr (built_with_cuda) GeneratedKernels::forget();
}

const void* function(const Kernels& kernels, std::size_t k) {
  if constexpr (built_with_cuda) return kernels->function(k);
  throw DeviceError(Cuda::why_absent());
}

/// Each test starts with an empty cache in memory and an empty cache folder of its own.
class RunTimeKernels : public testing::Test {
 protected:
  void SetUp() override {
    if (!built_with_cuda) GTEST_SKIP() << Cuda::build_description();
    use_disk(directory_.path());
    forget();
    const Kernels probe = requested("extern \"C\" __global__ void probe() {}", {"probe"});
    const std::string why = probe->why();
    if (why.rfind("NVRTC not found", 0) == 0) GTEST_SKIP() << why;
    ASSERT_EQ(probe->state(), State::ready) << why;
  }
  void TearDown() override { use_disk(""); }

  static void use_disk(const std::filesystem::path& directory) { ::setenv("OSTINATO_CACHE_DIR", directory.c_str(), 1); }

  static Kernels requested(const std::string& source, const std::vector<std::string>& names,
                           const std::string& architecture = "sm_90") {
    const Kernels kernels = request(architecture, source, names);
    kernels->wait();
    return kernels;
  }

 private:
  TemporaryDirectory directory_;
};

TEST_F(RunTimeKernels, AreCompiledForTheArchitecture) {
  const Kernels kernels = requested(add_source, {"add", "twice"});
  ASSERT_EQ(kernels->state(), State::ready) << kernels->why();
  EXPECT_EQ(kernels->cubin().substr(0, 4),
            "\x7f"
            "ELF");
  EXPECT_NE(kernels->cubin().find("twice"), std::string::npos);
  EXPECT_EQ(kernels->origin(), "compiled");
  EXPECT_GT(kernels->compile_seconds(), 0);
  EXPECT_EQ(kernels->why(), "");

  const Kernels other = requested(add_source, {"add", "twice"}, "sm_80");
  EXPECT_NE(other, kernels);
  EXPECT_NE(other->cubin(), kernels->cubin());
}

TEST_F(RunTimeKernels, NameTheLineOfAnError) {
  const Kernels kernels = requested("extern \"C\" __global__ void f() {\n\n  undeclared = 1;\n}\n", {"f"});
  EXPECT_EQ(kernels->state(), State::failed);
  EXPECT_NE(kernels->why().find("generated.cu(3)"), std::string::npos) << kernels->why();
  EXPECT_NE(kernels->why().find("undeclared"), std::string::npos) << kernels->why();
  EXPECT_EQ(function(kernels, 0), nullptr);
  EXPECT_EQ(kernels->cubin(), "");
}

TEST_F(RunTimeKernels, NameAnArchitectureThatNvrtcDoesNotKnow) {
  const Kernels kernels = requested(add_source, {"add"}, "sm_1");
  EXPECT_EQ(kernels->state(), State::failed);
  EXPECT_NE(kernels->why().find("sm_1"), std::string::npos) << kernels->why();
}

TEST_F(RunTimeKernels, AreKeptInMemory) {
  const Kernels first = requested(add_source, {"add"});
  EXPECT_EQ(requested(add_source, {"add"}), first);
  EXPECT_NE(requested(add_source, {"twice"}), first);
  EXPECT_NE(requested(add_source + " ", {"add"}), first);
}

TEST_F(RunTimeKernels, AreKeptOnDisk) {
  const Kernels first = requested(add_source, {"add"});
  forget();
  const Kernels second = request("sm_90", add_source, {"add"});
  EXPECT_EQ(second->state(), State::ready) << "without a wait";
  EXPECT_NE(second, first);
  EXPECT_EQ(second->origin(), "disk cache");
  EXPECT_EQ(second->compile_seconds(), 0);
  EXPECT_EQ(second->cubin(), first->cubin());
}

TEST_F(RunTimeKernels, DoWithoutADisk) {
  use_disk("/proc/ostinato");
  for (int round = 0; round < 2; ++round) {
    forget();
    EXPECT_EQ(requested(add_source, {"add"})->origin(), "compiled");
  }
}

TEST_F(RunTimeKernels, AreMadeOnceForManyThreads) {
  std::vector<Kernels> found(8);
  std::vector<std::thread> threads;
  for (Kernels& one : found) threads.emplace_back([&one] { one = requested(add_source, {"add"}); });
  for (std::thread& thread : threads) thread.join();

  EXPECT_EQ(std::set<Kernels>(found.begin(), found.end()).size(), 1u);
  EXPECT_EQ(found.front()->origin(), "compiled");
}

TEST_F(RunTimeKernels, MayBeDroppedWhileTheyAreCompiled) {
  std::weak_ptr<GeneratedKernels> dropped = request("sm_90", long_source(), {"many"});
  forget();

  EXPECT_EQ(requested(add_source, {"add"})->state(), State::ready);
  EXPECT_TRUE(dropped.expired());
}

TEST_F(RunTimeKernels, AreNotWaitedForInAForkedProcess) {
  const Kernels compiling = request("sm_90", long_source(), {"many"});
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(60);
    compiling->wait();
    const Kernels same = requested(long_source(), {"many"}), other = requested(add_source, {"add"});
    ::_exit(same->state() == State::failed && other->why() == "no compilation: the program was forked" ? 0 : 1);
  }
  int status = 1;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

/// NVRTC's static objects are destroyed at exit. The program must end cleanly also while a compilation runs.
TEST(EndOfRunTimeKernels, MayComeAtAnyMoment) {
  if (!built_with_cuda) GTEST_SKIP() << Cuda::build_description();
  testing::FLAGS_gtest_death_test_style = "threadsafe";  // the body runs in a new process
  const auto end_after = [](int milliseconds) {
    ::setenv("OSTINATO_CACHE_DIR", "", 1);
    (void)request("sm_90", long_source(), {"many"});
    (void)request("sm_90", add_source, {"add"});
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
    std::exit(7);
  };
  for (const int milliseconds : {0, 4, 8, 12, 14, 16, 18, 20, 30, 100}) {
    EXPECT_EXIT(end_after(milliseconds), testing::ExitedWithCode(7), "") << milliseconds << " ms";
  }
}

/// The tests are compiled without the CUDA headers but linked to the CUDA runtime, so cudaLaunchKernel is looked up by
/// name.
class CudaRunTimeKernels : public RunTimeKernels {
 protected:
  void SetUp() override {
    if (const std::string reason = why_absent<Cuda>(); !reason.empty()) GTEST_SKIP() << reason;
    RunTimeKernels::SetUp();
    if (IsSkipped()) return;
    space_.emplace();
    x_.emplace(*space_, n, 2.0);
    y_.emplace(*space_, n, 1.0);
  }

  const Cuda& space() const { return *space_; }

  /// y += x
  void launch_add(const void* function) {
    struct Dim3 {
      unsigned x, y, z;
    };
    using Launch = int (*)(const void*, Dim3, Dim3, void**, std::size_t, Cuda::Stream);
    const auto launch = reinterpret_cast<Launch>(dlsym(RTLD_DEFAULT, "cudaLaunchKernel"));
    ASSERT_NE(launch, nullptr);
    int count = n;
    const double* x = x_->data();
    double* y = y_->data();
    std::vector<void*> arguments{&count, &x, &y};
    ASSERT_EQ(launch(function, {(n + 127) / 128, 1, 1}, {128, 1, 1}, arguments.data(), 0, space().stream()), 0);
  }

  std::vector<double> y() const { return y_->download(); }

  static constexpr int n = 1000;

 private:
  std::optional<Cuda> space_;
  std::optional<Vector<Cuda, double>> x_, y_;
};

TEST_F(CudaRunTimeKernels, Run) {
  const Kernels kernels = request(space(), add_source, {"add", "twice"});
  kernels->wait();
  ASSERT_NE(function(kernels, 0), nullptr) << kernels->why();
  EXPECT_NE(function(kernels, 1), nullptr);
  EXPECT_EQ(function(kernels, 2), nullptr);
  launch_add(function(kernels, 0));
  EXPECT_EQ(y(), std::vector<double>(n, 3.0));
}

TEST_F(CudaRunTimeKernels, RunFromTheDisk) {
  request(space(), add_source, {"add"})->wait();
  forget();
  const Kernels kernels = request(space(), add_source, {"add"});
  kernels->wait();
  EXPECT_EQ(kernels->origin(), "disk cache");
  ASSERT_NE(function(kernels, 0), nullptr) << kernels->why();
  launch_add(function(kernels, 0));
  EXPECT_EQ(y(), std::vector<double>(n, 3.0));
}

TEST_F(CudaRunTimeKernels, AreLoadedWhileAStreamIsCaptured) {
  const Kernels kernels = request(space(), add_source, {"add"});
  kernels->wait();
  CudaGraph graph(space());
  graph.begin();
  launch_add(function(kernels, 0));
  graph.end();
  graph.launch();
  graph.launch();
  EXPECT_EQ(y(), std::vector<double>(n, 5.0));
}

TEST_F(CudaRunTimeKernels, SayThatAKernelIsMissing) {
  const Kernels kernels = request(space(), add_source, {"add", "subtract"});
  kernels->wait();
  EXPECT_EQ(kernels->state(), State::ready);
  EXPECT_EQ(function(kernels, 0), nullptr);
  EXPECT_EQ(kernels->state(), State::failed);
  EXPECT_NE(kernels->why(), "");
}

}  // namespace
}  // namespace ostinato::test
