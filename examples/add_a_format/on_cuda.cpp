// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include "on_cuda.hpp"

#include <cmath>
#include <cstdio>
#include <span>
#include <string>
#include <vector>

#include <ostinato/ostinato.hpp>
#include <ostinato/spmv/formats/list.hpp>

#include "padded_columns.hpp"

using ostinato::Cuda;

bool show_on_cuda(const ostinato::Csr<double>& matrix) {
  if (Cuda::device_count() == 0) {
    std::printf("no GPU: %s\n", Cuda::why_absent().c_str());
    return true;
  }
  const Cuda space;
  const auto formats = ostinato::format_list<Cuda, double>().with<PaddedColumns<double>>();  // the line for GPUs
  const ostinato::Analysis analysis(space, matrix);
  const ostinato::Operator A(analysis, {.format = "padded-columns"}, formats);
  const ostinato::Operator csr(analysis, ostinato::FormatOptions{.format = "csr"});

  const std::vector<double> ones(static_cast<std::size_t>(A.rows()), 1.0);
  const ostinato::Vector<Cuda, double> b(space, std::span<const double>(ones));
  ostinato::Vector<Cuda, double> x(space, ones.size(), 0.0), y(space, ones.size()), z(space, ones.size());
  A.apply(1, b, 0, y);
  csr.apply(1, b, 0, z);
  const std::vector<double> ours = y.download(), theirs = z.download();
  double difference = 0;
  for (std::size_t i = 0; i < ours.size(); ++i) difference = std::fmax(difference, std::fabs(ours[i] - theirs[i]));

  const ostinato::Jacobi M(analysis);
  const ostinato::SolveResult result = ostinato::gmres(space, A, b, x, M);
  std::printf("on the GPU: %s in format %s: %s after %d iterations\n", result.solver.c_str(), A.format().c_str(),
              in_words(result.status).c_str(), result.iterations);
  return result && A.format() == "padded-columns" && difference < 1e-12;
}
