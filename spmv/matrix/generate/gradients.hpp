// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

#include <ostinato/spmv/matrix/generate/mesh.hpp>

// Linear functions on the simplices of a mesh, for finite elements.

namespace ostinato::generate_detail {

/// The gradients of the D + 1 linear functions that are 1 in one vertex and 0 in the others, times the determinant of
/// the edges.
template <int D>
struct Gradients {
  std::array<std::array<double, D>, D + 1> of_vertex;
  double determinant;
};

using Plane = std::array<double, 2>;
using Room = std::array<double, 3>;

inline Room cross(const Room& u, const Room& v) {
  return {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
}

/// The products of the inverse of a matrix, whose columns are the edges, with its determinant: row k of the result is
/// orthogonal to all edges but edge k.
inline std::array<Plane, 2> cofactors(const std::array<Plane, 2>& edge) {
  return {{{edge[1][1], -edge[1][0]}, {-edge[0][1], edge[0][0]}}};
}
inline std::array<Room, 3> cofactors(const std::array<Room, 3>& edge) {
  return {cross(edge[1], edge[2]), cross(edge[2], edge[0]), cross(edge[0], edge[1])};
}

template <std::size_t D>
double dot(const std::array<double, D>& u, const std::array<double, D>& v) {
  double sum = 0;
  for (std::size_t d = 0; d < D; ++d) sum += u[d] * v[d];
  return sum;
}

template <int D>
Gradients<D> gradients(const Mesh<D>& mesh, const typename Mesh<D>::Simplex& simplex) {
  std::array<std::array<double, D>, D> edge;
  for (std::size_t k = 0; k < D; ++k) {
    for (std::size_t d = 0; d < D; ++d) edge[k][d] = mesh.position(simplex[k + 1])[d] - mesh.position(simplex[0])[d];
  }
  const auto inverse = cofactors(edge);
  Gradients<D> g{{}, dot(edge[0], inverse[0])};
  for (std::size_t k = 0; k < D; ++k) {
    g.of_vertex[k + 1] = inverse[k];
    for (std::size_t d = 0; d < D; ++d) g.of_vertex[0][d] -= inverse[k][d];
  }
  return g;
}

}  // namespace ostinato::generate_detail
