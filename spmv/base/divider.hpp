// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <ostinato/spmv/base/function.hpp>
#include <ostinato/spmv/base/index.hpp>

namespace ostinato {

/// Divides by a number that is known before the loop: with a multiplication and a shift, which take a fraction of a
/// division's time on a GPU.
///
/// Requires  A divisor of at least 1, and numbers of at least 0.
/// Source    Granlund & Montgomery, Division by invariant integers using multiplication, PLDI 1994, theorem 4.2.
class Divider {
 public:
  Divider() = default;
  explicit Divider(Index divisor) {
    constexpr int bits = 31;  // of the numbers
    int ceiling = 0;          // of the divisor's logarithm
    while ((std::uint64_t{1} << ceiling) < static_cast<std::uint64_t>(divisor)) ++ceiling;
    shift_ = bits + ceiling;
    multiplier_ = (std::uint64_t{1} << shift_) / static_cast<std::uint64_t>(divisor) + 1;
  }

  OSTINATO_FUNCTION Index quotient(Index n) const {
    return static_cast<Index>(static_cast<std::uint64_t>(n) * multiplier_ >> shift_);
  }

 private:
  std::uint64_t multiplier_ = 1;  ///< at most 2^32
  int shift_ = 0;
};

}  // namespace ostinato
