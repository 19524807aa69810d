// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

// The pool of threads behind Host: Kokkos' (pool_kokkos.cpp) or OpenMP's own (pool_openmp.cpp). A build has one of them
// (OSTINATO_KOKKOS). Both run the same chunks, so both give the same bits.

namespace ostinato::detail {

/// The number of threads, 0 where there is no pool yet.
int pool_size();

/// Makes the pool; `threads` 0: as many as OpenMP gives.
/// Requires  There is none yet; one thread at a time calls this.
/// Throws    ArgumentError when Kokkos can't be initialised.
void make_pool(int threads);

/// Calls run(f, t) for t = 0 .. chunks - 1, each on a thread of its own where the pool has so many.
/// Exec      Returns when all calls are done. Within a parallel region of the caller, one thread makes all calls.
/// Requires  One thread at a time calls this, and run doesn't throw.
void run_on_pool(std::size_t chunks, void (*run)(const void* f, std::size_t t), const void* f);

std::string pool_name();  ///< "Kokkos 3.4", "OpenMP threads"

}  // namespace ostinato::detail
