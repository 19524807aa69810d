// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>

#include <ostinato/spmv/base/function.hpp>
#include <ostinato/spmv/base/index.hpp>

namespace ostinato::detail {

/// A maximum of doubles that aren't negative, in any order of the threads: they have the order of their bits.
template <class Atomics>
OSTINATO_FUNCTION void raise_to(Offset* bits, double value) {
  Offset of_value = 0;
  memcpy(&of_value, &value, sizeof of_value);
  if (of_value > Atomics::peek(bits)) Atomics::max(bits, of_value);
}

/// ilogb(value), in less time: -1023 for values below the normal ones.
OSTINATO_FUNCTION inline int exponent_of(double value) {
  Offset bits = 0;
  memcpy(&bits, &value, sizeof bits);
  return static_cast<int>((bits >> 52) & 0x7ff) - 1023;
}

OSTINATO_FUNCTION inline double double_of(Offset bits) {
  double value = 0;
  memcpy(&value, &bits, sizeof value);
  return value;
}

}  // namespace ostinato::detail
