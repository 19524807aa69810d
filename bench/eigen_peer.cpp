// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <Eigen/Sparse>
#include <unsupported/Eigen/IterativeSolvers>

#include <ostinato/spmv/base/timing.hpp>

#include "peers.hpp"

namespace ostinato::bench {

namespace {

using Matrix = Eigen::SparseMatrix<double, Eigen::RowMajor, int>;

template <class Method>
PeerSolve run(Method& method, const Matrix& a, const Eigen::VectorXd& b) {
  PeerSolve s;
  method.setTolerance(peer_goal);
  method.setMaxIterations(peer_iterations);
  method.preconditioner().setDroptol(1e-4);
  method.preconditioner().setFillfactor(10);
  Stopwatch watch;
  method.compute(a);
  s.setup = watch.lap();
  const Eigen::VectorXd x = method.solve(b);
  s.solve = watch.lap();
  s.x.assign(x.begin(), x.end());
  s.iterations = static_cast<int>(method.iterations());
  s.status = method.info() == Eigen::Success         ? "converged"
             : method.info() == Eigen::NoConvergence ? "iteration limit"
                                                     : "numerical issue";
  return s;
}

}  // namespace

PeerSolve solve_with_eigen(const Csr<double>& a, const std::vector<double>& b, bool gmres) {
  const std::vector<int> row_ptr(a.row_ptr.begin(), a.row_ptr.end());
  const Matrix matrix =
      Eigen::Map<const Matrix>(a.rows, a.cols, a.nonzeros(), row_ptr.data(), a.col.data(), a.val.data());
  const Eigen::VectorXd right = Eigen::Map<const Eigen::VectorXd>(b.data(), a.rows);
  if (gmres) {
    Eigen::GMRES<Matrix, Eigen::IncompleteLUT<double>> method;
    method.set_restart(peer_restart);
    return run(method, matrix, right);
  }
  Eigen::BiCGSTAB<Matrix, Eigen::IncompleteLUT<double>> method;
  return run(method, matrix, right);
}

}  // namespace ostinato::bench
