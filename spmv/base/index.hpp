// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace ostinato {

using Index = std::int32_t;   ///< a row or column number
using Offset = std::int64_t;  ///< a position among the entries; may exceed 2^31

}  // namespace ostinato
