// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace ostinato::test {

/// CUDA source of a kernel `many`. NVRTC takes about a second to compile it.
inline std::string long_source() {
  std::string text = "extern \"C\" __global__ void many(const double* x, double* y) {\n  double s = 0;\n";
  for (int k = 0; k < 600; ++k) text += "  s = fma(x[" + std::to_string(k * 1009) + "], y[threadIdx.x], s);\n";
  return text + "  y[threadIdx.x] = s;\n}\n";
}

}  // namespace ostinato::test
