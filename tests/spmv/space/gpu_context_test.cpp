// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/space/gpu_context.hpp>

#include <gtest/gtest.h>

#include <ostinato/spmv/space/cuda.hpp>

namespace ostinato::test {
namespace {

TEST(GpuContext, IsThereOnceAGpuIsUsed) {
  if (Cuda::device_count() == 0) {
    EXPECT_FALSE(has_gpu_context());
    return;
  }
  const Cuda space;
  EXPECT_TRUE(has_gpu_context());
  EXPECT_FALSE(has_gpu_context(Cuda::device_count())) << "no such GPU";
}

}  // namespace
}  // namespace ostinato::test
