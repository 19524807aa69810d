// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include <ostinato/spmv/base/error.hpp>

namespace ostinato::detail {

[[noreturn, gnu::cold, gnu::noinline]] inline void refuse_length(const char* what, std::size_t wanted,
                                                                 std::size_t have) {
  throw DimensionError(std::string(what) + ": a vector of " + std::to_string(wanted) +
                       " elements is wanted, but there are " + std::to_string(have));
}

/// Throws DimensionError unless a vector holds so many elements.
inline void require_length(const char* what, std::size_t wanted, std::size_t have) {
  if (have < wanted) refuse_length(what, wanted, have);
}

}  // namespace ostinato::detail
