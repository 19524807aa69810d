// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <ostinato/spmv/csr.hpp>
#include <ostinato/spmv/cuda.hpp>
#include <ostinato/spmv/host.hpp>

namespace ostinato::bench {

/// One of the vendor's ways to do y = A x.
struct Baseline {
  std::string name;
  double seconds = 0;        ///< a product, median
  double cold_seconds = 0;   ///< the same with nothing of it in the caches; 0 on the host
  double graph_seconds = 0;  ///< the same in a CUDA graph of products, as solvers run it; on the host as seconds
};

/// cuSPARSE: CSR ALG1 and ALG2 with preprocessing, sliced ELL and, where blocks fill well, BSR. `a` is on the host.
std::vector<Baseline> cusparse_products(const Cuda& space, const CsrView<double>& a, const std::vector<double>& x);

/// Conjugate gradients as a textbook has it: cuSPARSE (the named product) and cuBLAS, scalars on the host. Seconds an
/// iteration.
double cusparse_cg_seconds(const Cuda& space, const CsrView<double>& a, const std::string& product, int iterations);

/// A product with nothing of it in the caches, median: five times as much as the second-level cache holds is written
/// before each. On the host 0: not measured.
double cold_seconds(const Cuda& space, const std::function<void()>& product);
inline double cold_seconds(const Host&, const std::function<void()>&) { return 0; }

/// A product in a CUDA graph of many, one after the other, median: what the host needs to launch it isn't in there.
double graph_seconds(const Cuda& space, const std::function<void()>& product);

/// Eigen's row-major product, on all threads.
Baseline eigen_product(const Host& host, const CsrView<double>& a, const std::vector<double>& x);

/// Reproducible numbers between -1 and 1.
std::vector<double> random_vector(std::size_t n, std::uint64_t seed);

}  // namespace ostinato::bench
