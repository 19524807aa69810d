// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// for_each, sum and their kin on Cuda, and macros that instantiate them in a .cu file.

#include <ostinato/spmv/space/cuda/for_each_row.cuh>

// Instantiate for_each and sum for a functor of both value types.
#define OSTINATO_FOR_EACH_ON_CUDA(...)                                  \
  template void for_each(const Cuda&, std::size_t, __VA_ARGS__<float>); \
  template void for_each(const Cuda&, std::size_t, __VA_ARGS__<double>);
#define OSTINATO_SUM_ON_CUDA(...)                                           \
  template void sum(const Cuda&, std::size_t, __VA_ARGS__<float>, double*); \
  template void sum(const Cuda&, std::size_t, __VA_ARGS__<double>, double*);
// The same for a functor that is summed up over several GPUs, too (spmv/space/distributed.hpp).
#define OSTINATO_SUM_ON_GPUS(...)   \
  OSTINATO_SUM_ON_CUDA(__VA_ARGS__) \
  OSTINATO_PARTS_ON_CUDA(__VA_ARGS__)
#define OSTINATO_PARTS_ON_CUDA(...)             \
  OSTINATO_PARTS_OF_ON_CUDA(__VA_ARGS__<float>) \
  OSTINATO_PARTS_OF_ON_CUDA(__VA_ARGS__<double>)
#define OSTINATO_PARTS_OF_ON_CUDA(...)                                                                                \
  template void detail::sum_blocks(const Cuda&, std::size_t, std::size_t, __VA_ARGS__, detail::SumsOf<__VA_ARGS__>*); \
  template void detail::finish_sum(const Cuda&, __VA_ARGS__, const detail::SumParts<detail::SumsOf<__VA_ARGS__>>&,    \
                                   double*);                                                                          \
  template void detail::sum_over_ranks(const Cuda&, std::size_t, __VA_ARGS__, const detail::RendezvousView&, double*, \
                                       detail::SumsOf<__VA_ARGS__>*);
// The same for a functor that isn't a template.
#define OSTINATO_FOR_EACH_OF_ON_CUDA(...) template void for_each(const Cuda&, std::size_t, __VA_ARGS__);
#define OSTINATO_FOR_GRID_OF_ON_CUDA(...) template void for_grid(const Cuda&, const Extents&, __VA_ARGS__);
#define OSTINATO_SUM_GRID_OF_ON_CUDA(...) template void sum_grid(const Cuda&, const Extents&, __VA_ARGS__, double*);
#define OSTINATO_FOR_EACH_ROW_ON_CUDA(...)                                          \
  template void for_each_row(const Cuda&, std::size_t, Offset, __VA_ARGS__<float>); \
  template void for_each_row(const Cuda&, std::size_t, Offset, __VA_ARGS__<double>);
#define OSTINATO_SUM_ROWS_ON_CUDA(...)                                                   \
  template void sum_rows(const Cuda&, std::size_t, Offset, __VA_ARGS__<float>, double*); \
  template void sum_rows(const Cuda&, std::size_t, Offset, __VA_ARGS__<double>, double*);
#define OSTINATO_FOR_EACH_ROW_OF_ON_CUDA(...) template void for_each_row(const Cuda&, std::size_t, Offset, __VA_ARGS__);
#define OSTINATO_SUM_ROWS_OF_ON_CUDA(...) \
  template void sum_rows(const Cuda&, std::size_t, Offset, __VA_ARGS__, double*);
