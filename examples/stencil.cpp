// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
//
// -div(a grad u) = 1 on a square and on cubes, u = 0 on the boundary, by CG with multigrid, without a matrix.
//
// The matrix is described by its stencil. Where a is constant, nothing is stored for a point of the grid; where a
// varies, its coefficients are. The residual is recomputed here.
//
//   $ build/release/examples/stencil
//   5-point, a = 1:         261121 unknowns,     1080 bytes stored, 9 iterations, residual below 1e-8
//   7-point, a = 1:         857375 unknowns,     1512 bytes stored, 12 iterations, residual below 1e-8
//   7-point, a varies:      857375 unknowns, 48013000 bytes stored, 11 iterations, residual below 1e-8
#include <cmath>
#include <cstdio>
#include <vector>

#include <ostinato/ostinato.hpp>

using ostinato::Index;
using ostinato::Stencil;

// The neighbours of a point, and the point itself, of -laplace times h^2.
Stencil laplacian(ostinato::Extents grid) {
  Stencil stencil{.extents = grid, .terms = {{-1, 0, 0, -1}, {1, 0, 0, -1}, {0, -1, 0, -1}, {0, 1, 0, -1}}};
  if (grid.z > 1) {
    stencil.terms.push_back({0, 0, -1, -1});
    stencil.terms.push_back({0, 0, 1, -1});
  }
  stencil.terms.push_back({0, 0, 0, static_cast<double>(stencil.terms.size())});
  return stencil;
}

// a in the middle between a point and its neighbour, so that the matrix is symmetric.
double between(Index x, Index y, Index z, int dx, int dy, int dz) {
  return 1.5 + std::sin(0.1 * (x + 0.5 * dx)) * std::sin(0.2 * (y + 0.5 * dy)) * std::sin(0.15 * (z + 0.5 * dz));
}

double coefficient(Index x, Index y, Index z, int dx, int dy, int dz) {
  if (dx != 0 || dy != 0 || dz != 0) return -between(x, y, z, dx, dy, dz);
  return between(x, y, z, 1, 0, 0) + between(x, y, z, -1, 0, 0) + between(x, y, z, 0, 1, 0) +
         between(x, y, z, 0, -1, 0) + between(x, y, z, 0, 0, 1) + between(x, y, z, 0, 0, -1);
}

bool solves(const char* name, const Stencil& stencil) {
  const ostinato::Host space;
  const ostinato::StencilOperator A(space, stencil);
  const ostinato::Multigrid M(A);
  const std::vector<double> b(stencil.extents.points(), 1.0);
  std::vector<double> x(b.size(), 0.0), r(b.size());
  const ostinato::SolveResult result = ostinato::cg(space, A, b, x, M, {.rtol = 1e-8});

  A.apply(1, x, 0, r);  // A x
  double square = 0;
  for (std::size_t i = 0; i < b.size(); ++i) square += (b[i] - r[i]) * (b[i] - r[i]);
  const bool small = std::sqrt(square) <= 1e-8 * std::sqrt(static_cast<double>(b.size()));
  std::printf("%-19s  %9zu unknowns, %8zu bytes stored, %d iterations, residual %s 1e-8\n", name, b.size(), A.bytes(),
              result.iterations, small ? "below" : "above");
  std::printf("  solved in %.3f s\n", result.seconds);
  return result && small;
}

int main() {
  Stencil varying = laplacian({95, 95, 95});
  varying.coefficient = coefficient;
  return solves("5-point, a = 1:", laplacian({511, 511})) && solves("7-point, a = 1:", laplacian({95, 95, 95})) &&
                 solves("7-point, a varies:", varying)
             ? 0
             : 1;
}
