// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/spmv/space/cuda.hpp>

namespace ostinato {

/// While an object of this class lives, products of formats that go by cuda::for_rows() (dia, brcsd-i, brcsd-ii,
/// sliced-ell), with vectors of the matrix' type, leave the sums of w . y over blocks of Partition::block rows in
/// `sums`, and their slot as it is. So sums over several GPUs have the bits of one.
class SumsOfBlocks {
 public:
  SumsOfBlocks(const Cuda& space, double* sums);
  ~SumsOfBlocks();
  SumsOfBlocks(const SumsOfBlocks&) = delete;
  SumsOfBlocks& operator=(const SumsOfBlocks&) = delete;

 private:
  Cuda space_;
};

}  // namespace ostinato
