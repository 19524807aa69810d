// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <ostinato/spmv/base/function.hpp>

namespace ostinato::detail {

/// Mixes the bits of a number, so that neighbouring numbers get hashes that look random. The same in both spaces.
/// Different numbers have different hashes.
OSTINATO_FUNCTION inline std::uint32_t hash(std::uint32_t i) {
  i = (i ^ (i >> 16)) * 0x7feb352du;
  i = (i ^ (i >> 15)) * 0x846ca68bu;
  return i ^ (i >> 16);
}

}  // namespace ostinato::detail
