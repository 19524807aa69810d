// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include <ostinato/spmv/matrix/csr.hpp>

namespace ostinato {

/// One family of generated matrices, as help and error texts show it.
struct GeneratorInfo {
  std::string_view name;  ///< "poisson2d"
  std::string_view
      arguments;          ///< "n [peclet] [seed]": the members of GenerateOptions that it reads; n is always needed
  std::string_view what;  ///< one line: the problem, its size, what is known of the matrix
};

/// All families, in the order of the help. Lives as long as the program.
std::span<const GeneratorInfo> generators();

/// What generate() is asked for. A family ignores what its GeneratorInfo::arguments doesn't name.
struct GenerateOptions {
  Index n = 0;                  ///< grid points per side; rows for rmat, banded, random, dense-row and powerlaw; >= 1
  double peclet = 10;           ///< cell Péclet number |v| h / epsilon at the fastest component of the velocity; >= 0
  bool rotating = false;        ///< velocity turning around the middle instead of a constant one
  double anisotropy = 1e-3;     ///< epsilon, the diffusion along y where that along x is 1; > 0
  int unknowns = 1;             ///< unknowns per node, so that the blocks are unknowns x unknowns; >= 1
  bool constant = false;        ///< constant values instead of random ones
  double entries_per_row = 16;  ///< mean of all rows, >= 1; what a row can't hold is left out
  Index bandwidth = 8;          ///< diagonals on either side of the main one; >= 0
  double broken = 0.25;         ///< share of each diagonal, save the main one, that is missing in one piece; 0 .. 1
  double scatter = 0.001;       ///< entries that stand alone on their diagonals, per row; 0 .. 1
  std::uint64_t seed = 1;       ///< of all that is random
};

/// Generates a matrix of a family, for T = float or double.
///
/// Unknowns are numbered along x first, then y, then z; h = 1 / (n + 1) unless said; values at the boundary are zero
/// (Dirichlet) and eliminated, so that rows at the boundary have fewer entries.
///
///   poisson2d, poisson3d        -laplace(u), times h^2: 4 or 6 on the diagonal, -1 beside it. Symmetric positive
///                               definite; 5 n^2 - 4 n or 7 n^3 - 6 n^2 entries.
///   anisotropic                 -u_xx - epsilon u_yy on a square, times h^2. As poisson2d.
///   variable2d, variable3d      -div(a grad u) on n^D cells of width h = 1 / n, finite volumes times h^(2-D),
///                               harmonic means at the faces, boundary values half a cell away. a is 1.5 plus a
///                               product of sines plus a random part of 0 .. 1 per cell. Symmetric positive definite.
///   convection-diffusion2d, 3d  -epsilon laplace(u) + v.grad(u), times h^2 / epsilon, upwind: an M-matrix with rows
///                               that are weakly dominant at every Péclet number. v = (1, 1/2, 1/4), or rotating
///                               around z: (1 - 2y, 2x - 1, 1/4). Not symmetric unless peclet = 0.
///   pde2d, pde3d                -div(a grad u) + b.grad(u) + u, times h^2, central, a = 1 + product of sin(pi x) / 2
///                               and b = 8 (y - 1/2), and so on in turn. Strictly dominant, not symmetric. The
///                               DIA-Adaptive paper says of its "PDE" matrices no more than 5 and 7 diagonals; the
///                               problem is ours.
///   kgs2d, kgs3d                Implicit time step of a Schrödinger equation as in the Klein-Gordon-Schrödinger
///                               system: (-laplace / 2 + phi) psi + i s psi, times h^2, in real and imaginary parts.
///                               Two grids of N = n^D, 2 N rows, 7 or 9 diagonals (the coupling lies at +-N).
///                               Strictly dominant, not symmetric. Pattern and counts are those of the paper, the
///                               values are ours.
///   maxwell2d                   Fields Hx, Ez, Hy on a grid of n^2: 3 n^2 rows, 18 diagonals, 12 of them far from
///                               the main one; for n >= 8 and even 45 n^2 / 2 - 18 entries, as the paper counts. It
///                               says no more, so the problem is ours: an implicit step along x with compact
///                               differences that run on from one grid line to the next; Ez and Hy are coupled
///                               everywhere, Hx with both in the middle half of the lines only, where it also drifts
///                               along y (third order, upwind). Strictly dominant, not symmetric, constant along each
///                               piece of a diagonal.
///   fem27                       27-point neighbourhoods on n^3 nodes, dense unknowns x unknowns blocks: unknowns n^3
///                               rows and unknowns^2 (3 n - 2)^3 entries. Symmetric, strictly dominant, so positive
///                               definite. constant: 27 unknowns on the diagonal and -1 elsewhere.
///   rmat                        R-MAT graph (a, b, c, d = .57, .19, .19, .05): n rounded up to a power of two rows,
///                               row lengths drawn one by one (Poisson), duplicates removed, so that somewhat fewer
///                               than entries_per_row remain. Values in (0, 1]; nothing is done for the diagonal.
///   banded                      2 bandwidth + 1 diagonals with gaps, and scatter points. Strictly dominant.
///   random                      entries_per_row in a row, one in each of as many equal stretches, one of them on the
///                               diagonal. Strictly dominant.
///   dense-row                   A diagonal and one full row in the middle, which so holds half of the 2 n - 1
///                               entries. Strictly dominant.
///   powerlaw                    Web-like: a diagonal and about two links a row, with heavy tails both in row lengths
///                               and in column counts. Strictly dominant.
///
/// Layout    Rows sorted, no duplicates (is_canonical).
/// Exec      In parallel on the host. The same options give the same bits with any number of threads: what is random
///           is a hash of seed, row and position.
/// Throws    ArgumentError for an unknown family (names the known ones), for an option outside the bounds above, and
///           for more than 2^31 - 1 rows; names the value and the limit.
/// Source    kgs, maxwell: the DIA-Adaptive paper, Tables 3 and 6. rmat: Chakrabarti, Zhan & Faloutsos, SDM'04,
///           doi:10.1137/1.9781611972740.43.
template <class T>
Csr<T> generate(std::string_view family, const GenerateOptions& options);

}  // namespace ostinato
