// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdlib>

/// The exit code that CTest reads as "skipped" (SKIP_RETURN_CODE in tests/CMakeLists.txt): every case was skipped, or
/// the filter left no case.
constexpr int skipped = 77;

int main(int argc, char** argv) {
#ifdef OSTINATO_RANKS_SHARE_GPUS
  // They then wait for each other in kernels, as ranks with GPUs of their own do.
  ::setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 0);
#endif
  testing::InitGoogleTest(&argc, argv);
  const int failed = RUN_ALL_TESTS();
  const testing::UnitTest& tests = *testing::UnitTest::GetInstance();
  const bool nothing_run = tests.skipped_test_count() == tests.test_to_run_count();
  return failed == 0 && nothing_run ? skipped : failed;
}
