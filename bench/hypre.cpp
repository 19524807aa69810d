// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
// hypre's BoomerAMG with CG on a GPU, on the systems of bench_multigrid: random right-hand side, x0 = 0, to 1e-8. The
// matrix is in the memory of the GPU. The second of two runs counts.
//
//   bench_hypre NAME ...
//
// NAME as in bench_multigrid. Two lines a matrix: PMIS, extended+i interpolation in matrix form with 4 entries a row
// and l1-Jacobi V(1,1), which GPUs can do; and the same with one aggressive level and extended+e interpolation. The
// residual is recomputed on the host.
//
// Needs hypre built with `./configure --without-MPI --with-cuda --enable-device-malloc-async`.

#include <HYPRE.h>
#include <HYPRE_IJ_mv.h>
#include <HYPRE_krylov.h>
#include <HYPRE_parcsr_ls.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <string>
#include <vector>

#include <ostinato/ostinato.hpp>
#include <ostinato/spmv/base/timing.hpp>

#include "baseline.hpp"
#include "cases.hpp"

namespace {

using namespace ostinato;
using namespace ostinato::bench;

void check(HYPRE_Int code) {
  if (code == 0) return;
  char text[256];
  HYPRE_DescribeError(code, text);
  throw Error("hypre: " + std::string(text));
}

void wait_for_gpu() {
  if (cudaDeviceSynchronize() != cudaSuccess) throw Error("hypre left an error on the GPU");
}

/// A vector of hypre's in the memory of the GPU.
class HypreVector {
 public:
  HypreVector(const Cuda& space, const std::vector<double>& values) {
    const auto n = static_cast<HYPRE_Int>(values.size());
    check(HYPRE_IJVectorCreate({}, 0, n - 1, &ij_));
    check(HYPRE_IJVectorSetObjectType(ij_, HYPRE_PARCSR));
    check(HYPRE_IJVectorInitialize_v2(ij_, HYPRE_MEMORY_DEVICE));
    const Vector<Cuda, double> uploaded(space, values);
    space.wait();
    check(HYPRE_IJVectorSetValues(ij_, n, nullptr, uploaded.data()));
    check(HYPRE_IJVectorAssemble(ij_));
    void* object = nullptr;
    check(HYPRE_IJVectorGetObject(ij_, &object));
    vector_ = static_cast<HYPRE_ParVector>(object);
    wait_for_gpu();
  }
  HypreVector(const HypreVector&) = delete;
  HypreVector& operator=(const HypreVector&) = delete;
  ~HypreVector() { HYPRE_IJVectorDestroy(ij_); }

  HYPRE_ParVector get() const { return vector_; }
  std::vector<double> download(const Cuda& space, std::size_t n) const {
    Vector<Cuda, double> values(space, n);
    space.wait();
    check(HYPRE_IJVectorGetValues(ij_, static_cast<HYPRE_Int>(n), nullptr, values.data()));
    wait_for_gpu();
    return values.download();
  }

 private:
  HYPRE_IJVector ij_ = nullptr;
  HYPRE_ParVector vector_ = nullptr;
};

/// A matrix of hypre's in the memory of the GPU.
class HypreMatrix {
 public:
  HypreMatrix(const Cuda& space, const CsrView<double>& a) {
    const auto last = static_cast<HYPRE_Int>(a.rows - 1);
    std::vector<HYPRE_Int> counts, rows(static_cast<std::size_t>(a.rows)), col(a.col.begin(), a.col.end());
    for (std::size_t i = 0; i < rows.size(); ++i)
      counts.push_back(static_cast<HYPRE_Int>(a.row_ptr[i + 1] - a.row_ptr[i]));
    std::iota(rows.begin(), rows.end(), 0);
    const auto up = [&](const std::vector<HYPRE_Int>& v) {
      return Vector<Cuda, HYPRE_Int>(space, std::span<const HYPRE_Int>(v));
    };
    Vector<Cuda, HYPRE_Int> device_counts = up(counts);
    const Vector<Cuda, HYPRE_Int> device_rows = up(rows), device_col = up(col);
    const Vector<Cuda, double> val(space, a.val);
    space.wait();
    check(HYPRE_IJMatrixCreate({}, 0, last, 0, last, &ij_));
    check(HYPRE_IJMatrixSetObjectType(ij_, HYPRE_PARCSR));
    check(HYPRE_IJMatrixInitialize_v2(ij_, HYPRE_MEMORY_DEVICE));
    check(HYPRE_IJMatrixSetValues(ij_, last + 1, device_counts.data(), device_rows.data(), device_col.data(),
                                  val.data()));
    check(HYPRE_IJMatrixAssemble(ij_));
    void* object = nullptr;
    check(HYPRE_IJMatrixGetObject(ij_, &object));
    matrix_ = static_cast<HYPRE_ParCSRMatrix>(object);
    wait_for_gpu();
  }
  HypreMatrix(const HypreMatrix&) = delete;
  HypreMatrix& operator=(const HypreMatrix&) = delete;
  ~HypreMatrix() { HYPRE_IJMatrixDestroy(ij_); }

  HYPRE_ParCSRMatrix get() const { return matrix_; }

 private:
  HYPRE_IJMatrix ij_ = nullptr;
  HYPRE_ParCSRMatrix matrix_ = nullptr;
};

/// CG with BoomerAMG.
class Boomer {
 public:
  explicit Boomer(bool aggressive) {
    check(HYPRE_BoomerAMGCreate(&amg_));
    check(HYPRE_BoomerAMGSetPrintLevel(amg_, 0));
    check(HYPRE_BoomerAMGSetCoarsenType(amg_, 8));  // PMIS
    check(HYPRE_BoomerAMGSetInterpType(amg_, aggressive ? 18 : 17));
    check(HYPRE_BoomerAMGSetPMaxElmts(amg_, 4));
    check(HYPRE_BoomerAMGSetAggNumLevels(amg_, aggressive ? 1 : 0));
    check(HYPRE_BoomerAMGSetAggInterpType(amg_, 7));
    check(HYPRE_BoomerAMGSetAggPMaxElmts(amg_, 4));
    check(HYPRE_BoomerAMGSetRelaxType(amg_, 18));  // l1-Jacobi
    check(HYPRE_BoomerAMGSetRelaxOrder(amg_, 0));
    check(HYPRE_BoomerAMGSetNumSweeps(amg_, 1));
    check(HYPRE_BoomerAMGSetTol(amg_, 0));
    check(HYPRE_BoomerAMGSetMaxIter(amg_, 1));
    check(HYPRE_BoomerAMGSetKeepTranspose(amg_, 1));
    check(HYPRE_ParCSRPCGCreate({}, &cg_));
    check(HYPRE_PCGSetTol(cg_, 1e-8));
    check(HYPRE_PCGSetMaxIter(cg_, 2000));
    check(HYPRE_PCGSetTwoNorm(cg_, 1));
    check(HYPRE_PCGSetPrecond(cg_, reinterpret_cast<HYPRE_PtrToSolverFcn>(HYPRE_BoomerAMGSolve),
                              reinterpret_cast<HYPRE_PtrToSolverFcn>(HYPRE_BoomerAMGSetup), amg_));
  }
  Boomer(const Boomer&) = delete;
  Boomer& operator=(const Boomer&) = delete;
  ~Boomer() {
    HYPRE_ParCSRPCGDestroy(cg_);
    HYPRE_BoomerAMGDestroy(amg_);
  }

  void set_up(const HypreMatrix& a, const HypreVector& b, const HypreVector& x) {
    check(HYPRE_ParCSRPCGSetup(cg_, a.get(), b.get(), x.get()));
  }
  /// Returns the iterations.
  int solve(const HypreMatrix& a, const HypreVector& b, const HypreVector& x) {
    const HYPRE_Int code = HYPRE_ParCSRPCGSolve(cg_, a.get(), b.get(), x.get());
    if (code != 0) HYPRE_ClearAllErrors();  // such as an iteration limit: the residual shows that
    HYPRE_Int iterations = 0;
    check(HYPRE_PCGGetNumIterations(cg_, &iterations));
    return static_cast<int>(iterations);
  }

 private:
  HYPRE_Solver amg_ = nullptr, cg_ = nullptr;
};

double relative_residual(const CsrView<double>& a, const std::vector<double>& x, const std::vector<double>& b) {
  double residual = 0, size = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    double r = b[i];
    for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k)
      r -= a.val[k] * x[static_cast<std::size_t>(a.col[k])];
    residual += r * r;
    size += b[i] * b[i];
  }
  return std::sqrt(residual / size);
}

void run(const std::vector<std::string>& names) {
  const Cuda space;
  std::printf("%s, hypre %s\n\n", space.description().c_str(), HYPRE_RELEASE_VERSION);
  std::printf(
      "| matrix | rows | options | set-up ms | iterations | solve ms | residual |\n|---|---|---|---|---|---|---|\n");
  for (const std::string& name : names) {
    const Csr<double> host = load_case(name).matrix;
    const auto n = static_cast<std::size_t>(host.rows);
    const std::vector<double> b = random_vector(n, 2);
    const HypreMatrix a(space, host.view());
    const HypreVector rhs(space, b);
    for (const bool aggressive : {false, true}) {
      for (int turn = 0; turn < 2; ++turn) {
        const HypreVector x(space, std::vector<double>(n, 0.0));
        Boomer solver(aggressive);
        wait_for_gpu();
        Stopwatch watch;
        solver.set_up(a, rhs, x);
        wait_for_gpu();
        const double setup = watch.lap();
        const int iterations = solver.solve(a, rhs, x);
        wait_for_gpu();
        const double seconds = watch.lap();
        if (turn == 0) continue;
        std::printf("| %s | %zu | %s | %.1f | %d | %.1f | %.1e |\n", name.c_str(), n,
                    aggressive ? "aggressive, ext+e" : "ext+i", setup * 1e3, iterations, seconds * 1e3,
                    relative_residual(host.view(), x.download(space, n), b));
        std::fflush(stdout);
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    HYPRE_Initialize();
    HYPRE_SetMemoryLocation(HYPRE_MEMORY_DEVICE);
    HYPRE_SetExecutionPolicy(HYPRE_EXEC_DEVICE);
    HYPRE_SetSpGemmUseVendor(0);
    HYPRE_SetUseGpuRand(1);
    run({argv + 1, argv + argc});
    HYPRE_Finalize();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "bench_hypre: %s\n", e.what());
    return 1;
  }
}
