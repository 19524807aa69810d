// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
//
// Linear finite elements on meshes without a grid: mesh2d, mesh3d.
#include <ostinato/spmv/matrix/generate/mesh.hpp>

#include <array>
#include <cmath>

#include <ostinato/spmv/matrix/generate/families.hpp>
#include <ostinato/spmv/matrix/generate/gradients.hpp>
#include <ostinato/spmv/matrix/generate/numbering.hpp>
#include <ostinato/spmv/ordering/renumber.hpp>
#include <ostinato/spmv/space/list.hpp>

namespace ostinato::generate_detail {
namespace {

/// The rows of the stiffness matrix times h^(2-D), for inner points that are numbered along x first. Two rows add the
/// parts of their common entry in the same order, so that both have the same bits.
template <int D>
class StiffnessRows {
 public:
  StiffnessRows(const Mesh<D>& mesh, Index n) : mesh_(mesh), n_(n) {}

  template <class Emit>
  void operator()(Index row, Emit& emit) const {
    const std::int64_t centre = mesh_.inner(row);
    const auto at = mesh_.on_grid(centre);
    Neighbourhood sum{}, coupled{};
    for (unsigned cell = 0; cell < 1u << D; ++cell) {
      auto lowest = at;
      for (unsigned axis = 0; axis < D; ++axis) lowest[axis] -= (cell >> axis & 1u) != 0 ? 0 : 1;
      mesh_.for_simplices(mesh_.vertex(lowest), [&](const auto& simplex) { add(simplex, centre, at, sum, coupled); });
    }
    for (std::size_t k = 0; k < neighbours; ++k) {
      if (coupled[k] != 0) emit(column(at, k), [&] { return sum[k]; });
    }
  }

 private:
  static constexpr std::size_t neighbours = D == 2 ? 9 : 27;
  using Neighbourhood = std::array<double, neighbours>;  ///< values of the vertices around one, along x first
  using Coordinates = std::array<std::int64_t, D>;

  /// Adds the part of a simplex that has the vertex `centre`.
  void add(const typename Mesh<D>::Simplex& simplex, std::int64_t centre, const Coordinates& at, Neighbourhood& sum,
           Neighbourhood& coupled) const {
    std::size_t own = 0;
    while (own <= D && simplex[own] != centre) ++own;
    if (own > D) return;
    constexpr double factorial = D == 2 ? 2 : 6;
    const Gradients<D> g = gradients(mesh_, simplex);
    for (std::size_t k = 0; k <= D; ++k) {
      const auto other = mesh_.on_grid(simplex[k]);
      if (!is_inner(other)) continue;
      std::size_t slot = 0;
      for (std::size_t axis = D; axis-- > 0;) slot = slot * 3 + static_cast<std::size_t>(other[axis] - at[axis] + 1);
      sum[slot] += dot(g.of_vertex[own], g.of_vertex[k]) / (factorial * std::abs(g.determinant));
      coupled[slot] = 1;
    }
  }

  bool is_inner(const Coordinates& at) const {
    for (const std::int64_t a : at)
      if (a == 0 || a > n_) return false;
    return true;
  }

  Index column(const Coordinates& at, std::size_t slot) const {
    std::int64_t number = 0, stride = 1;
    for (const std::int64_t a : at) {
      number += (a - 2 + static_cast<std::int64_t>(slot % 3)) * stride;
      slot /= 3;
      stride *= n_;
    }
    return static_cast<Index>(number);
  }

  const Mesh<D>& mesh_;
  Index n_;
};

}  // namespace

template <class T, int D>
Csr<T> laplace_on_mesh(std::string_view family, const GenerateOptions& options) {
  const Index rows = checked_rows(family, options.n, D);
  const Host host;
  const Mesh<D> mesh(host, options.n, options.seed);
  const Csr<T> along_x = build_rows<T>(host, rows, StiffnessRows<D>(mesh, options.n));
  return renumber<T>(host, along_x, random_order(rows, options.seed), checked);
}

#define OSTINATO_INSTANTIATE(T)                                                    \
  template Csr<T> laplace_on_mesh<T, 2>(std::string_view, const GenerateOptions&); \
  template Csr<T> laplace_on_mesh<T, 3>(std::string_view, const GenerateOptions&)
OSTINATO_FOR_VALUES(OSTINATO_INSTANTIATE);
#undef OSTINATO_INSTANTIATE

}  // namespace ostinato::generate_detail
