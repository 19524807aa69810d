// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/algebraic/near_null_space.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace ostinato::algebraic {

namespace {

/// Vectors that are 0 so far.
NearNullSpace zeros(const Points& points, int count) {
  const auto rows = static_cast<std::size_t>(points.rows());
  return {points, count, std::vector<double>(rows * static_cast<std::size_t>(count))};
}

double& element(NearNullSpace& b, Index row, int vector) {
  return b.values[static_cast<std::size_t>(row) * static_cast<std::size_t>(b.count) + static_cast<std::size_t>(vector)];
}

/// The exponent of the largest element; 0 for a vector of zeros.
int exponent_of_largest(std::span<const double> vector) {
  double largest = 0;
  for (const double v : vector) largest = std::max(largest, std::abs(v));
  return largest > 0 ? std::ilogb(largest) : 0;
}

/// The middle of the points along each axis, and the largest distance from it along an axis.
struct Middle {
  std::array<double, 3> at{};
  double reach = 0;

  Middle(std::span<const double> coordinates, std::size_t axes) {
    for (std::size_t axis = 0; axis < axes && !coordinates.empty(); ++axis) {
      double least = coordinates[axis], most = least;
      for (std::size_t i = axis; i < coordinates.size(); i += axes) {
        least = std::min(least, coordinates[i]);
        most = std::max(most, coordinates[i]);
      }
      at[axis] = least / 2 + most / 2;
      reach = std::max(reach, most / 2 - least / 2);
    }
    if (!(reach > 0)) reach = 1;
  }
};

}  // namespace

NearNullSpace constants(const Points& points) {
  NearNullSpace b = zeros(points, points.unknowns);
  for (Index p = 0; p < points.count; ++p)
    for (int u = 0; u < points.unknowns; ++u) element(b, points.row(p, u), u) = 1;
  return b;
}

NearNullSpace rigid_body_modes(const Points& points, std::span<const double> coordinates) {
  const int axes = points.unknowns;
  const auto stride = static_cast<std::size_t>(axes);
  const Middle middle(coordinates, stride);
  NearNullSpace b = zeros(points, axes == 2 ? 3 : 6);
  for (Index p = 0; p < points.count; ++p) {
    const auto along = [&](int axis) {
      const auto a = static_cast<std::size_t>(axis);
      return (coordinates[static_cast<std::size_t>(p) * stride + a] - middle.at[a]) / middle.reach;
    };
    for (int u = 0; u < axes; ++u) element(b, points.row(p, u), u) = 1;
    int rotation = axes;
    for (int u = 0; u < axes; ++u) {
      for (int v = u + 1; v < axes; ++v, ++rotation) {
        element(b, points.row(p, u), rotation) = -along(v);
        element(b, points.row(p, v), rotation) = along(u);
      }
    }
  }
  return b;
}

NearNullSpace given_vectors(const Points& points, std::span<const double> vectors) {
  const auto rows = static_cast<std::size_t>(points.rows());
  NearNullSpace b = zeros(points, rows == 0 ? 1 : static_cast<int>(vectors.size() / rows));
  for (int v = 0; rows > 0 && v < b.count; ++v) {
    const auto vector = vectors.subspan(static_cast<std::size_t>(v) * rows, rows);
    const int exponent = exponent_of_largest(vector);
    for (std::size_t i = 0; i < rows; ++i) element(b, static_cast<Index>(i), v) = std::ldexp(vector[i], -exponent);
  }
  return b;
}

}  // namespace ostinato::algebraic
