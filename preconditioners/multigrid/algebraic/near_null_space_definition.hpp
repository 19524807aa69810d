// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/preconditioners/multigrid/algebraic/near_null_space.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include <ostinato/preconditioners/multigrid/algebraic/smoothed_aggregation_steps.hpp>

namespace ostinato::algebraic {

template <class Space>
Vector<Space, double> vectors_of(const Space& space, const NearNullSpace& b) {
  Vector<Space, double> values(space, std::span<const double>(b.values));
  if (b.kind == NearNullSpace::Kind::given) return values;
  Vector<Space, double> vectors(space, static_cast<std::size_t>(b.points.rows()) * static_cast<std::size_t>(b.count));
  for_each(space, static_cast<std::size_t>(b.points.rows()),
           FillNearNull{b.points, b.count, values.data(), vectors.data()});
  return vectors;
}

}  // namespace ostinato::algebraic
