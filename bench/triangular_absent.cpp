// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/ostinato.hpp>

#include "triangular.hpp"

void ostinato::bench::compare_with_cusparse(const std::vector<std::string>&) { throw DeviceError(Cuda::why_absent()); }

void ostinato::bench::compare_ilu0_with_cusparse(const std::vector<std::string>&) {
  throw DeviceError(Cuda::why_absent());
}

void ostinato::bench::time_look_aheads(const std::vector<std::string>&) { throw DeviceError(Cuda::why_absent()); }
