// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/spmv/base/function.hpp>

// Signs, compared without a product of the numbers, which may be out of range. 0 has no sign.

namespace ostinato {

template <class T>
OSTINATO_FUNCTION bool have_same_sign(T x, T y) {
  return (x > 0 && y > 0) || (x < 0 && y < 0);
}

template <class T>
OSTINATO_FUNCTION bool have_opposite_signs(T x, T y) {
  return (x > 0 && y < 0) || (x < 0 && y > 0);
}

}  // namespace ostinato
