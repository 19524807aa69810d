// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/strategy/examination.hpp>

#include <cmath>
#include <limits>

// What reports of an examination need without its algorithms.

namespace ostinato {

const char* to_string(Weight weight) {
  switch (weight) {
    case Weight::good:
      return "good";
    case Weight::caution:
      return "caution";
    case Weight::trouble:
      return "trouble";
    default:
      return "fact";
  }
}

const char* to_string(Definiteness definiteness) {
  switch (definiteness) {
    case Definiteness::positive:
      return "positive definite";
    case Definiteness::negative:
      return "negative definite";
    case Definiteness::semidefinite:
      return "semidefinite";
    case Definiteness::indefinite:
      return "indefinite";
    default:
      return "unknown";
  }
}

double condition(const SpectrumEnds& ends, Index rows) {
  const double rounding = std::numeric_limits<double>::epsilon() * std::sqrt(static_cast<double>(rows));
  if (!(ends.smallest > rounding * std::abs(ends.largest))) return std::numeric_limits<double>::infinity();
  return ends.largest / ends.smallest;
}

}  // namespace ostinato
