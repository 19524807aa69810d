// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <omp.h>

#include <atomic>

#include <ostinato/spmv/space/pool.hpp>

#ifndef _OPENMP
#error "compile this file with -fopenmp"
#endif

namespace ostinato::detail {
namespace {

constinit std::atomic<int> size = 0;

}  // namespace

int pool_size() { return size; }

void make_pool(int threads) {
  const int wanted = threads > 0 ? threads : omp_get_max_threads();
#pragma omp parallel num_threads(wanted)  // starts the threads
#pragma omp single
  size = wanted;
}

// All threads take part, because OpenMP ends those that a smaller region has no use for. There may be fewer: under
// OMP_DYNAMIC, or within a region of the caller.
void run_on_pool(std::size_t chunks, void (*run)(const void*, std::size_t), const void* f) {
  const int threads = size;
#pragma omp parallel num_threads(threads) if (!omp_in_parallel())
  {
    const auto team = static_cast<std::size_t>(omp_get_num_threads());
    for (auto t = static_cast<std::size_t>(omp_get_thread_num()); t < chunks; t += team) run(f, t);
  }
}

std::string pool_name() { return "OpenMP threads"; }

}  // namespace ostinato::detail
