// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
//
// Steady convection and diffusion in a slanting flow: -epsilon laplace(u) + v.grad(u) = f on a square, upwind.
//
// The stronger the flow (peclet), the less symmetric the matrix. Restarted GMRES with the Jacobi preconditioner solves
// all four systems. b = A 1, so the solution is known. The example also sets the restart length and a callback.
//
//   $ OMP_NUM_THREADS=1 build/release/examples/convection_diffusion
//   peclet  solver  format  iterations  ||b - A x|| / ||b||    error
//      0.1  gmres   dia            314              9.3e-11  2.4e-09
//      1.0  gmres   dia            352              9.9e-11  1.4e-09
//     10.0  gmres   dia            399              9.6e-11  3.8e-10
//    100.0  gmres   dia            506              9.5e-11  3.5e-10
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include <ostinato/ostinato.hpp>

int main() {
  const ostinato::Host space;
  bool all_converged = true;
  std::printf("peclet  solver  format  iterations  ||b - A x|| / ||b||    error\n");
  for (const double peclet : {0.1, 1.0, 10.0, 100.0}) {
    const auto matrix = ostinato::generate<double>("convection-diffusion2d", {.n = 50, .peclet = peclet});
    const ostinato::Operator A(space, matrix);
    const ostinato::Jacobi M(space, matrix);

    const std::vector<double> ones(matrix.row_ptr.size() - 1, 1.0);
    std::vector<double> b(ones.size()), x(ones.size(), 0.0);
    A.apply(1, ones, 0, b);  // b = A 1

    double worst = 0;
    ostinato::SolveOptions options;
    options.rtol = 1e-10;
    options.restart = 40;
    options.callback = [&worst](const ostinato::Iteration& now) {
      worst = std::max(worst, now.relative_residual);
      return true;  // false would end the solve with Status::interrupted
    };
    const ostinato::SolveResult result = ostinato::gmres(space, A, b, x, M, options);

    double error = 0;
    for (const double value : x) error = std::fmax(error, std::fabs(value - 1));
    std::printf("%6.1f  %-6s  %-6s  %10d  %19.1e  %.1e\n", peclet, result.solver.c_str(), A.format().c_str(),
                result.iterations, result.relative_residual, error);
    all_converged = all_converged && result && worst <= 1 && error < 1e-6;
  }
  return all_converged ? 0 : 1;
}
