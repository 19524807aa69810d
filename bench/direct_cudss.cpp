// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include "contest.hpp"
#include "direct_peers.hpp"

#include <string>

#include <ostinato/ostinato.hpp>
#include <ostinato/spmv/analysis/analysis.hpp>
#include <ostinato/spmv/base/timing.hpp>
#include <ostinato/spmv/matrix/space_csr.hpp>
#include <ostinato/spmv/space/cuda/cudss.hpp>
#include <ostinato/spmv/space/vector.hpp>

namespace ostinato::bench {

namespace {

using cuda::Cudss;
using Numbers = std::vector<double>;

constexpr int refinement_steps = 5, one_step = 1;  // CUDSS_CONFIG_IR_N_STEPS

void require(int status, const char* what) {
  if (status != Cudss::success) throw Error(std::string(what) + ": status " + std::to_string(status));
}

/// What a program would do: all phases once, one step of refinement.
Numbers solve_as(int type, const Cuda& space, const Csr<double>& a, const Numbers& b) {
  const Cudss& cudss = Cudss::get();
  const SpaceCsr<Cuda, double> there(space, a.view());
  const CsrView<double> v = there.view();
  Vector<Cuda, double> r(space, b.size()), z(space, b.size());
  space.upload(r.data(), b.data(), b.size() * sizeof(double));
  Cudss::Handle handle = nullptr;
  Cudss::Config config = nullptr;
  Cudss::Data data = nullptr;
  Cudss::Matrix matrix = nullptr, left = nullptr, right = nullptr;
  require(cudss.create(&handle), "cudssCreate");
  require(cudss.set_stream(handle, space.stream()), "cudssSetStream");
  require(cudss.create_config(&config), "cudssConfigCreate");
  require(cudss.set_config(config, refinement_steps, &one_step, sizeof one_step), "cudssConfigSet");
  require(cudss.create_data(handle, &data), "cudssDataCreate");
  require(cudss.create_csr(&matrix, v.rows, v.cols, a.nonzeros(), v.row_ptr.data(), nullptr, v.col.data(), v.val.data(),
                           CUDA_R_64I, CUDA_R_32I, CUDA_R_64F, type, Cudss::full, Cudss::from_zero),
          "cudssMatrixCreateCsr");
  require(cudss.create_vectors(&left, v.rows, 1, v.rows, z.data(), CUDA_R_64F, Cudss::by_columns),
          "cudssMatrixCreateDn");
  require(cudss.create_vectors(&right, v.rows, 1, v.rows, r.data(), CUDA_R_64F, Cudss::by_columns),
          "cudssMatrixCreateDn");
  for (const int phase : {+Cudss::analysis, +Cudss::factorisation, +Cudss::solution})
    require(cudss.execute(handle, phase, config, data, matrix, left, right), "cudssExecute");
  Numbers x(b.size());
  space.download(x.data(), z.data(), x.size() * sizeof(double));
  for (const Cudss::Matrix m : {matrix, left, right}) cudss.destroy_matrix(m);
  cudss.destroy_data(handle, data);
  cudss.destroy_config(config);
  cudss.destroy(handle);
  return x;
}

/// The device is open and its libraries are loaded when the clock starts.
const Cuda& warm_device() {
  static const Cuda space = [] {
    Cuda made;
    Csr<double> small = generate<double>("poisson2d", {.n = 8});
    solve_as(Cudss::general, made, small, Numbers(64, 1));
    return made;
  }();
  return space;
}

}  // namespace

PeerSolve factor_with_cudss(const Csr<double>& a, const Numbers& b) {
  const Structure structure = Analysis<Host, double>(Host(), a).structure();
  const Cuda& space = warm_device();
  const Stopwatch watch;
  PeerSolve s;
  s.x = solve_as(structure.symmetric ? Cudss::symmetric : Cudss::general, space, a, b);
  s.solve = watch.seconds();
  s.status = "converged";
  return s;
}

PeerSolve solve_on_gpu(const Csr<double>& a, const Numbers& b) {
  static const bool is_warm = [] {
    const Csr<double> small = generate<double>("convection-diffusion2d", {.n = 8});
    ostinato::solve(small, Numbers(64, 1), {.device = "cuda"});
    return true;
  }();
  static_cast<void>(is_warm);
  const Stopwatch watch;
  const auto result = ostinato::solve(a, b, {.device = "cuda"});
  PeerSolve s;
  s.solve = watch.seconds();
  s.x.assign(result.x.begin(), result.x.end());
  s.iterations = result.iterations;
  s.status = in_words(result.status);
  for (const Stage& stage : result.stages)
    s.notes += stage.text() + " " + milliseconds(stage.setup_seconds) + " + " + milliseconds(stage.seconds) + " (" +
               std::to_string(stage.iterations) + "), ";
  return s;
}

}  // namespace ostinato::bench
