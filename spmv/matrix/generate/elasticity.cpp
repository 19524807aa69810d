// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
//
// Linear elasticity by linear finite elements on tetrahedra: elasticity3d.
#include <array>
#include <cmath>
#include <utility>

#include <ostinato/spmv/matrix/generate/families.hpp>
#include <ostinato/spmv/matrix/generate/gradients.hpp>
#include <ostinato/spmv/matrix/generate/mesh.hpp>
#include <ostinato/spmv/matrix/generate/numbering.hpp>
#include <ostinato/spmv/ordering/renumber.hpp>
#include <ostinato/spmv/space/list.hpp>

namespace ostinato::generate_detail {
namespace {

using Coordinates = std::array<std::int64_t, 3>;

/// The vertices that move: those off the face x = 0, numbered along x first.
class FreeVertices {
 public:
  explicit FreeVertices(Index cells) : cells_(cells) {}

  std::int64_t count() const { return std::int64_t{cells_} * (cells_ + 1) * (cells_ + 1); }
  bool holds(const Coordinates& at) const { return at[0] > 0; }
  Index number(const Coordinates& at) const {
    return static_cast<Index>((at[2] * (cells_ + 1) + at[1]) * cells_ + at[0] - 1);
  }
  Coordinates at(Index number) const {
    return {number % cells_ + 1, number / cells_ % (cells_ + 1), number / cells_ / (cells_ + 1)};
  }

 private:
  Index cells_;
};

/// The rows of the stiffness matrix over h, for Young's modulus 1. Rows 3 k, 3 k + 1, 3 k + 2 are the forces on vertex
/// k along x, y, z. Two rows add the parts of their common entry in the same order, so that both have the same bits.
class ElasticityRows {
 public:
  ElasticityRows(const Mesh<3>& mesh, Index cells) : mesh_(mesh), vertices_(cells), cells_(cells) {}

  template <class Emit>
  void operator()(Index row, Emit& emit) const {
    const Coordinates at = vertices_.at(row / 3);
    const std::int64_t centre = mesh_.vertex(at);
    Neighbourhood near{};
    for (unsigned cell = 0; cell < 8; ++cell) {
      Coordinates lowest = at;
      for (unsigned axis = 0; axis < 3; ++axis) lowest[axis] -= (cell >> axis & 1u) != 0 ? 0 : 1;
      if (!is_cell(lowest)) continue;
      mesh_.for_simplices(mesh_.vertex(lowest), [&](const auto& simplex) {
        add(simplex, centre, at, static_cast<std::size_t>(row % 3), near);
      });
    }
    for (std::size_t k = 0; k < near.size(); ++k) {
      if (!near[k].coupled) continue;
      const Index first = 3 * vertices_.number(beside(at, k));
      for (std::size_t d = 0; d < 3; ++d)
        if (near[k].force[d] != 0) emit(first + static_cast<Index>(d), [&] { return near[k].force[d]; });
    }
  }

 private:
  /// The force by the displacements of a vertex, along one axis.
  struct Coupling {
    Room force{};
    bool coupled = false;
  };
  using Neighbourhood = std::array<Coupling, 27>;  ///< of the vertices around one, along x first

  bool is_cell(const Coordinates& lowest) const {
    for (const std::int64_t a : lowest)
      if (a < 0 || a >= cells_) return false;
    return true;
  }

  static Coordinates beside(const Coordinates& at, std::size_t k) {
    return {at[0] - 1 + static_cast<std::int64_t>(k % 3), at[1] - 1 + static_cast<std::int64_t>(k / 3 % 3),
            at[2] - 1 + static_cast<std::int64_t>(k / 9)};
  }

  /// Adds the part of a simplex that has the vertex `centre`.
  void add(const Mesh<3>::Simplex& simplex, std::int64_t centre, const Coordinates& at, std::size_t axis,
           Neighbourhood& near) const {
    constexpr double ratio = 0.3;  // Poisson's, as of steel
    constexpr double lambda = ratio / ((1 + ratio) * (1 - 2 * ratio)), mu = 0.5 / (1 + ratio);  // Lamé's constants
    std::size_t own = 0;
    while (own < 4 && simplex[own] != centre) ++own;
    if (own == 4) return;
    const Gradients<3> g = gradients(mesh_, simplex);
    const double scale = 1 / (6 * std::abs(g.determinant));
    const Room& mine = g.of_vertex[own];
    for (std::size_t k = 0; k < 4; ++k) {
      const Coordinates other = mesh_.on_grid(simplex[k]);
      if (!vertices_.holds(other)) continue;
      std::size_t slot = 0;
      for (std::size_t d = 3; d-- > 0;) slot = slot * 3 + static_cast<std::size_t>(other[d] - at[d] + 1);
      const Room& theirs = g.of_vertex[k];
      Coupling& to = near[slot];
      to.coupled = true;
      for (std::size_t d = 0; d < 3; ++d) {
        double part = lambda * (mine[axis] * theirs[d]) + mu * (mine[d] * theirs[axis]);
        if (d == axis) part += mu * dot(mine, theirs);
        to.force[d] += part * scale;
      }
    }
  }

  const Mesh<3>& mesh_;
  FreeVertices vertices_;
  std::int64_t cells_;
};

Index checked_rows_of(std::string_view family, Index n) {
  checked_rows(family, n, 3, 3);
  return require_limit(family, n, 3 * FreeVertices(n).count());
}

/// The mesh of n cells along each axis.
Mesh<3> mesh_of(const GenerateOptions& options) { return Mesh<3>(Host(), options.n - 1, options.seed); }

}  // namespace

template <class T>
Csr<T> elasticity(std::string_view family, const GenerateOptions& options) {
  const Index rows = checked_rows_of(family, options.n);
  const Mesh<3> mesh = mesh_of(options);
  const Csr<T> along_x = build_rows<T>(Host(), rows, ElasticityRows(mesh, options.n));
  return renumber<T>(Host(), along_x, random_order(rows, options.seed, 3), checked);
}

std::vector<double> elasticity_coordinates(std::string_view family, const GenerateOptions& options) {
  const Array<Index> order = random_order(checked_rows_of(family, options.n), options.seed, 3);
  const Mesh<3> mesh = mesh_of(options);
  const FreeVertices vertices(options.n);
  std::vector<double> points;
  points.reserve(order.size());
  for (std::size_t k = 0; k < order.size(); k += 3)
    for (const double x : mesh.position(mesh.vertex(vertices.at(order[k] / 3)))) points.push_back(x / options.n);
  return points;
}

#define OSTINATO_INSTANTIATE(T) template Csr<T> elasticity<T>(std::string_view, const GenerateOptions&)
OSTINATO_FOR_VALUES(OSTINATO_INSTANTIATE);
#undef OSTINATO_INSTANTIATE

}  // namespace ostinato::generate_detail
