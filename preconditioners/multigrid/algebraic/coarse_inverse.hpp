// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <ostinato/preconditioners/multigrid/algebraic/coarse_inverse_block.hpp>
#include <ostinato/spmv/matrix/csr.hpp>
#include <ostinato/spmv/matrix/space_csr.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>
#include <ostinato/spmv/space/readback.hpp>
#include <ostinato/spmv/space/vector.hpp>

namespace ostinato::algebraic {

/// The pseudo_inverse() of a small matrix.
std::vector<double> coarse_inverse(const Csr<double>& a, double rounding = 1e-10);

constexpr Index coarsest_rows = 150;  ///< most rows of a last level that is inverted

/// The inverse of the last level's matrix times a factor, in float, on its way into the memory of the space. A GPU
/// inverts what invert_in_block() takes, the host any other matrix.
template <class Space, class T>
class CoarseInverse {
 public:
  /// `sizes`: SumSizes of the rows, or empty. A diagonal entry that is nothing but rounding counts as 0.
  /// Exec      Enqueued: the GPU inverts.
  /// Requires  At most coarsest_rows rows, and as many elements of `to` as rows times rows. The sizes and `to` outlive
  ///           this object.
  CoarseInverse(const Space& space, const SpaceCsr<Space, T>& a, const Vector<Space, double>& sizes, double factor,
                Vector<Space, float>& to);

  /// The inverse is in `to` then, row by row.
  /// Exec      Waits for the GPU's inverse, or for the download of a matrix that has too many rows for that, not for
  ///           what was enqueued after it. Where a GPU couldn't invert, waits for all work, and the host inverts.
  /// Throws    ArgumentError when the matrix has no inverse in float.
  void finish();

 private:
  /// The inverse on the GPU.
  struct OnGpu {
    Vector<Space, double> full;
    Vector<Space, int> is_made;
    int made = 0;  ///< *is_made
    std::optional<DownloadBehind<Space>> copy;
  };

  /// The matrix on its way to the host.
  struct ToHost {
    std::vector<Offset> row_ptr;
    std::vector<Index> col;
    std::vector<T> val;
    std::vector<double> sizes;
    std::optional<DownloadBehind<Space>> copy;
  };

  void start_on_gpu();
  void start_download();
  std::vector<float> made_on_host();

  Space space_;
  SpaceCsr<Space, T> a_;
  const Vector<Space, double>& sizes_;
  double factor_;
  Vector<Space, float>& to_;
  OnGpu on_gpu_;
  ToHost to_host_;
};

}  // namespace ostinato::algebraic
