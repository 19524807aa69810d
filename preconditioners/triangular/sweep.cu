// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0

// A triangular sweep in one kernel, whose rows wait for each other (sweep_tiles.hpp, waiting_rows.cuh).

#include <ostinato/preconditioners/triangular/sweep.hpp>
#include <ostinato/preconditioners/triangular/sweep_tiles.hpp>
#include <ostinato/preconditioners/triangular/waiting_rows.cuh>
#include <ostinato/spmv/space/cuda/overlap.cuh>

namespace ostinato::detail {

namespace {

constexpr int threads = 128;
constexpr unsigned warps_of_block = threads / 32;
constexpr unsigned warps_of_multiprocessor = 32;  ///< so many that each may have 64 registers

struct CudaWarp {
  __device__ static int lane() { return static_cast<int>(threadIdx.x % 32); }
  __device__ static unsigned draw(SweepState* state) { return lane() == 0 ? cuda::take_ticket(&state->drawn) : 0u; }
  __device__ static unsigned of_first(unsigned v) { return __shfl_sync(cuda::all_lanes, v, 0); }
  __device__ static void end(SweepState* state, unsigned warps) {
    if (lane() != 0) return;
    // No fence: this lane's tickets are back, or it wouldn't be here, and the next kernel sees all of this one.
    if (atomicAdd(&state->ended, 1u) != warps - 1) return;
    state->drawn = 0;
    state->ended = 0;
    ++state->runs;
  }
  template <class T>
  __device__ static bool look(const T* p, T& v) {
    return cuda::look(p, v);
  }
  template <class T>
  __device__ static void publish(T* p, T v) {
    cuda::publish(p, v);
  }
  template <class T>
  __device__ static void unset(T* p) {
    *reinterpret_cast<cuda::Bits<T>*>(p) = cuda::unset<T>;
  }
  template <class T>
  __device__ static T row_sum(T v, int lanes) {
    __syncwarp();
    for (int step = lanes / 2; step > 0; step /= 2) v += __shfl_xor_sync(cuda::all_lanes, v, step);
    return v;
  }
};

template <class T, class In, class Copy>
__global__ void __launch_bounds__(threads, warps_of_multiprocessor / warps_of_block)
    sweep_kernel(SweepTiles<T> s, const In* in, T* out, Copy* copy) {
  cuda::pdl_trigger_and_wait();
  solve_tiles(CudaWarp{}, s, in, out, copy);
}

}  // namespace

unsigned most_warps(const Cuda& space) {
  return static_cast<unsigned>(space.multiprocessors()) * warps_of_multiprocessor;
}

template <class T, class In, class Copy>
void run_sweep(const Cuda& space, const SweepTiles<T>& sweep, const In* in, T* out, Copy* copy) {
  const unsigned blocks = (sweep.warps + warps_of_block - 1) / warps_of_block;
  SweepTiles<T> s = sweep;
  s.warps = blocks * warps_of_block;
  cuda::launch(space, sweep_kernel<T, In, Copy>, blocks, threads, 0, s, in, out, copy);
}

#define OSTINATO_INSTANTIATE(Space, T, In, Copy) \
  template void run_sweep(const Space&, const SweepTiles<T>&, const In*, T*, Copy*);
OSTINATO_FOR_EACH_SWEEP(OSTINATO_INSTANTIATE, Cuda)

}  // namespace ostinato::detail
