// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
// Iteration counts against PETSc, on the CPU: the same method, the same preconditioner, rows in the order of the
// matrix, neither matched nor scaled. b = A * ones, x0 = 0, GMRES(50) preconditioned from the right, until the residual
// of A x = b is below 1e-8 of b. Symmetric matrices with a positive diagonal are solved by CG, too.
//
//   bench_counts [NAME ...]      NAME as in bench_spmv, or a Matrix Market file

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include <ostinato/ostinato.hpp>

#include "cases.hpp"
#include "peers.hpp"

namespace {

using namespace ostinato;
using namespace ostinato::bench;

/// The same preconditioner in both libraries.
struct Pair {
  const char* name;
  const char* solver;
  const char* ours;
  const char* theirs;
  int block;  ///< rows of a diagonal block; 0: none
};

#define GMRES "-ksp_type gmres -ksp_gmres_restart 50 -ksp_gmres_cgs_refinement_type refine_always -mat_no_inode "
#define CG "-ksp_type cg -mat_no_inode "
constexpr std::array<Pair, 9> pairs = {{
    {"ILU(0)", "gmres", "ilu0:order=natural,match=no", GMRES "-pc_type ilu", 0},
    {"SOR", "gmres", "ssor:order=natural,sweep=forward", GMRES "-pc_type sor -pc_sor_forward", 0},
    {"SSOR", "gmres", "ssor:order=natural", GMRES "-pc_type sor -pc_sor_symmetric", 0},
    {"SSOR(1.5)", "gmres", "ssor:omega=1.5,order=natural", GMRES "-pc_type sor -pc_sor_symmetric -pc_sor_omega 1.5", 0},
    {"block-Jacobi(4)", "gmres", "block-jacobi:block=4", GMRES "-pc_type vpbjacobi", 4},
    {"IC(0)", "cg", "ic0:order=natural", CG "-pc_type icc", 0},
    {"SSOR", "cg", "ssor:order=natural", CG "-pc_type sor -pc_sor_symmetric", 0},
    {"SSOR(1.5)", "cg", "ssor:omega=1.5,order=natural", CG "-pc_type sor -pc_sor_symmetric -pc_sor_omega 1.5", 0},
    {"block-Jacobi(4)", "cg", "block-jacobi:block=4", CG "-pc_type vpbjacobi", 4},
}};
#undef GMRES
#undef CG

struct Count {
  int iterations = 0;
  std::string trouble;  ///< empty after convergence
};

std::string text(const Count& c) {
  return c.trouble.empty() ? std::to_string(c.iterations) : std::to_string(c.iterations) + ", " + c.trouble;
}

Count our_count(const Analysis<Host, double>& analysis, const Operator<Host, double>& a, const std::vector<double>& b,
                const Pair& pair) {
  try {
    const AnyPreconditioner<Host, double> m(analysis, pair.ours);
    Vector<Host, double> x(analysis.space(), b.size(), 0.0);
    const SolveOptions options{
        .rtol = peer_goal, .max_iterations = peer_iterations, .restart = peer_restart, .history = false};
    const SolveResult r =
        solve(analysis.space(), a, Vector<Host, double>(analysis.space(), b), x, m, pair.solver, options);
    std::string trouble = r ? "" : in_words(r.status);
    if (!m.remarks().empty() && m.remarks().find("shift") != std::string::npos) trouble += " [" + m.remarks() + "]";
    return {r.iterations, trouble};
  } catch (const Error& e) {
    return {0, e.what()};
  }
}

Count their_count(const Csr<double>& a, const std::vector<double>& b, const Pair& pair) {
  const PeerSolve s = solve_with_petsc(a, b, pair.theirs, pair.block);
  return {s.iterations, s.status == "converged" ? "" : s.status};
}

void run(const Host& space, const std::string& name) {
  const Csr<double> a = canonical(load_case(name).matrix.view());
  const Analysis<Host, double> analysis(space, a);
  const Operator<Host, double> op(analysis);
  std::vector<double> b(static_cast<std::size_t>(a.rows), 0);
  for (Index row = 0; row < a.rows; ++row)
    for (Offset k = a.row_ptr[row]; k < a.row_ptr[row + 1]; ++k) b[row] += a.val[k];
  const bool may_be_definite = analysis.structure().symmetric && analysis.structure().positive_diagonal;
  const std::string shown = std::filesystem::path(name).filename().string();
  for (const Pair& pair : pairs) {
    if (std::string(pair.solver) == "cg" && !may_be_definite) continue;
    const Count ours = our_count(analysis, op, b, pair);
    const Count theirs = their_count(a, b, pair);
    std::printf("| %s | %s, %s | %s | %s |", shown.substr(0, shown.find(".mtx")).c_str(), pair.solver, pair.name,
                text(ours).c_str(), text(theirs).c_str());
    if (ours.trouble.empty() && theirs.trouble.empty()) {
      const double ratio = static_cast<double>(ours.iterations) / std::max(1, theirs.iterations);
      std::printf(" %.3f%s |\n", ratio, std::abs(ratio - 1) > 0.05 ? " *" : "");
    } else {
      std::printf(" |\n");
    }
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> names(argv + std::min(argc, 1), argv + argc);
  if (names.empty()) {
    names =
        with_real({"poisson2d:100", "convection-diffusion3d:24"},
                  {"1138_bus", "662_bus", "bcsstk16", "Dubcova1", "cage10", "memplus", "sherman3", "wang3", "xenon1"});
  }
  try {
    std::printf("| matrix | method | Ostinato | PETSc | ratio, * beyond 5 %% |\n|---|---|---|---|---|\n");
    const Host space;
    for (const std::string& name : names) run(space, name);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "bench_counts: %s\n", e.what());
    return 1;
  }
}
