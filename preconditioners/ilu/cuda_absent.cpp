// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0

// The kernels of triangular factors in a build without CUDA. They are never called, because such a build can't create a
// Cuda object (spmv/space/cuda_absent.cpp).

#include <ostinato/preconditioners/ilu/isai.hpp>
#include <ostinato/preconditioners/ilu/isai_rows.hpp>
#include <ostinato/preconditioners/ilu/sweep.hpp>
#include <ostinato/preconditioners/ilu/zero_fill_phases.hpp>
#include <ostinato/spmv/space/error.hpp>

namespace ostinato::detail {

template <class T, class In, class Copy>
void run_sweep(const Cuda&, const SweepTiles<T>&, const In*, T*, Copy*) {
  throw DeviceError(Cuda::why_absent());
}

#define OSTINATO_INSTANTIATE(T, In, Copy) \
  template void run_sweep(const Cuda&, const SweepTiles<T>&, const In*, T*, Copy*);
OSTINATO_FOR_EACH_SWEEP(OSTINATO_INSTANTIATE)

unsigned most_warps(const Cuda&) { throw DeviceError(Cuda::why_absent()); }

void invert_rows(const Cuda&, const InverseRows&, std::size_t, std::size_t) { throw DeviceError(Cuda::why_absent()); }

Vector<Cuda, Index> find_levels(const Cuda&, const Triangle&, bool) { throw DeviceError(Cuda::why_absent()); }

bool factors_in_turn(const Cuda&, std::size_t, bool) { throw DeviceError(Cuda::why_absent()); }

void factor_rows(const Cuda&, const FactoredRows&, Offset, const FactorOrder&, ZeroFillKind, double, FactorCounts*) {
  throw DeviceError(Cuda::why_absent());
}

}  // namespace ostinato::detail
