// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
//
// Scalar problems on one grid: poisson, anisotropic, variable, convection-diffusion, pde.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/matrix/generate/families.hpp>
#include <ostinato/spmv/matrix/generate/grid.hpp>
#include <ostinato/spmv/matrix/generate/rows.hpp>
#include <ostinato/spmv/space/list.hpp>

namespace ostinato::generate_detail {
namespace {

constexpr double no_limit = std::numeric_limits<double>::max();

template <class T, int D, class Coefficients>
Csr<T> build_stencil(const Host& host, Index rows, const Grid<D>& grid, const Coefficients& coefficients) {
  return build_rows<T>(host, rows, Stencil<D, const Coefficients&>{grid, coefficients});
}

/// Diffusion coefficients that depend on the axis but not on the position.
template <int D>
struct AxisDiffusion {
  std::array<double, D> along;

  double centre(const Point<D>&) const {
    double sum = 0;
    for (const double a : along) sum += 2 * a;
    return sum;
  }
  double neighbour(const Point<D>&, int axis, int) const { return -along[axis]; }
};

/// Finite volumes. The flux through a face uses the harmonic mean of the coefficients of the two cells. At the boundary
/// the flux uses the cell's own coefficient and half the distance.
template <int D>
struct CellDiffusion {
  const Grid<D>& grid;
  const Array<double>& cell;

  double face(const Point<D>& p, int axis, int side) const {
    const double here = cell[static_cast<std::size_t>(p.row)];
    if (!grid.has_neighbour(p, axis, side)) return 2 * here;
    const double there = cell[static_cast<std::size_t>(grid.neighbour(p, axis, side))];
    return 2 * here * there / (here + there);  // doubling is exact, so both cells compute the same bits
  }
  double centre(const Point<D>& p) const {
    double sum = 0;
    for (int axis = 0; axis < D; ++axis) sum += face(p, axis, -1) + face(p, axis, +1);
    return sum;
  }
  double neighbour(const Point<D>& p, int axis, int side) const { return -face(p, axis, side); }
};

/// The coefficient of variable2d and variable3d at the cell centres: 1.5 + product of sin(2 pi x) + uniform [0, 1). The
/// coefficient is positive.
template <int D>
Array<double> coefficient_field(const Host& host, const Grid<D>& grid, Index rows, std::uint64_t seed) {
  Array<double> field(static_cast<std::size_t>(rows));
  const std::int64_t n = grid.n;
  const SineTable sine(n);  // covers the first half wave of sin(2 pi x); the second half wave is its negative
  for_row_blocks(host, rows, [&](std::size_t, Index first, Index end) {
    for (Index row = first; row < end; ++row) {
      double smooth = 1;
      for (const Index at : grid.point(row).at) {
        const std::int64_t twice = 2 * std::int64_t{at} + 1;  // x = twice / (2 n)
        smooth *= twice <= n ? sine[twice] : -sine[twice - n];
      }
      field[static_cast<std::size_t>(row)] = 1.5 + smooth + uniform(seed, row, 0);
    }
  });
  return field;
}

/// Diffusion plus upwind convection. The convection couples to upstream neighbours only, so no off-diagonal entry is
/// positive.
template <int D>
struct Upwind {
  Index n;
  double peclet;
  bool rotating;

  double velocity(const Point<D>& p, int axis) const {
    constexpr std::array<double, 3> constant = {1, 0.5, 0.25};
    if (!rotating || axis == 2) return constant[static_cast<std::size_t>(axis)];
    const double other = 2.0 * (p.at[1 - axis] + 1.0) / (n + 1.0) - 1;
    return axis == 0 ? -other : other;
  }
  double centre(const Point<D>& p) const {
    double sum = 2 * D;
    for (int axis = 0; axis < D; ++axis) sum += peclet * std::abs(velocity(p, axis));
    return sum;
  }
  double neighbour(const Point<D>& p, int axis, int side) const {
    return -1 - peclet * std::max(0.0, -side * velocity(p, axis));
  }
};

/// -div(a grad u) + b.grad(u) + u by central differences. The coefficient a is taken at the centres of the faces.
template <int D>
struct SmoothPde {
  Index n;
  SineTable sine{2 * (std::int64_t{n} + 1)};  // even positions are nodes, odd positions are faces

  double diffusion(const Point<D>& p, int axis, int side) const {
    double product = 0.5;
    for (int d = 0; d < D; ++d) product *= sine[2 * (std::int64_t{p.at[d]} + 1) + (d == axis ? side : 0)];
    return 1 + product;
  }
  double centre(const Point<D>& p) const {
    const double h = 1 / (n + 1.0);
    double sum = h * h;
    for (int axis = 0; axis < D; ++axis) sum += diffusion(p, axis, -1) + diffusion(p, axis, +1);
    return sum;
  }
  double neighbour(const Point<D>& p, int axis, int side) const {
    const double h = 1 / (n + 1.0);
    const double b = 8 * ((p.at[(axis + 1) % D] + 1) * h - 0.5);  // |b| h / 2 < a, so rows are dominant for every n
    return -diffusion(p, axis, side) + side * b * h / 2;
  }
};

/// The stencil of coefficients that don't depend on the point.
template <int D, class Coefficients>
ostinato::Stencil constant_stencil(Index n, const Coefficients& coefficients, bool periodic = false) {
  const Point<D> any{};
  ostinato::Stencil stencil{.extents = {n, D > 1 ? n : 1, D > 2 ? n : 1},
                            .terms = {{0, 0, 0, coefficients.centre(any)}}};
  if (periodic) stencil.x = stencil.y = stencil.z = {Boundary::periodic, Boundary::periodic};
  for (int axis = 0; axis < D; ++axis) {
    for (const int side : {-1, 1}) {
      const auto step = [&](int along) { return axis == along ? side : 0; };
      stencil.terms.push_back({step(0), step(1), step(2), coefficients.neighbour(any, axis, side)});
    }
  }
  return stencil;
}

template <int D>
AxisDiffusion<D> laplacian() {
  AxisDiffusion<D> diffusion;
  diffusion.along.fill(1);
  return diffusion;
}

/// The grid of a family that may be periodic.
template <int D>
Grid<D> checked_grid(std::string_view family, const GenerateOptions& options) {
  if (options.periodic && options.n < 3)
    throw ArgumentError("generate " + std::string(family) + ": n = " + std::to_string(options.n) +
                        "; a periodic grid has at least 3 points a side");
  return Grid<D>(options.n, options.periodic);
}

AxisDiffusion<2> checked_anisotropy(std::string_view family, const GenerateOptions& options) {
  check_range(family, "anisotropy", options.anisotropy, std::numeric_limits<double>::min(), no_limit);
  return {{1, options.anisotropy}};
}

template <int D>
Upwind<D> checked_upwind(std::string_view family, const GenerateOptions& options) {
  check_range(family, "peclet", options.peclet, 0, no_limit);
  return {options.n, options.peclet, options.rotating};
}

}  // namespace

template <class T, int D>
Csr<T> poisson(std::string_view family, const GenerateOptions& options) {
  const Index rows = checked_rows(family, options.n, D);
  return build_stencil<T>(Host(), rows, checked_grid<D>(family, options), laplacian<D>());
}

template <int D>
std::optional<ostinato::Stencil> poisson_stencil(std::string_view family, const GenerateOptions& options) {
  checked_rows(family, options.n, D);
  return constant_stencil<D>(checked_grid<D>(family, options).n, laplacian<D>(), options.periodic);
}

template <class T>
Csr<T> anisotropic(std::string_view family, const GenerateOptions& options) {
  const AxisDiffusion<2> diffusion = checked_anisotropy(family, options);
  const Index rows = checked_rows(family, options.n, 2);
  return build_stencil<T>(Host(), rows, checked_grid<2>(family, options), diffusion);
}

std::optional<ostinato::Stencil> anisotropic_stencil(std::string_view family, const GenerateOptions& options) {
  const AxisDiffusion<2> diffusion = checked_anisotropy(family, options);
  checked_rows(family, options.n, 2);
  return constant_stencil<2>(checked_grid<2>(family, options).n, diffusion, options.periodic);
}

template <class T, int D>
Csr<T> variable(std::string_view family, const GenerateOptions& options) {
  const Index rows = checked_rows(family, options.n, D);
  const Host host;
  const Grid<D> grid = checked_grid<D>(family, options);
  const Array<double> field = coefficient_field(host, grid, rows, options.seed);
  return build_stencil<T>(host, rows, grid, CellDiffusion<D>{grid, field});
}

template <class T, int D>
Csr<T> convection_diffusion(std::string_view family, const GenerateOptions& options) {
  const Upwind<D> upwind = checked_upwind<D>(family, options);
  const Index rows = checked_rows(family, options.n, D);
  return build_stencil<T>(Host(), rows, Grid<D>(options.n), upwind);
}

template <int D>
std::optional<ostinato::Stencil> convection_diffusion_stencil(std::string_view family, const GenerateOptions& options) {
  const Upwind<D> upwind = checked_upwind<D>(family, options);
  checked_rows(family, options.n, D);
  if (options.rotating) return {};
  return constant_stencil<D>(options.n, upwind);
}

template <class T, int D>
Csr<T> pde(std::string_view family, const GenerateOptions& options) {
  const Index rows = checked_rows(family, options.n, D);
  return build_stencil<T>(Host(), rows, Grid<D>(options.n), SmoothPde<D>{options.n});
}

#define OSTINATO_INSTANTIATE(T)                                                         \
  template Csr<T> poisson<T, 2>(std::string_view, const GenerateOptions&);              \
  template Csr<T> poisson<T, 3>(std::string_view, const GenerateOptions&);              \
  template Csr<T> anisotropic<T>(std::string_view, const GenerateOptions&);             \
  template Csr<T> variable<T, 2>(std::string_view, const GenerateOptions&);             \
  template Csr<T> variable<T, 3>(std::string_view, const GenerateOptions&);             \
  template Csr<T> convection_diffusion<T, 2>(std::string_view, const GenerateOptions&); \
  template Csr<T> convection_diffusion<T, 3>(std::string_view, const GenerateOptions&); \
  template Csr<T> pde<T, 2>(std::string_view, const GenerateOptions&);                  \
  template Csr<T> pde<T, 3>(std::string_view, const GenerateOptions&)
OSTINATO_FOR_VALUES(OSTINATO_INSTANTIATE);
#undef OSTINATO_INSTANTIATE
template std::optional<ostinato::Stencil> poisson_stencil<2>(std::string_view, const GenerateOptions&);
template std::optional<ostinato::Stencil> poisson_stencil<3>(std::string_view, const GenerateOptions&);
template std::optional<ostinato::Stencil> convection_diffusion_stencil<2>(std::string_view, const GenerateOptions&);
template std::optional<ostinato::Stencil> convection_diffusion_stencil<3>(std::string_view, const GenerateOptions&);

}  // namespace ostinato::generate_detail
