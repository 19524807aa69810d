// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include "baseline.hpp"

#include <Eigen/Sparse>

#include <random>

#include <ostinato/spmv/timing.hpp>

namespace ostinato::bench {

std::vector<double> random_vector(std::size_t n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<double> x(n);
  for (double& value : x) value = uniform(random);
  return x;
}

Baseline eigen_product(const Host& host, const CsrView<double>& a, const std::vector<double>& x) {
  Eigen::setNbThreads(host.threads());
  const std::vector<int> row_ptr(a.row_ptr.begin(), a.row_ptr.end());
  const Eigen::Map<const Eigen::SparseMatrix<double, Eigen::RowMajor, int>> matrix(
      a.rows, a.cols, a.nonzeros(), row_ptr.data(), a.col.data(), a.val.data());
  const Eigen::Map<const Eigen::VectorXd> in(x.data(), a.cols);
  Eigen::VectorXd out(a.rows);
  Baseline b{"Eigen"};
  b.seconds = median_seconds(host, 15, [&] { out.noalias() = matrix * in; });
  b.graph_seconds = b.seconds;
  return b;
}

}  // namespace ostinato::bench
