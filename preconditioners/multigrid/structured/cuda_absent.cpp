// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0

// The kernels of structured multigrid in a build without CUDA. They are never called, because such a build can't create
// a Cuda object (spmv/space/cuda_absent.cpp).

#include <ostinato/preconditioners/multigrid/structured/coarse_grids.hpp>
#include <ostinato/preconditioners/multigrid/structured/passes.hpp>
#include <ostinato/preconditioners/multigrid/structured/tiles.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/error.hpp>

namespace ostinato::multigrid {

bool has_descent(const Cuda&, const Level<Cuda>&) { throw DeviceError(Cuda::why_absent()); }
bool has_ascent(const Cuda&, const Level<Cuda>&) { throw DeviceError(Cuda::why_absent()); }

std::size_t first_coarse_grid(const Cuda&, const std::vector<Level<Cuda>>&) { throw DeviceError(Cuda::why_absent()); }
void ascend_in_tiles(const Cuda&, const Level<Cuda>&, float, const float*, const float*, float*) {
  throw DeviceError(Cuda::why_absent());
}
Vector<Cuda, float> join_coarse_grids(const Cuda&, CoarseGrids&) { throw DeviceError(Cuda::why_absent()); }
void solve_coarse_grids(const Cuda&, const CoarseGrids&, const float*, float*, bool) {
  throw DeviceError(Cuda::why_absent());
}

std::vector<Transfer<Cuda>> make_transfers(const Cuda&, const std::vector<TransferOf<Cuda>>&) {
  throw DeviceError(Cuda::why_absent());
}

template <class T>
void descend(const Cuda&, const Level<Cuda>&, const Transfer<Cuda>&, const Source<T>&, float*) {
  throw DeviceError(Cuda::why_absent());
}

template <class T>
void ascend(const Cuda&, const Level<Cuda>&, const Transfer<Cuda>&, const Source<T>&, const float*, const Target<T>&) {
  throw DeviceError(Cuda::why_absent());
}

#define OSTINATO_INSTANTIATE(T)                                                                                \
  template void descend(const Cuda&, const Level<Cuda>&, const Transfer<Cuda>&, const Source<T>&, float*);     \
  template void ascend(const Cuda&, const Level<Cuda>&, const Transfer<Cuda>&, const Source<T>&, const float*, \
                       const Target<T>&)
OSTINATO_INSTANTIATE(float);
OSTINATO_INSTANTIATE(double);

}  // namespace ostinato::multigrid
