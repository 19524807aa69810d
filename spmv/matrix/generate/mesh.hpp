// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include <ostinato/spmv/matrix/csr.hpp>
#include <ostinato/spmv/matrix/generate/rows.hpp>

namespace ostinato::generate_detail {

/// A mesh of triangles (D = 2) or tetrahedra (D = 3) of the unit square or cube, without a regular pattern.
///
/// The vertices are those of a grid of n^D inner points and the boundary around them. Each is moved at random by up to
/// 0.8 / 2^D of a step along each axis, but a vertex of the boundary stays in the boundary. Each cell is cut into
/// D! simplices by pulling: every face, of every dimension, is cut into cones from its vertex of lowest rank. Ranks are
/// random numbers of vertices, so that neighbouring cells cut a common face alike. A vertex has 4 to 8 (D = 2) or 6 to
/// 26 (D = 3) neighbours. No simplex has less than a fifth of the volume that it would have on the grid, for any random
/// numbers: the volume is linear in each coordinate, so that its minimum is at one of the extreme positions, and a
/// search of all of them gave 1 - 4 d and 1 - 8 d of it for moves of up to d steps.
///
/// Layout    Vertices of the whole grid, the boundary included, are numbered along x first. 8 (D + 1) bytes a vertex.
/// Exec      Made in parallel on the host.
/// Source    Pulling: De Loera, Rambau & Santos, Triangulations, 2010, section 4.3.2.
template <int D>
class Mesh {
 public:
  using Position = std::array<double, D>;
  using Simplex = std::array<std::int64_t, D + 1>;  ///< the numbers of the vertices

  Mesh(const Host& host, Index n, std::uint64_t seed) : n_(n), side_(std::int64_t{n} + 2) {
    std::int64_t vertices = 1;
    for (int axis = 0; axis < D; ++axis) vertices *= side_;
    require_memory("a mesh of " + std::to_string(vertices) + " vertices",
                   (sizeof(Position) + sizeof(std::uint64_t)) * static_cast<double>(vertices));
    position_.resize(static_cast<std::size_t>(vertices));
    rank_.resize(position_.size());
    parallel_for(host, position_.size(), [&](std::size_t k) { place(static_cast<std::int64_t>(k), seed); });
  }

  /// The position of a vertex, in steps 1 / (n + 1).
  const Position& position(std::int64_t vertex) const { return position_[static_cast<std::size_t>(vertex)]; }

  /// The coordinates on the grid, 0 .. n + 1. Those of inner vertices are 1 .. n.
  std::array<std::int64_t, D> on_grid(std::int64_t vertex) const {
    std::array<std::int64_t, D> at;
    for (std::int64_t& a : at) a = std::exchange(vertex, vertex / side_) % side_;
    return at;
  }

  /// The vertex at these coordinates on the grid.
  std::int64_t vertex(const std::array<std::int64_t, D>& at) const {
    std::int64_t v = 0;
    for (int axis = D - 1; axis >= 0; --axis) v = v * side_ + at[static_cast<std::size_t>(axis)];
    return v;
  }

  /// The vertex of an inner point. Inner points are numbered along x first.
  std::int64_t inner(Index point) const {
    std::array<std::int64_t, D> at;
    for (std::int64_t& a : at) a = std::exchange(point, point / n_) % n_ + 1;
    return vertex(at);
  }

  /// Calls f(simplex) for the simplices of the cell whose lowest corner is this vertex, always in the same order.
  template <class F>
  void for_simplices(std::int64_t lowest, const F& f) const {
    Simplex simplex;
    cut(lowest, 0, (1u << D) - 1, simplex, 0, f);
  }

 private:
  void place(std::int64_t vertex, std::uint64_t seed) {
    constexpr double reach = 0.8 / (1 << D);
    const auto at = on_grid(vertex);
    Position& p = position_[static_cast<std::size_t>(vertex)];
    for (std::size_t axis = 0; axis < D; ++axis) {
      const bool inside = at[axis] > 0 && at[axis] < side_ - 1;
      const double move = reach * (2 * uniform(seed, vertex, static_cast<std::int64_t>(axis)) - 1);
      p[axis] = static_cast<double>(at[axis]) + (inside ? move : 0);
    }
    rank_[static_cast<std::size_t>(vertex)] = hash(seed, vertex, D);
  }

  std::int64_t corner(std::int64_t lowest, unsigned bits) const {
    std::int64_t step = 1;
    for (unsigned axis = 0; axis < D; ++axis, step *= side_) lowest += (bits >> axis & 1u) * step;
    return lowest;
  }

  bool is_lower(std::int64_t a, std::int64_t b) const {
    const auto rank = [this](std::int64_t v) { return rank_[static_cast<std::size_t>(v)]; };
    return std::pair{rank(a), a} < std::pair{rank(b), b};
  }

  /// Cuts the face whose corners have the bits `fixed` along all axes but those in `free`.
  template <class F>
  void cut(std::int64_t lowest, unsigned fixed, unsigned free, Simplex& simplex, std::size_t known, const F& f) const {
    unsigned first = fixed;
    for (unsigned bits = free; bits != 0; bits = (bits - 1) & free) {
      if (is_lower(corner(lowest, fixed | bits), corner(lowest, first))) first = fixed | bits;
    }
    simplex[known] = corner(lowest, first);
    if (free == 0) return f(std::as_const(simplex));
    for (unsigned axis = 1; axis <= free; axis *= 2) {
      if ((free & axis) != 0) cut(lowest, fixed | (~first & axis), free & ~axis, simplex, known + 1, f);
    }
  }

  Index n_;
  std::int64_t side_;
  Array<Position> position_;
  Array<std::uint64_t> rank_;
};

}  // namespace ostinato::generate_detail
