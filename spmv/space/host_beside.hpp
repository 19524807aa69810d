// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/spmv/space/host.hpp>

namespace ostinato {

/// The CPU for work beside that of a space: the space itself where that is the CPU, which has its threads.
inline const Host& host_beside(const Host& space) { return space; }
template <class Space>
Host host_beside(const Space&) {
  return Host();
}

}  // namespace ostinato
