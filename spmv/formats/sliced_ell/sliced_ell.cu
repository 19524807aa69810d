// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>

#include <ostinato/spmv/formats/row_value.cuh>
#include <ostinato/spmv/formats/sliced_ell/sliced_ell_view.hpp>
#include <ostinato/spmv/space/cuda/parallel.cuh>
#include <ostinato/spmv/space/list.hpp>

namespace ostinato {

namespace formats {

namespace {

/// Entries of a row that are loaded at once, while the entries loaded before are multiplied.
constexpr int in_flight = 4;

/// Reads one row from its first entry to its last; a row past the end of the matrix is empty. The constructor loads the
/// first entries before x has to be ready.
template <class C, class T>
class RowReader {
 public:
  __device__ RowReader(const detail::SlicedView<C, T>& a, Offset i) : row_(i) {
    if (i >= a.rows) return;
    const Offset slice = i / detail::slice_rows;
    const Offset begin = __ldg(a.start + slice), slot = begin + i % detail::slice_rows;
    left_ = static_cast<int>((__ldg(a.start + slice + 1) - begin) / detail::slice_rows);
    col_ = a.col + slot;
    val_ = a.val + slot;
    fetch();
  }

  /// Returns the product of the row with x.
  __device__ T times(const T* x) {
    T sum = 0;
    while (left_ > 0) {
      T value[in_flight], factor[in_flight];
#pragma unroll
      for (int k = 0; k < in_flight; ++k) {
        value[k] = v_[k];
        factor[k] = c_[k] == detail::empty_slot<C> ? T{0} : x[detail::slot_column(c_[k], row_)];
      }
      left_ -= in_flight;
      fetch();
#pragma unroll
      for (int k = 0; k < in_flight; ++k) sum = fma(value[k], factor[k], sum);
    }
    return sum;
  }

 private:
  /// Loads the next entries. Entries past the width of the slice count as empty.
  __device__ void fetch() {
#pragma unroll
    for (int k = 0; k < in_flight; ++k) {
      const bool there = k < left_;
      c_[k] = there ? __ldg(col_ + k * detail::slice_rows) : detail::empty_slot<C>;
      v_[k] = there ? __ldg(val_ + k * detail::slice_rows) : T{0};
    }
    col_ += in_flight * detail::slice_rows;
    val_ += in_flight * detail::slice_rows;
  }

  Offset row_;
  int left_ = 0;  ///< rest of the slice's width, from the loaded entries on
  const C* col_ = nullptr;
  const T* val_ = nullptr;
  C c_[in_flight];
  T v_[in_flight];
};

/// One thread per row. The kernel touches x, y and w only after the preceding kernel has ended.
template <bool Dotted, class C, class T>
__global__ void __launch_bounds__(cuda::tile_rows)
    sliced_kernel(detail::SlicedView<C, T> a, Product<T> p, const T* w, cuda::Reduction to) {
  cuda::pdl_trigger();
  const Offset stride = static_cast<Offset>(gridDim.x) * cuda::tile_rows;
  Offset i = static_cast<Offset>(blockIdx.x) * cuda::tile_rows + threadIdx.x;
  RowReader<C, T> row(a, i);
  cuda::pdl_wait();
  Sums<1> dot{};
  for (Offset first = i - threadIdx.x; first < a.rows; first += stride) {
    if (i < a.rows) cuda::finish_row<Dotted>(p, i, row.times(p.x), w, dot);
    if constexpr (Dotted) cuda::store_of_warp(dot, i, a.rows, to);
    i += stride;
    row = RowReader<C, T>(a, i);
  }
  if constexpr (Dotted) {
    if (to.of_warps == nullptr) cuda::grid_sum(dot, to, [](const Sums<1>&) {});
  }
}

template <bool Dotted, class C, class T>
void run(const Cuda& space, const detail::SlicedView<C, T>& a, const Product<T>& p, const T* w, Slot<T> slot) {
  cuda::launch(space, sliced_kernel<Dotted, C, T>, dim3(cuda::tile_blocks(space, a.rows, Dotted)),
               dim3(cuda::tile_rows), 0, a, p, w, cuda::reduction(space, slot));
}

}  // namespace

template <class C, class T>
void sliced_apply(const Cuda& space, const detail::SlicedView<C, T>& a, const Product<T>& p) {
  if (a.rows > 0) run<false>(space, a, p, static_cast<const T*>(nullptr), nullptr);
}

template <class C, class T>
void sliced_apply_dot(const Cuda& space, const detail::SlicedView<C, T>& a, const Product<T>& p, const T* w,
                      Slot<T> slot) {
  run<true>(space, a, p, w, slot);
}

}  // namespace formats

#define OSTINATO_INSTANTIATE(T)                       \
  OSTINATO_INSTANTIATE_SLICED(Cuda, std::int16_t, T); \
  OSTINATO_INSTANTIATE_SLICED(Cuda, Index, T)
OSTINATO_FOR_VALUES(OSTINATO_INSTANTIATE);
#undef OSTINATO_INSTANTIATE

#define OSTINATO_INSTANTIATE(T)                                                                  \
  template void for_each(const Cuda&, std::size_t, formats::detail::FillSlots<std::int16_t, T>); \
  template void for_each(const Cuda&, std::size_t, formats::detail::FillSlots<Index, T>)
OSTINATO_FOR_VALUES(OSTINATO_INSTANTIATE);
#undef OSTINATO_INSTANTIATE
template void for_each(const Cuda&, std::size_t, formats::detail::CountSlots);

}  // namespace ostinato
