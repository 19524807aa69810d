// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>

#include <ostinato/spmv/space/function.hpp>
#include <ostinato/spmv/space/index.hpp>

namespace ostinato::detail {

/// A maximum of doubles that aren't negative, in any order of the threads: they have the order of their bits.
template <class Atomics>
OSTINATO_FUNCTION void raise_to(Offset* bits, double value) {
  Offset of_value = 0;
  memcpy(&of_value, &value, sizeof of_value);
  if (of_value > Atomics::peek(bits)) Atomics::max(bits, of_value);
}

OSTINATO_FUNCTION inline double double_of(Offset bits) {
  double value = 0;
  memcpy(&value, &bits, sizeof value);
  return value;
}

}  // namespace ostinato::detail
