// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/bench/formats/list.hpp>
#include <ostinato/spmv/space/cuda.hpp>

namespace ostinato {

template <>
const FormatList<Cuda, float>& bench_formats() {
  throw DeviceError(Cuda::why_absent());
}
template <>
const FormatList<Cuda, double>& bench_formats() {
  throw DeviceError(Cuda::why_absent());
}

}  // namespace ostinato
