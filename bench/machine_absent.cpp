// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include "machine.hpp"

namespace ostinato::bench {

Calibration measure(const Cuda&) { return {}; }

}  // namespace ostinato::bench
