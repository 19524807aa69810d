// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include "baseline.hpp"

#include <Eigen/Sparse>

#include <memory>
#include <random>

namespace ostinato::bench {

std::vector<double> random_vector(std::size_t n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<double> x(n);
  for (double& value : x) value = uniform(random);
  return x;
}

TimedProduct eigen_product(const Host& host, const CsrView<double>& a, const std::vector<double>& x) {
  using Matrix = Eigen::Map<const Eigen::SparseMatrix<double, Eigen::RowMajor, int>>;
  struct Memory {
    std::vector<int> row_ptr;
    Eigen::VectorXd in, out;
  };
  Eigen::setNbThreads(host.threads());
  const auto memory = std::make_shared<Memory>();
  memory->row_ptr.assign(a.row_ptr.begin(), a.row_ptr.end());
  memory->in = Eigen::Map<const Eigen::VectorXd>(x.data(), a.cols);
  memory->out.resize(a.rows);
  const Matrix matrix(a.rows, a.cols, a.nonzeros(), memory->row_ptr.data(), a.col.data(), a.val.data());
  TimedProduct p{"Eigen", [memory, matrix] { memory->out.noalias() = matrix * memory->in; }};
  time_product(host, a.nonzeros(), p);
  return p;
}

}  // namespace ostinato::bench
