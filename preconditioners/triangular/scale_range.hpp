// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/spmv/base/function.hpp>

namespace ostinato {

/// The magnitudes that the scales of triangular solves in V may have: those of a matching, and one over a pivot.
template <class V>
struct ScaleRange {
  double least, largest;

  /// Whether a scale may be used: rounded to V it is neither 0 nor infinite.
  OSTINATO_FUNCTION bool holds(double scale) const {
    const double size = scale < 0 ? -scale : scale;
    const V rounded = static_cast<V>(size);
    return size >= least && size <= largest && rounded > V{0} && rounded - rounded == V{0};
  }
};

}  // namespace ostinato
