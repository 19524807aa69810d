// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <petscksp.h>

#include <algorithm>
#include <cstdlib>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/timing.hpp>

#include "peers.hpp"

namespace ostinato::bench {

namespace {

void check(PetscErrorCode code) {
  if (code != 0) throw Error("PETSc: error " + std::to_string(code));
}

/// Without mpirun, on one rank. Open MPI then starts a process of its own, unless it is told that nobody will join.
void start() {
  PetscBool has_begun = PETSC_FALSE;
  check(PetscInitialized(&has_begun));
  if (has_begun) return;
  setenv("OMPI_MCA_ess_singleton_isolated", "1", 0);
  check(PetscInitializeNoArguments());
  check(PetscPushErrorHandler(PetscReturnErrorHandler, nullptr));
}

std::string in_words(KSPConvergedReason reason) {
  switch (reason) {
    case KSP_DIVERGED_ITS:
      return "iteration limit";
    case KSP_DIVERGED_DTOL:
      return "diverged";
    case KSP_DIVERGED_PC_FAILED:
      return "no factors";
    case KSP_DIVERGED_INDEFINITE_PC:
    case KSP_DIVERGED_INDEFINITE_MAT:
      return "indefinite";
    case KSP_DIVERGED_BREAKDOWN:
    case KSP_DIVERGED_BREAKDOWN_BICG:
      return "breakdown";
    case KSP_DIVERGED_NANORINF:
      return "not finite";
    default:
      return reason > 0 ? "converged" : "diverged (" + std::to_string(reason) + ")";
  }
}

Vec vector_of(const std::vector<double>& values) {
  Vec v = nullptr;
  check(VecCreateSeqWithArray(PETSC_COMM_SELF, 1, static_cast<PetscInt>(values.size()), values.data(), &v));
  return v;
}

}  // namespace

PeerSolve solve_with_petsc(const Csr<double>& a, const std::vector<double>& b, const std::string& options, int block) {
  start();
  check(PetscOptionsClear(nullptr));
  check(PetscOptionsInsertString(nullptr, options.c_str()));
  // PETSc wants the row pointers in its own type, and may write into all three arrays.
  std::vector<PetscInt> row_ptr(a.row_ptr.begin(), a.row_ptr.end()), col(a.col.begin(), a.col.end());
  std::vector<PetscScalar> val(a.val.begin(), a.val.end());
  PeerSolve s;
  s.x.assign(b.size(), 0.0);
  Mat m = nullptr;
  check(MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, a.rows, a.cols, row_ptr.data(), col.data(), val.data(), &m));
  check(MatSetFromOptions(m));
  if (block > 0) {
    std::vector<PetscInt> sizes;
    for (Index row = 0; row < a.rows; row += block) sizes.push_back(std::min<PetscInt>(block, a.rows - row));
    check(MatSetVariableBlockSizes(m, static_cast<PetscInt>(sizes.size()), sizes.data()));
  }
  Vec right = vector_of(b), x = vector_of(s.x);
  KSP ksp = nullptr;
  check(KSPCreate(PETSC_COMM_SELF, &ksp));
  check(KSPSetOperators(ksp, m, m));
  check(KSPSetTolerances(ksp, peer_goal, 1e-300, 1e10, peer_iterations));
  check(KSPSetFromOptions(ksp));
  PetscBool takes_right = PETSC_FALSE;
  check(PetscObjectTypeCompareAny(reinterpret_cast<PetscObject>(ksp), &takes_right, KSPGMRES, KSPFGMRES, KSPBCGS, ""));
  if (takes_right) check(KSPSetPCSide(ksp, PC_RIGHT));
  check(KSPSetNormType(ksp, KSP_NORM_UNPRECONDITIONED));
  Stopwatch watch;
  // An error in here, such as a diagonal entry that is missing, is an answer.
  PetscErrorCode code = KSPSetUp(ksp);
  if (code == 0) code = KSPSetUpOnBlocks(ksp);
  s.setup = watch.lap();
  if (code == 0) code = KSPSolve(ksp, right, x);
  s.solve = watch.lap();
  if (code != 0) {
    s.status = code == PETSC_ERR_ARG_WRONGSTATE ? "missing diagonal entry" : "error " + std::to_string(code);
  } else {
    KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
    check(KSPGetConvergedReason(ksp, &reason));
    s.status = in_words(reason);
    PetscInt iterations = 0;
    check(KSPGetIterationNumber(ksp, &iterations));
    s.iterations = static_cast<int>(iterations);
  }
  check(KSPDestroy(&ksp));
  check(VecDestroy(&right));
  check(VecDestroy(&x));
  check(MatDestroy(&m));
  return s;
}

}  // namespace ostinato::bench
