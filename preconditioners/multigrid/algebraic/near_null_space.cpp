// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/algebraic/near_null_space_definition.hpp>

#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato::algebraic {

namespace {

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

NearNullSpace constants(const Points& points) { return {points, NearNullSpace::Kind::constants, points.unknowns}; }

NearNullSpace rigid_body_modes(const Points& points, std::span<const double> coordinates) {
  const auto axes = static_cast<std::size_t>(points.unknowns);
  const Middle middle(coordinates, axes);
  NearNullSpace b{points, NearNullSpace::Kind::rigid, axes == 2 ? 3 : 6, {coordinates.begin(), coordinates.end()}};
  for (std::size_t p = 0; p < coordinates.size(); p += axes) {
    for (std::size_t axis = 0; axis < axes; ++axis) {
      double& v = b.values[p + axis];
      v = (v - middle.at[axis]) / middle.reach;
    }
  }
  return b;
}

NearNullSpace given_vectors(const Points& points, std::span<const double> vectors) {
  const auto rows = static_cast<std::size_t>(points.rows());
  NearNullSpace b{points, NearNullSpace::Kind::given, rows == 0 ? 1 : static_cast<int>(vectors.size() / rows)};
  b.values.resize(rows * static_cast<std::size_t>(b.count));
  for (int v = 0; rows > 0 && v < b.count; ++v) {
    const auto vector = vectors.subspan(static_cast<std::size_t>(v) * rows, rows);
    const int exponent = exponent_of_largest(vector);
    for (std::size_t i = 0; i < rows; ++i) element(b, static_cast<Index>(i), v) = std::ldexp(vector[i], -exponent);
  }
  return b;
}

#define OSTINATO_INSTANTIATE(Space) template Vector<Space, double> vectors_of(const Space&, const NearNullSpace&)
OSTINATO_FOR_SPACES(OSTINATO_INSTANTIATE);
#undef OSTINATO_INSTANTIATE

}  // namespace ostinato::algebraic
