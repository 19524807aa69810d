// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
// The systems of bench_multigrid with PETSc: CG with hypre's BoomerAMG and with GAMG, for the same random right-hand
// side, x0 = 0, until the residual is 1e-8 of b. Set-up is from an assembled matrix until the preconditioner is ready.
// The second of two runs counts. Times are those of the slowest rank, CPU times the sum over ranks. "times A" are the
// entries of all levels over those of A; 0 for BoomerAMG, which prints its own with the option below.
//
//   OMP_NUM_THREADS=1 mpirun -n 2 bench_petsc [OPTION=VALUE | NAME ...]
//
// NAME as in bench_spmv, or a Matrix Market file. OPTION is one of PETSc's, for all peers and the names behind, such as
// -pc_hypre_boomeramg_print_statistics=1.

#include <petscksp.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "baseline.hpp"
#include "cases.hpp"

namespace {

using namespace ostinato;
using namespace ostinato::bench;

struct Peer {
  const char* name;
  const char* options;  ///< for PETSc's table of options; {} becomes the strong threshold
};

/// HMIS, ext+i and four entries a row of the interpolation are what hypre's manual advises for large problems in 3-D;
/// the aggressive variant coarsens the finest grid twice. GAMG has its defaults.
constexpr std::array<Peer, 3> peers = {{
    {"BoomerAMG",
     "-pc_type hypre -pc_hypre_type boomeramg -pc_hypre_boomeramg_coarsen_type HMIS "
     "-pc_hypre_boomeramg_interp_type ext+i -pc_hypre_boomeramg_P_max 4 -pc_hypre_boomeramg_agg_nl 0 "
     "-pc_hypre_boomeramg_strong_threshold {}"},
    {"BoomerAMG, aggressive",
     "-pc_type hypre -pc_hypre_type boomeramg -pc_hypre_boomeramg_coarsen_type HMIS "
     "-pc_hypre_boomeramg_interp_type ext+i -pc_hypre_boomeramg_P_max 4 -pc_hypre_boomeramg_agg_nl 1 "
     "-pc_hypre_boomeramg_strong_threshold {}"},
    {"GAMG", "-pc_type gamg"},
}};

void check(PetscErrorCode code) {
  if (code != 0) throw Error("PETSc: error " + std::to_string(code));
}

/// Each rank makes the whole matrix and hands its rows over.
Mat own_rows(const Csr<double>& a) {
  Mat m = nullptr;
  check(MatCreate(PETSC_COMM_WORLD, &m));
  check(MatSetSizes(m, PETSC_DECIDE, PETSC_DECIDE, a.rows, a.cols));
  check(MatSetType(m, MATAIJ));
  check(MatSetUp(m));
  PetscInt begin = 0, end = 0;
  check(MatGetOwnershipRange(m, &begin, &end));
  std::vector<PetscInt> row_ptr;
  for (PetscInt row = begin; row <= end; ++row)
    row_ptr.push_back(static_cast<PetscInt>(a.row_ptr[row] - a.row_ptr[begin]));
  const std::vector<PetscInt> col(a.col.begin() + a.row_ptr[begin], a.col.begin() + a.row_ptr[end]);
  check(MatDestroy(&m));
  check(MatCreateMPIAIJWithArrays(PETSC_COMM_WORLD, end - begin, end - begin, a.rows, a.cols, row_ptr.data(),
                                  col.data(), a.val.data() + a.row_ptr[begin], &m));
  return m;
}

Vec own_part(Mat m, const std::vector<double>& values) {
  Vec v = nullptr;
  check(MatCreateVecs(m, nullptr, &v));
  PetscInt begin = 0, end = 0;
  check(VecGetOwnershipRange(v, &begin, &end));
  PetscScalar* own = nullptr;
  check(VecGetArray(v, &own));
  std::copy(values.begin() + begin, values.begin() + end, own);
  check(VecRestoreArray(v, &own));
  return v;
}

struct Figures {
  double setup = 0, solve = 0, residual = 0;
  double setup_cpu = 0, solve_cpu = 0;  ///< seconds of all ranks
  double complexity = 0;                ///< entries on all levels over those of the matrix; 0: unknown
  PetscInt iterations = 0;
  bool converged = false;
};

double slowest(double seconds) {
  double most = 0;
  MPI_Allreduce(&seconds, &most, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD);
  return most;
}

double of_all_ranks(double seconds) {
  double total = 0;
  MPI_Allreduce(&seconds, &total, 1, MPI_DOUBLE, MPI_SUM, PETSC_COMM_WORLD);
  return total;
}

double relative_residual(Mat m, Vec b, Vec x) {
  Vec r = nullptr;
  check(VecDuplicate(b, &r));
  check(MatResidual(m, b, x, r));
  double left = 0, whole = 0;
  check(VecNorm(r, NORM_2, &left));
  check(VecNorm(b, NORM_2, &whole));
  check(VecDestroy(&r));
  return left / whole;
}

Figures measure(Mat m, Vec b, const std::string& options) {
  check(PetscOptionsClear(nullptr));
  check(PetscOptionsInsertString(nullptr, options.c_str()));
  Figures f;
  Vec x = nullptr;
  check(VecDuplicate(b, &x));
  check(VecSet(x, 0));
  KSP ksp = nullptr;
  check(KSPCreate(PETSC_COMM_WORLD, &ksp));
  check(KSPSetOperators(ksp, m, m));
  check(KSPSetType(ksp, KSPCG));
  check(KSPSetNormType(ksp, KSP_NORM_UNPRECONDITIONED));
  check(KSPSetTolerances(ksp, 1e-8, 1e-300, PETSC_DEFAULT, 1000));
  check(KSPSetFromOptions(ksp));
  MPI_Barrier(PETSC_COMM_WORLD);
  double start = MPI_Wtime(), cpu = cpu_seconds();
  check(KSPSetUp(ksp));
  check(KSPSetUpOnBlocks(ksp));
  f.setup = slowest(MPI_Wtime() - start);
  f.setup_cpu = of_all_ranks(cpu_seconds() - cpu);
  PC pc = nullptr;
  PetscReal points = 0;
  check(KSPGetPC(ksp, &pc));
  PetscBool is_gamg = PETSC_FALSE;
  check(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(pc), PCGAMG, &is_gamg));
  if (is_gamg) check(PCMGGetGridComplexity(pc, &points, &f.complexity));
  MPI_Barrier(PETSC_COMM_WORLD);
  start = MPI_Wtime();
  cpu = cpu_seconds();
  check(KSPSolve(ksp, b, x));
  f.solve = slowest(MPI_Wtime() - start);
  f.solve_cpu = of_all_ranks(cpu_seconds() - cpu);
  KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
  check(KSPGetConvergedReason(ksp, &reason));
  f.converged = reason > 0;
  check(KSPGetIterationNumber(ksp, &f.iterations));
  f.residual = relative_residual(m, b, x);
  check(KSPDestroy(&ksp));
  check(VecDestroy(&x));
  return f;
}

void run(const std::string& name, const std::string& more) {
  const Case c = load_case(name);
  Mat m = own_rows(c.matrix);
  Vec b = own_part(m, random_vector(static_cast<std::size_t>(c.matrix.rows), 2));
  const char* const threshold = name.find("3d") != std::string::npos ? "0.5" : "0.25";
  for (const Peer& peer : peers) {
    std::string options = peer.options;
    if (const std::size_t at = options.find("{}"); at != std::string::npos) options.replace(at, 2, threshold);
    options += more;
    measure(m, b, options);
    const Figures f = measure(m, b, options);
    check(PetscPrintf(PETSC_COMM_WORLD, "| %s | %s | %.1f | %.1f | %.1f | %d%s | %.1e | %.1f | %.1f | %.2f |\n",
                      name.c_str(), peer.name, f.setup * 1e3, f.solve * 1e3, (f.setup + f.solve) * 1e3,
                      static_cast<int>(f.iterations), f.converged ? "" : " not converged", f.residual,
                      f.setup_cpu * 1e3, f.solve_cpu * 1e3, f.complexity));
  }
  check(VecDestroy(&b));
  check(MatDestroy(&m));
}

}  // namespace

int main(int argc, char** argv) {
  if (PetscInitialize(nullptr, nullptr, nullptr, nullptr) != 0) return 1;
  std::vector<std::string> names(argv + 1, argv + argc);
  if (names.empty()) names = {"poisson3d:96", "poisson3d:64", "poisson2d:1024", "variable3d:64"};
  int ranks = 0, code = 0;
  MPI_Comm_size(PETSC_COMM_WORLD, &ranks);
  try {
    check(PetscPrintf(PETSC_COMM_WORLD, "PETSc %d.%d.%d, %d ranks\n\n", PETSC_VERSION_MAJOR, PETSC_VERSION_MINOR,
                      PETSC_VERSION_SUBMINOR, ranks));
    check(PetscPrintf(
        PETSC_COMM_WORLD,
        "| matrix | CG with | set-up ms | solve ms | total ms | iterations | residual | CPU ms of set-up | CPU ms of "
        "solve | times A |\n"
        "|---|---|---|---|---|---|---|---|---|---|\n"));
    std::string more;
    for (std::string name : names) {
      if (name[0] != '-') {
        run(name, more);
        continue;
      }
      std::replace(name.begin(), name.end(), '=', ' ');
      more += " " + name;
    }
  } catch (const std::exception& e) {
    std::fprintf(stderr, "bench_petsc: %s\n", e.what());
    code = 1;
  }
  PetscFinalize();
  return code;
}
