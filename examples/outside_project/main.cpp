// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
//
// Solves a Matrix Market file, or a small Poisson problem when none is named, with the installed library.
//
//   $ OMP_NUM_THREADS=1 build/outside/outside
//   Ostinato 0.2, format dia, preconditioner none: cg: converged after 93 iterations in ...
#include <cstdio>
#include <vector>

#include <ostinato/ostinato.hpp>

int main(int argc, char** argv) try {
  const ostinato::Csr<double> matrix =
      argc > 1 ? ostinato::read_matrix_market<double>(argv[1]) : ostinato::generate<double>("poisson2d", {.n = 50});
  const ostinato::Host space;
  const ostinato::Analysis analysis(space, matrix);  // the operator and the preconditioner share one analysis
  const ostinato::Operator A(analysis);
  const ostinato::AnyPreconditioner M(analysis);
  const std::vector<double> b(static_cast<std::size_t>(A.rows()), 1.0);
  std::vector<double> x(b.size(), 0.0);
  const ostinato::SolveResult result = ostinato::solve(space, A, b, x, M);
  std::printf("Ostinato %d.%d, format %s, preconditioner %s: %s\n", ostinato::version.major, ostinato::version.minor,
              A.format().c_str(), M.name().c_str(), result.message().c_str());
  return result ? 0 : 1;
} catch (const ostinato::Error& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 2;
}
