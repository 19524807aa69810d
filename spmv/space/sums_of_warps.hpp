// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/spmv/space/cuda.hpp>

namespace ostinato {

/// While an object of this class lives, products of formats that go by cuda::for_rows() (dia, brcsd-i, brcsd-ii,
/// sliced-ell), with vectors of the matrix' type, leave the sums of w . y over the rows of each warp, 32 of them, in
/// `sums`, and their slot as it is. From these the sums of blocks are made (DotOfProduct), so that sums over several
/// GPUs have the bits of one.
class SumsOfWarps {
 public:
  SumsOfWarps(const Cuda& space, double* sums);
  ~SumsOfWarps();
  SumsOfWarps(const SumsOfWarps&) = delete;
  SumsOfWarps& operator=(const SumsOfWarps&) = delete;

 private:
  Cuda space_;
};

}  // namespace ostinato
