// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <ostinato/spmv/matrix/csr.hpp>
#include <ostinato/spmv/matrix/stencil.hpp>

namespace ostinato {

/// One family of generated matrices, as help and error texts show it.
struct GeneratorInfo {
  std::string_view name;  ///< "poisson2d"
  std::string_view
      arguments;          ///< "n [peclet] [seed]": the members of GenerateOptions that the family reads; n is required
  std::string_view what;  ///< one line: the problem, its size, known properties of the matrix
};

/// All families, in the order of the help text. The list lives as long as the program.
std::span<const GeneratorInfo> generators();

/// The parameters of generate(). A family ignores the members that its GeneratorInfo::arguments doesn't name.
struct GenerateOptions {
  Index n = 0;               ///< grid points per side; rows for rmat, banded, random, dense-row and powerlaw; >= 1
  double peclet = 10;        ///< cell Péclet number |v| h / epsilon for the largest component of the velocity; >= 0
  bool rotating = false;     ///< the velocity turns around the centre instead of being constant
  bool periodic = false;     ///< the last point along each axis is beside the first, instead of boundary values
  bool renumbered = false;   ///< nodes in a random order, which hides the grid; always the same for a number of nodes
  double anisotropy = 1e-3;  ///< epsilon, the diffusion along y; the diffusion along x is 1; > 0
  int unknowns = 1;          ///< unknowns per node, so that the blocks are unknowns x unknowns; >= 1
  bool constant = false;     ///< constant values instead of random ones
  double entries_per_row = 16;  ///< mean over all rows, >= 1; entries beyond the length of a row are left out
  Index bandwidth = 8;          ///< diagonals on each side of the main diagonal; >= 0
  double broken = 0.25;         ///< length of the gap in each diagonal except the main diagonal, as a share; 0 .. 1
  double scatter = 0.001;       ///< scatter points (the only entries of their diagonals) per row; 0 .. 1
  std::uint64_t seed = 1;       ///< seed of all random numbers
};

/// Generates a matrix of a family, for T = float or double.
///
/// Unknowns are numbered along x first, then y, then z, without the option `renumbered`. h is 1 / (n + 1) unless stated
/// otherwise. Boundary values are zero (Dirichlet) and eliminated, so rows at the boundary have fewer entries. With the
/// option `periodic` there is no boundary: all rows are alike, n is at least 3, and the matrix is singular, because
/// constants solve A x = 0.
///
///   poisson2d, poisson3d        -laplace(u), times h^2: 4 or 6 on the diagonal, -1 beside it. Symmetric positive
///                               definite; 5 n^2 - 4 n or 7 n^3 - 6 n^2 entries.
///   anisotropic                 -u_xx - epsilon u_yy on a square, times h^2. Pattern and properties as for poisson2d.
///   variable2d, variable3d      -div(a grad u) on n^D cells of width h = 1 / n, finite volumes times h^(2-D),
///                               harmonic means at the faces, boundary values half a cell away. a is 1.5 plus a
///                               product of sines plus a random part of 0 .. 1 per cell. Symmetric positive definite.
///   convection-diffusion2d, 3d  -epsilon laplace(u) + v.grad(u), times h^2 / epsilon, upwind: an M-matrix with rows
///                               that are weakly dominant at every Péclet number. v = (1, 1/2, 1/4), or rotating
///                               around z: (1 - 2y, 2x - 1, 1/4). Not symmetric unless peclet = 0.
///   pde2d, pde3d                -div(a grad u) + b.grad(u) + u, times h^2, central, a = 1 + product of sin(pi x) / 2
///                               and b = 8 (y - 1/2) for x, cyclically for the other axes. Strictly dominant, not
///                               symmetric. The DIA-Adaptive paper gives only the 5 and 7 diagonals of its "PDE"
///                               matrices; the equation is our choice.
///   kgs2d, kgs3d                Implicit time step of a Schrödinger equation as in the Klein-Gordon-Schrödinger
///                               system: (-laplace / 2 + phi) psi + i s psi, times h^2, in real and imaginary parts.
///                               Two grids of N = n^D, 2 N rows, 7 or 9 diagonals (the coupling lies at +-N).
///                               Strictly dominant, not symmetric. Pattern and counts are those of the DIA-Adaptive
///                               paper; the values are our choice.
///   maxwell2d                   Fields Hx, Ez, Hy on a grid of n^2: 3 n^2 rows, 18 diagonals, 12 of them far from
///                               the main diagonal. For even n >= 8 there are 45 n^2 / 2 - 18 entries, as in the
///                               DIA-Adaptive paper. The paper gives no more, so the equations are our choice: an
///                               implicit step along x with compact differences that continue from one grid line to
///                               the next. Ez and Hy are coupled everywhere. In the middle half of the lines only, Hx
///                               is coupled with both and also drifts along y (third order, upwind). Strictly
///                               dominant, not symmetric, constant along each unbroken part of a diagonal.
///   fem27                       27-point neighbourhoods on n^3 nodes, dense unknowns x unknowns blocks: unknowns n^3
///                               rows and unknowns^2 (3 n - 2)^3 entries. Symmetric, strictly dominant, so positive
///                               definite. constant: 27 unknowns on the diagonal and -1 elsewhere.
///   mesh2d, mesh3d              -laplace(u) by linear finite elements, times h^(2-D), on triangles or tetrahedra that
///                               follow no pattern: a grid of n^D inner vertices, each moved at random by up to 0.2 h
///                               (mesh2d) or 0.1 h (mesh3d) along each axis, its cells cut along random diagonals.
///                               Vertices are numbered at random. Symmetric positive definite; rows away from the
///                               boundary sum to 0. About 7 or 15 entries a row. Of those beside the diagonal some 17
///                               or 30 % are positive.
///   elasticity3d                Linear elasticity (Young's modulus 1, Poisson's ratio 0.3) by linear finite elements,
///                               over h, on the tetrahedra of mesh3d: n^3 cells of width h = 1 / n, the face x = 0
///                               held, the others free. 3 n (n + 1)^2 rows: the displacements of a vertex are three
///                               rows after one another, vertices are numbered at random. Symmetric positive definite,
///                               about 45 entries a row. generate_coordinates() tells where the vertices are.
///   rmat                        R-MAT graph (a, b, c, d = .57, .19, .19, .05): n rounded up to a power of two rows,
///                               row lengths drawn one by one (Poisson), duplicates removed, so that somewhat fewer
///                               than entries_per_row remain. Values in (0, 1], also on the diagonal.
///   banded                      2 bandwidth + 1 diagonals with gaps, and scatter points. Strictly dominant.
///   random                      Each row is cut into entries_per_row ranges of equal length, with one entry in each
///                               range. One of these entries is on the diagonal. Strictly dominant.
///   dense-row                   A diagonal and one full row in the middle. The full row holds half of the 2 n - 1
///                               entries. Strictly dominant.
///   powerlaw                    Web-like: a diagonal and about two links a row, with heavy tails both in row lengths
///                               and in column counts. Strictly dominant.
///
/// Layout    Rows sorted, no duplicates (is_canonical).
/// Exec      In parallel on the host. The same options give the same bits with any number of threads, because random
///           numbers are hashes of seed, row and position.
/// Throws    ArgumentError for an unknown family (the message names the known families), for an option outside its
///           bounds, and for more than 2^31 - 1 rows. The message names the value and the limit. MemoryLimitError for
///           a matrix that takes more than host_memory(), as soon as so many of its entries are counted;
///           std::bad_alloc.
/// Source    kgs, maxwell2d: the DIA-Adaptive paper, Tables 3 and 6. rmat: Chakrabarti, Zhan & Faloutsos, SDM'04,
///           doi:10.1137/1.9781611972740.43.
template <class T>
Csr<T> generate(std::string_view family, const GenerateOptions& options);

/// Returns the stencil of the matrix that generate() makes, where its coefficients are constant: poisson2d, poisson3d,
/// anisotropic, and convection-diffusion2d and 3d that don't rotate, unless renumbered. Returns nothing for others.
/// Throws    As generate().
std::optional<Stencil> generate_stencil(std::string_view family, const GenerateOptions& options);

/// Returns where the points of elasticity3d are, whose near-null vectors are the motions of a rigid body: x, y, z in
/// 0 .. 1 of the point of rows 3 k .. 3 k + 2, point by point. Empty for all other families.
/// Throws    As generate().
std::vector<double> generate_coordinates(std::string_view family, const GenerateOptions& options);

}  // namespace ostinato
