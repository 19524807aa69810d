// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>
#include <library_types.h>

#include <cstddef>
#include <cstdint>

#include <ostinato/spmv/space/cuda/library.hpp>

namespace ostinato::cuda {

/// The functions and numbers of cuDSS 1, NVIDIA's sparse direct solver, that the library needs. The CUDA toolkit has
/// none of it, so that its interface is written here. The first use opens libcudss.so.1.
struct Cudss : OnDemand<Cudss> {
  static Cudss opened();

  static constexpr int major = 1;
  using Handle = struct cudssContext*;
  using Config = struct cudssConfig*;
  using Data = struct cudssData*;
  using Matrix = struct cudssMatrix*;

  enum Status : int { success = 0, out_of_memory = 2 };
  enum ConfigKey : int { solve_mode = 4, hybrid_memory = 11, deterministic = 24 };
  enum DataKey : int { info = 0, entries = 1, raised_pivots = 2, inertia = 3, memory_estimates = 13, interrupt = 23 };
  enum Phase : int { analysis = 3, factorisation = 4, refactorisation = 8, solution = 1008 };
  enum MatrixType : int { general = 0, symmetric = 1, definite = 3 };
  enum View : int { full = 0 };
  enum Base : int { from_zero = 0 };
  enum Layout : int { by_columns = 0 };
  enum SolveMode : int { plain = 0, transposed = 1 };

  int (*create)(Handle*);
  int (*destroy)(Handle);
  int (*set_stream)(Handle, cudaStream_t);
  int (*get_property)(libraryPropertyType, int*);
  int (*create_config)(Config*);
  int (*destroy_config)(Config);
  int (*set_config)(Config, int key, const void* value, std::size_t bytes);
  int (*create_data)(Handle, Data*);
  int (*destroy_data)(Handle, Data);
  int (*set_data)(Handle, Data, int key, const void* value, std::size_t bytes);
  int (*get_data)(Handle, Data, int key, void* value, std::size_t bytes, std::size_t* written);
  int (*execute)(Handle, int phase, Config, Data, Matrix a, Matrix x, Matrix b);
  int (*create_vectors)(Matrix*, std::int64_t rows, std::int64_t columns, std::int64_t stride, const void* values,
                        cudaDataType_t, int layout);
  int (*create_csr)(Matrix*, std::int64_t rows, std::int64_t columns, std::int64_t entries, const void* row_begin,
                    const void* row_end, const void* column, const void* values, cudaDataType_t offsets,
                    cudaDataType_t indices, cudaDataType_t value, int type, int view, int base);
  int (*set_values)(Matrix, const void* values);
  int (*destroy_matrix)(Matrix);
};

}  // namespace ostinato::cuda
