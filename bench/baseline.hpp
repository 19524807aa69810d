// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <ostinato/spmv/base/timing.hpp>
#include <ostinato/spmv/matrix/csr.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>

namespace ostinato::bench {

/// A timed product y = A x, ours or another library's.
struct TimedProduct {
  std::string name;
  std::function<void()> product;  ///< enqueues y = A x and owns its data; null when the data is too large to keep
  double seconds = 0;             ///< median of plain calls
  double cold_seconds = 0;        ///< the same with cold caches; 0 on the host
  double graph_seconds = 0;       ///< the same in a CUDA graph of products, as in solvers; on the host equal to seconds
};

/// Times cuSPARSE's products: CSR ALG1 and ALG2 with preprocessing, sliced ELL and, where blocks are filled well, BSR.
/// `a` is on the host.
std::vector<TimedProduct> cusparse_products(const Cuda& space, const CsrView<double>& a, const std::vector<double>& x);

/// Returns the seconds per iteration of textbook conjugate gradients on cuSPARSE (the named product) and cuBLAS, with
/// scalars on the host.
double cusparse_cg_seconds(const Cuda& space, const CsrView<double>& a, const std::string& product, int iterations);

/// Returns the median time of a product with cold caches: before each product, five times the size of the second-level
/// cache is written. Returns 0 on the host, where this isn't measured.
double cold_seconds(const Cuda& space, const std::function<void()>& product);
inline double cold_seconds(const Host&, const std::function<void()>&) { return 0; }

/// Returns the median time of a product in a CUDA graph of many products, one after the other. The time excludes the
/// host's launch overhead.
double graph_seconds(const Cuda& space, const std::function<void()>& product);

/// Times the product of a matrix with this number of entries. For small matrices the host's overhead may dominate plain
/// calls: such a product is kept, and time_in_turn() times its plain calls.
template <class Space>
void time_product(const Space& space, Offset entries, TimedProduct& p) {
  const bool keep = entries <= 1000000;
  if (!keep) p.seconds = median_seconds(space, 30, p.product);
  p.cold_seconds = cold_seconds(space, p.product);
  p.graph_seconds = p.seconds;
  if constexpr (Space::has_streams) p.graph_seconds = graph_seconds(space, p.product);
  if (!keep) p.product = nullptr;
}

/// Times the plain calls of the kept products in turn, five times over, so that a temporary slowdown of the host
/// affects all of them.
template <class Space>
void time_in_turn(const Space& space, std::vector<TimedProduct*> all) {
  constexpr std::size_t rounds = 5;
  std::erase_if(all, [](const TimedProduct* p) { return p->product == nullptr; });
  std::vector<std::array<double, rounds>> seconds(all.size());
  for (std::size_t round = 0; round < rounds; ++round) {
    for (std::size_t k = 0; k < all.size(); ++k) seconds[k][round] = median_seconds(space, 7, all[k]->product);
  }
  for (std::size_t k = 0; k < all.size(); ++k) {
    std::sort(seconds[k].begin(), seconds[k].end());
    all[k]->seconds = seconds[k][rounds / 2];
    if (!Space::has_streams) all[k]->graph_seconds = all[k]->seconds;
  }
}

/// Times Eigen's row-major product on all threads. The arrays of `a` have to stay alive.
TimedProduct eigen_product(const Host& host, const CsrView<double>& a, const std::vector<double>& x);

/// Returns reproducible numbers between -1 and 1.
std::vector<double> random_vector(std::size_t n, std::uint64_t seed);

}  // namespace ostinato::bench
