// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include <ostinato/spmv/formats/cmrs/cmrs_kernels.hpp>
#include <ostinato/spmv/formats/row_value.cuh>
#include <ostinato/spmv/space/cuda/overlap.cuh>
#include <ostinato/spmv/space/cuda/parallel.cuh>
#include <ostinato/spmv/space/list.hpp>

namespace ostinato::formats {

namespace {

constexpr int warp = CmrsShape::group;
constexpr int max_block = 256;
constexpr unsigned all_lanes = 0xffffffffu;

/// The partial sums of a warp's strip: Cells cells in shared memory for each of Height rows. With a cell for each lane,
/// a lane adds only to its own cells. With fewer cells, lanes share cells; the layout of the matrix ensures that lanes
/// which share a cell have different rows between two calls of __syncwarp().
template <int Height, int Cells, class T>
struct StripCells {
  static constexpr int count = Height * Cells;
  static constexpr bool shared = Cells < warp;  ///< lanes share cells

  /// Lanes that add up a row's cells: the largest power of two that the warp has for every row.
  static constexpr int lanes_of_row() {
    int lanes = 1;
    while (2 * lanes * Height <= warp) lanes *= 2;
    return lanes;
  }
  static constexpr int share = lanes_of_row();
  static_assert(share <= Cells && count >= warp);

  /// Rows whose cells fill the banks of shared memory once. The cells of the following rows are rotated, so that lanes
  /// that add up different rows meet in no bank.
  static constexpr int abreast = std::max(1, 128 / static_cast<int>(sizeof(T)) / Cells);
  __device__ static int turned(int row, int cell) {
    return row * Cells + ((cell + share * (row / abreast)) & (Cells - 1));
  }
  __device__ static int mine(int row, int lane) { return shared ? turned(row, lane) : row * Cells + lane; }
};

/// The slots that a lane reads in some groups, loaded together.
template <bool Packed, class T>
struct Batch {
  static constexpr int groups = 4;

  CmrsPlace place[groups];
  T value[groups];

  /// Loads slots k, k + 32 and so on; slots from `end` on count as padding.
  __device__ Batch(const CmrsView<T>& a, Offset k, Offset end) {
#pragma unroll
    for (int g = 0; g < groups; ++g, k += warp) {
      place[g] = k < end ? load_place(a, k) : CmrsPlace{-1, 0};
      value[g] = k < end ? __ldg(a.val + k) : T{0};
    }
  }

 private:
  __device__ static CmrsPlace load_place(const CmrsView<T>& a, Offset k) {
    if constexpr (Packed) {
      return CmrsCode::unpack(__ldg(a.word + k));
    } else {
      return CmrsCode::join(__ldg(a.word + k), __ldg(a.row + k));
    }
  }
};

/// Adds the slots first .. end - 1 to the cells; `next` holds the slots of the first batch. The loads of the next batch
/// overlap the gather of x. All lanes of the warp must call this function.
template <class Strip, bool Packed, class T>
__device__ void add_up(const CmrsView<T>& a, const T* x, Batch<Packed, T> next, Offset first, Offset end, int lane,
                       T* cells) {
  constexpr int groups = Batch<Packed, T>::groups;
  while (first < end) {
    const Batch<Packed, T> now = next;
    T other[groups];
#pragma unroll
    for (int g = 0; g < groups; ++g) other[g] = now.place[g].row >= 0 ? x[now.place[g].col] : T{0};
    first += groups * warp;
    next = Batch<Packed, T>(a, first + lane, end);
#pragma unroll
    for (int g = 0; g < groups; ++g) {
      if (now.place[g].row >= 0) {
        T& cell = cells[Strip::mine(now.place[g].row, lane)];
        cell = fma(now.value[g], other[g], cell);
      }
      if constexpr (Strip::shared) __syncwarp();
    }
  }
}

/// The sum over the cells of row lane / share, returned in the first of the row's lanes. All lanes of the warp must
/// call this function.
template <class Strip, int Height, int Cells, class T>
__device__ T row_sum(const T* cells, int lane) {
  const int row = lane / Strip::share, part = lane % Strip::share;
  T sum = 0;
  if (row < Height) {
#pragma unroll
    for (int c = 0; c < Cells; c += Strip::share) sum += cells[Strip::turned(row, c + part)];
  }
#pragma unroll
  for (int d = Strip::share / 2; d > 0; d /= 2) sum += __shfl_down_sync(all_lanes, sum, d, Strip::share);
  return sum;
}

/// y = alpha A x + beta z, one warp per strip. The kernel touches x, y and z only after the preceding kernel has ended.
template <int Height, int Cells, bool Packed, class T>
__global__ void __launch_bounds__(max_block) product_kernel(CmrsView<T> a, Product<T> p) {
  extern __shared__ __align__(16) unsigned char memory[];
  using Strip = StripCells<Height, Cells, T>;
  cuda::pdl_trigger();
  const int lane = static_cast<int>(threadIdx.x) % warp, number = static_cast<int>(threadIdx.x) / warp;
  const Offset strip = static_cast<Offset>(blockIdx.x) * (static_cast<int>(blockDim.x) / warp) + number;
  if (strip * Height >= a.shape.rows) return cuda::pdl_wait();
  const Offset begin = __ldg(a.strip_ptr + strip), end = __ldg(a.strip_ptr + strip + 1);
  const Batch<Packed, T> first(a, begin + lane, end);
  T* const cells = reinterpret_cast<T*>(memory) + number * Strip::count;
  for (int c = lane; c < Strip::count; c += warp) cells[c] = 0;
  __syncwarp();
  cuda::pdl_wait();
  add_up<Strip>(a, p.x, first, begin, end, lane, cells);
  __syncwarp();
  const T sum = row_sum<Strip, Height, Cells>(cells, lane);
  const int row = lane / Strip::share;
  const Offset i = strip * Height + row;
  if (lane % Strip::share != 0 || row >= Height || i >= a.shape.rows) return;
  p.y[i] = cuda::row_value(p, i, sum);
}

template <class T>
using Kernel = void (*)(CmrsView<T>, Product<T>);

/// The kernel for a shape. The table is ordered by height; version 2 comes last.
template <bool Packed, class T>
Kernel<T> kernel_for(const CmrsShape& shape) {
  struct Entry {
    int height, cells;
    Kernel<T> kernel;
  };
  static constexpr std::array<Entry, 8> table = {{{1, warp, product_kernel<1, warp, Packed, T>},
                                                  {2, warp, product_kernel<2, warp, Packed, T>},
                                                  {4, warp, product_kernel<4, warp, Packed, T>},
                                                  {6, warp, product_kernel<6, warp, Packed, T>},
                                                  {8, warp, product_kernel<8, warp, Packed, T>},
                                                  {12, warp, product_kernel<12, warp, Packed, T>},
                                                  {16, warp, product_kernel<16, warp, Packed, T>},
                                                  {16, 8, product_kernel<16, 8, Packed, T>}}};
  return std::find_if(table.begin(), table.end() - 1,
                      [&](const Entry& e) { return e.height == shape.height && e.cells == shape.cells; })
      ->kernel;
}

}  // namespace

template <class T>
CmrsMatrix<Cuda, T> cmrs_build(const Cuda& space, const CsrView<T>& a, const CmrsShape& shape) {
  return detail::build_cmrs(space, a, shape);
}

template <class T>
void cmrs_set_values(const Cuda& space, const CsrView<T>& a, CmrsMatrix<Cuda, T>& m) {
  detail::place_entries(space, a, m, true);
}

template <class T>
Csr<T> cmrs_to_csr(const Cuda& space, const CmrsMatrix<Cuda, T>& m) {
  return detail::take_csr(space, m);
}

template <class T>
void cmrs_apply(const Cuda& space, const CmrsMatrix<Cuda, T>& m, const Product<T>& p, int block) {
  if (m.shape.rows == 0) return;
  const int warps = block / warp;
  const auto blocks = static_cast<unsigned>((m.shape.strips() + warps - 1) / warps);
  const std::size_t shared = static_cast<std::size_t>(warps) * m.shape.height * m.shape.cells * sizeof(T);
  cuda::launch(space, m.shape.packed ? kernel_for<true, T>(m.shape) : kernel_for<false, T>(m.shape), dim3(blocks),
               dim3(static_cast<unsigned>(block)), shared, m.view(), p);
}

#define OSTINATO_INSTANTIATE(T)                                                              \
  template CmrsMatrix<Cuda, T> cmrs_build(const Cuda&, const CsrView<T>&, const CmrsShape&); \
  template void cmrs_set_values(const Cuda&, const CsrView<T>&, CmrsMatrix<Cuda, T>&);       \
  template Csr<T> cmrs_to_csr(const Cuda&, const CmrsMatrix<Cuda, T>&);                      \
  template void cmrs_apply(const Cuda&, const CmrsMatrix<Cuda, T>&, const Product<T>&, int)
OSTINATO_FOR_VALUES(OSTINATO_INSTANTIATE);

}  // namespace ostinato::formats
