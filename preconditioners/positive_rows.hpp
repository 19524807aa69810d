// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/spmv/matrix/csr.hpp>

namespace ostinato {

/// Whether in most rows of a matrix the diagonal exceeds the sum of the others' sizes by more than `excess` of itself:
/// CG then takes few iterations with Jacobi.
///
/// Requires  A square matrix with canonical rows.
/// Exec      Looks at 4,000 rows at most, evenly spaced. Waits.
/// Throws    DeviceError.
template <class Space, class T>
bool is_mostly_dominant(const Space& space, const CsrView<T>& a, double excess = 0.02);

/// Whether in most rows of a matrix the entries with the sign of the diagonal are more than a fifth of the sum of all
/// beside it, by size. This is so for elasticity and other stiffness matrices, on which plain aggregation converges
/// slowly (elasticity3d 93 % of the rows, bcsstk16 98 %, bcsstk18 62 %), but not for diffusion (mesh3d 0.8 %, grids
/// none).
///
/// Requires  A square matrix with canonical rows.
/// Exec      Looks at 4,000 rows at most, evenly spaced. Waits.
/// Throws    DeviceError.
template <class Space, class T>
bool is_mostly_positive(const Space& space, const CsrView<T>& a);

/// Whether in most rows of a matrix some entry is larger than that on the diagonal, by size. Jacobi, ILU(0) and
/// multigrid are no help then: the matrix is far from definite, or convection outweighs diffusion.
///
/// Requires  A square matrix with canonical rows.
/// Exec      On the calling thread. Looks at 500 rows at most, evenly spaced.
template <class T>
bool is_mostly_outweighed(const CsrView<T>& a);

}  // namespace ostinato
