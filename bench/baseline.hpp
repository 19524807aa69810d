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

#include <ostinato/spmv/matrix/csr.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>
#include <ostinato/spmv/space/timing.hpp>

namespace ostinato::bench {

/// A way to do y = A x, ours or a vendor's.
struct TimedProduct {
  std::string name;
  std::function<void()> product;  ///< enqueues it and keeps what it needs; null when that is too much to keep
  double seconds = 0;             ///< by plain calls, median
  double cold_seconds = 0;        ///< the same with nothing of it in the caches; 0 on the host
  double graph_seconds = 0;       ///< the same in a CUDA graph of products, as solvers run it; on the host as seconds
};

/// cuSPARSE: CSR ALG1 and ALG2 with preprocessing, sliced ELL and, where blocks fill well, BSR; timed. `a` is on the
/// host.
std::vector<TimedProduct> cusparse_products(const Cuda& space, const CsrView<double>& a, const std::vector<double>& x);

/// Conjugate gradients as a textbook has it: cuSPARSE (the named product) and cuBLAS, scalars on the host. Seconds an
/// iteration.
double cusparse_cg_seconds(const Cuda& space, const CsrView<double>& a, const std::string& product, int iterations);

/// A product with nothing of it in the caches, median: five times as much as the second-level cache holds is written
/// before each. On the host 0: not measured.
double cold_seconds(const Cuda& space, const std::function<void()>& product);
inline double cold_seconds(const Host&, const std::function<void()>&) { return 0; }

/// A product in a CUDA graph of many, one after the other, median: what the host needs to launch it isn't in there.
double graph_seconds(const Cuda& space, const std::function<void()>& product);

/// Times a product of a matrix with so many entries. When they are few, the host's part in plain calls may be large:
/// the product is kept, and time_in_turn() times those.
template <class Space>
void time_product(const Space& space, Offset entries, TimedProduct& p) {
  const bool keep = entries <= 1000000;
  if (!keep) p.seconds = median_seconds(space, 30, p.product);
  p.cold_seconds = cold_seconds(space, p.product);
  p.graph_seconds = p.seconds;
  if constexpr (Space::on_device) p.graph_seconds = graph_seconds(space, p.product);
  if (!keep) p.product = nullptr;
}

/// Times the plain calls of the products that were kept: in turn and five times over, so that where the host is slow
/// for a while, it is so for all of them.
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
    if (!Space::on_device) all[k]->graph_seconds = all[k]->seconds;
  }
}

/// Eigen's row-major product, on all threads; timed. The arrays of `a` have to stay.
TimedProduct eigen_product(const Host& host, const CsrView<double>& a, const std::vector<double>& x);

/// Reproducible numbers between -1 and 1.
std::vector<double> random_vector(std::size_t n, std::uint64_t seed);

}  // namespace ostinato::bench
