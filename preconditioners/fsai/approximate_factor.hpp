// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include <ostinato/spmv/base/stop.hpp>
#include <ostinato/spmv/matrix/csr.hpp>
#include <ostinato/spmv/matrix/space_csr.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>

namespace ostinato {

/// Which entries a factorised approximate inverse has.
enum class FsaiPattern {
  a,         ///< those of the lower triangle of A
  a2,        ///< those of the lower triangle of A^2
  adaptive,  ///< chosen row by row, those first that make the row better
};

struct FsaiOptions {
  FsaiPattern pattern = FsaiPattern::a;
  int entries = 16;  ///< adaptive: off the diagonal, in a row at most, 1 .. 255
};

/// G, lower triangular, such that G A G^T has ones on its diagonal and is near the identity.
struct ApproximateFactor {
  Csr<double> g;
  Index diagonal_only = 0;  ///< rows whose pattern gave no positive definite system, and that were left with one entry
};

/// Row i of G, with the pattern J, is y / sqrt(y(i)), where A(J, J) y = e(i).
///
/// Exec      In parallel over rows. The result doesn't depend on the number of threads. The calling thread looks at
///           `stop` every few rows.
/// Requires  A symmetric matrix with canonical rows and finite values.
/// Throws    ArgumentError naming the first row whose diagonal entry isn't positive, or with an entry that is huge
///           beside diagonal entries. Diagonal entries may be of any size, denormal ones included. Stopped once `stop`
///           is made.
/// Limits    A row of G has at most 256 entries: of more, those that are largest in A beside their diagonal entries.
/// Source    Kolotilina & Yeremin, SIAM J. Matrix Anal. Appl. 14 (1993) 45; Janna, Ferronato & Gambolati, SIAM J. Sci.
///           Comput. 37 (2015) C72 (adaptive).
ApproximateFactor approximate_factor(const Host& host, const CsrView<double>& a, const FsaiOptions& options,
                                     const StopRequest& stop = {});

/// G in the memory of a GPU, with the pattern of the lower triangle of A.
template <class T>
struct FactorOnCuda {
  SpaceCsr<Cuda, T> g;
  Index diagonal_only = 0;  ///< as in ApproximateFactor; the other entries of such a row are 0
};

constexpr Index longest_row_of_fsai_on_gpu = 150;  ///< of G: what the shared memory has room for

/// The same G but for rounding, with FsaiPattern::a, of sign * A. Nothing where a row of G has more than 150 entries,
/// where a GPU has less shared memory than these take (95 kB), where approximate_factor() would throw, and where T
/// lacks the range.
///
/// Traffic   A warp makes a row of m entries in shared memory: m^3 / 6 products, and the rows of A that it names are
///           read.
/// Exec      Waits.
/// Requires  A symmetric matrix with canonical rows and finite values, whose diagonal has the sign.
template <class T>
std::optional<FactorOnCuda<T>> approximate_factor(const Cuda& space, const CsrView<T>& a, double sign);

}  // namespace ostinato
