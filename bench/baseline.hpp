// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <ostinato/spmv/csr.hpp>
#include <ostinato/spmv/cuda.hpp>
#include <ostinato/spmv/host.hpp>

namespace ostinato::bench {

/// One of the vendor's ways to do y = A x.
struct Baseline {
  std::string name;
  double seconds = 0;        ///< a product, median; 0 when it could not be done
  double setup_seconds = 0;  ///< conversion from CSR and preprocessing
};

/// cuSPARSE: CSR ALG1 and ALG2 with preprocessing, sliced ELL and, where blocks fill well, BSR. Columns of `a` are on the
/// host.
std::vector<Baseline> cusparse_products(const Cuda& space, const CsrView<double>& a, const std::vector<double>& x);

/// Conjugate gradients as a textbook has it: cuSPARSE (the named product) and cuBLAS, scalars on the host. Seconds an
/// iteration.
double cusparse_cg_seconds(const Cuda& space, const CsrView<double>& a, const std::string& product, int iterations);

/// Eigen's row-major product, on all threads.
Baseline eigen_product(const Host& host, const CsrView<double>& a, const std::vector<double>& x);

/// Reproducible numbers between -1 and 1.
std::vector<double> random_vector(std::size_t n, std::uint64_t seed);

}  // namespace ostinato::bench
