// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/spmv/base/stop.hpp>

namespace ostinato::multigrid {

/// Throws    Stopped once the request is made.
inline void end_levels_on(const StopRequest& stop) {
  if (stop.is_made()) throw Stopped("multigrid: making the levels was stopped");
}

}  // namespace ostinato::multigrid
