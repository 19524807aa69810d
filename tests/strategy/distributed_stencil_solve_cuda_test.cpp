// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <ostinato/spmv/team/peer_buffers.hpp>
#include <ostinato/strategy/linear_solver.hpp>

#include "strategy/distributed_stencil_solves.hpp"
#include "support/gpu_ranks.hpp"

namespace ostinato::test::stencil_solves {
namespace {

using CudaRanksStencilSolve = OnGpus;

template <class T>
void expect_bits_of_one_gpu_rank(const Stencil& stencil, const DistributedStencilOptions& options, int gpus = 1) {
  Whole<T> alone;
  on_gpu_ranks({1}, [&](const Team& team, const Cuda& gpu) { alone = solve_on<T>(team, gpu, stencil, options); });
  expect_solved(alone, stencil, options.solve.rtol);
  on_gpu_ranks(
      {2, 3}, [&](const Team& team, const Cuda& gpu) { expect_same(solve_on<T>(team, gpu, stencil, options), alone); },
      gpus);
}

template <class T>
void expect_bits_with_each_preconditioner(double rtol, int gpus) {
  for (const char* const precond : {"none", "jacobi", "chebyshev", "multigrid"}) {
    SCOPED_TRACE(precond);
    expect_bits_of_one_gpu_rank<T>(laplacian_stencil(blocks, true), with("cg", precond, rtol), gpus);
  }
  DistributedStencilOptions mixed = with("cg", "multigrid", rtol);
  mixed.solve.mixed = MixedPrecision::on;
  expect_bits_of_one_gpu_rank<T>(laplacian_stencil(blocks, true), mixed, gpus);
  expect_bits_of_one_gpu_rank<T>(symmetric_by_function(blocks), with("auto", "auto", rtol), gpus);
  expect_bits_of_one_gpu_rank<T>(with_periodic(unsymmetric_stencil({64, 32, 7}, true), 5), with("auto", "auto", rtol),
                                 gpus);
}

TEST_F(CudaRanksStencilSolve, HasTheBitsOfOneRank) { expect_bits_with_each_preconditioner<double>(1e-8, 1); }
TEST_F(CudaRanksStencilSolve, HasTheBitsOfOneRankInFloat) { expect_bits_with_each_preconditioner<float>(1e-4, 1); }

TEST_F(CudaRanksStencilSolve, HasTheBitsOfOneRankOnTwoGpus) {
  if (Cuda::device_count() < 2) GTEST_SKIP() << "needs two GPUs";
  expect_bits_with_each_preconditioner<double>(1e-8, 2);
}

TEST_F(CudaRanksStencilSolve, TakesTheIterationsOfAStencilOnOneGpu) {
  for (const Extents& e : {Extents{128, 128, 128}, Extents{41, 39, 37}, Extents{150, 130, 1}}) {
    const Stencil stencil = laplacian_stencil(e, true);
    const Cuda gpu(0);
    LinearSolver<Cuda, double> solver(gpu, StencilOperator<Cuda, double>(gpu, stencil));
    const Vector<Cuda, double> b(gpu, std::span<const double>(right_hand_side<double>(stencil)));
    Vector<Cuda, double> x(gpu, b.size(), 0.0);
    const SolveResult one = solver.solve(b, x);
    on_gpu_ranks({1, 2, PeerBuffers::most_ranks + 1}, [&](const Team& team, const Cuda& of_rank) {
      const Whole<double> found = solve_on<double>(team, of_rank, stencil, with("auto", "auto"));
      EXPECT_NEAR(found.result.iterations, one.iterations, 1);
      EXPECT_EQ(found.preconditioner, "multigrid");
      expect_solved(found, stencil, 1e-8);
    });
  }
}

}  // namespace
}  // namespace ostinato::test::stencil_solves
