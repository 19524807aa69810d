// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include "paper.hpp"

namespace ostinato::cli {

namespace {

/// The paper names none of its 200 matrices of the collection. Those of yaspmv are among the collection's best known.
std::vector<PaperMatrix> matrices_of_collection() {
  const auto all = yaspmv().matrices.subspan(1);  // without Dense
  std::vector<PaperMatrix> matrices(all.begin(), all.end());
  for (PaperMatrix& m : matrices) {
    m.ratios = {};
    m.milliseconds = 0;
  }
  return matrices;
}

}  // namespace

Paper crs_kepler() {
  static const std::vector<PaperMatrix> matrices = matrices_of_collection();
  return {
      .name = "crs-kepler",
      .source = "Mukunoki & Takahashi, IPSJ SIG Technical Report 2013-HPC-138, section 5",
      .device = "Tesla K20",
      .precision = "double",
      .formats = "csr",
      .baselines = {{"cusparse", "cusparse-alg1", 1.86},
                    {"alg2", "cusparse-alg2"},
                    {"1 thread", "csr-scalar"},
                    {"32 threads", "csr-vector"}},
      .matrices = matrices,
      .remarks = {"The paper is ahead of cuSPARSE 5.0 on 177 of 200 matrices that it doesn't name: these are those of "
                  "yaspmv",
                  "1 thread and 32 threads: a fixed number for each row, where csr chooses by the mean of a row"}};
}

}  // namespace ostinato::cli
