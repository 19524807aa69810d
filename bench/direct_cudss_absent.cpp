// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include "direct_peers.hpp"

#include <ostinato/spmv/base/error.hpp>

namespace ostinato::bench {

PeerSolve factor_with_cudss(const Csr<double>&, const std::vector<double>&) { throw Error("built without CUDA"); }
PeerSolve solve_on_gpu(const Csr<double>&, const std::vector<double>&) { throw Error("built without CUDA"); }

}  // namespace ostinato::bench
