// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/spmv/space/concept.hpp>
#include <ostinato/spmv/space/cuda.hpp>

namespace ostinato {

/// Looks at the memory of the vectors of an operator's first product: a kernel that reads host memory ends CUDA for the
/// whole process. To look at all vectors would take about as long as a launch.
class FirstLook {
 public:
  /// Throws    DeviceError, on Cuda, when the GPU can't read x or y.
  template <class Space>
  void at(const Space& space, const void* x, const void* y) const {
    if constexpr (is_cuda<Space>) {
      if (has_looked_) return;
      require_device_memory(space, x, "x");
      require_device_memory(space, y, "y");
      has_looked_ = true;
    }
  }

 private:
  mutable bool has_looked_ = false;
};

}  // namespace ostinato
