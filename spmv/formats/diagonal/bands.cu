// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <ostinato/spmv/formats/diagonal/band_kernels.hpp>
#include <ostinato/spmv/formats/diagonal/bands_fill.hpp>
#include <ostinato/spmv/formats/row_value.cuh>
#include <ostinato/spmv/space/cuda/parallel.cuh>
#include <ostinato/spmv/space/vector.hpp>

namespace ostinato::formats {

namespace {

static_assert(cuda::tile_rows == piece_rows && cuda::block_threads == piece_rows);

/// Most bands of a kernel that takes the bands' places as a parameter, which all threads read from the constant cache.
constexpr int max_in_kernel = 128;
/// Numbers of bands with an unrolled kernel. Fewer bands take the next larger kernel, in which the surplus bands lie
/// outside the matrix. More bands take the kernel with a loop, whose number is 0.
using Unrolled = std::integer_sequence<int, 3, 5, 7, 9, 12, 0>;
/// Loads that a thread has in flight in the kernel for any plan.
constexpr int in_flight = 8;

/// Full bands of one row piece: the value of row i in band d is data[base[d] + i].
template <int N>
struct Places {
  Offset base[N];
  Index offset[N];
};

template <class T>
struct Whole {
  Index rows, cols;
  const T* data;
};

/// One thread per row. D is the number of bands; when D is 0, `count` is.
template <int D, bool Dotted, class T, class V>
__global__ void __launch_bounds__(cuda::tile_rows)
    whole_kernel(Whole<T> a, const __grid_constant__ Places<D == 0 ? max_in_kernel : D> places, int count,
                 Product<T, V> p, const V* w, cuda::Reduction to) {
  cuda::pdl_trigger_and_wait();
  cuda::for_rows<Dotted>(a.rows, to, [&](Offset i, Sums<1>& dot) {
    T sum = 0;
    const auto add = [&](int d) {
      const Offset j = i + places.offset[d];
      if (j >= 0 && j < a.cols) sum = fma(__ldg(a.data + places.base[d] + i), static_cast<T>(p.x[j]), sum);
    };
    if constexpr (D > 0) {
#pragma unroll
      for (int d = 0; d < D; ++d) add(d);
    } else {
#pragma unroll 8
      for (int d = 0; d < count; ++d) add(d);
    }
    cuda::finish_row<Dotted>(p, i, sum, w, dot);
  });
}

template <int D, bool Dotted, class T, class V>
void launch_whole(const Cuda& space, const BandView<T>& a, int count, const Product<T, V>& p, const V* w,
                  Slot<V> slot) {
  Places<D == 0 ? max_in_kernel : D> places{};
  for (int d = 0; d < D; ++d) places.offset[d] = a.cols;  // surplus bands lie outside the matrix
  for (int d = 0; d < count; ++d) {
    const Band& band = a.plan->bands[static_cast<std::size_t>(d)];
    places.base[d] = band.base;
    places.offset[d] = band.offset;
  }
  const Whole<T> whole{a.rows, a.cols, reinterpret_cast<const T*>(a.data)};
  cuda::launch(space, whole_kernel<D, Dotted, T, V>, cuda::tile_blocks(space, a.rows, Dotted), cuda::tile_rows, 0,
               whole, places, count, p, w, cuda::reduction(space, slot));
}

template <bool Dotted, class T, class V, int... D>
void launch_unrolled(std::integer_sequence<int, D...>, const Cuda& space, const BandView<T>& a, const Product<T, V>& p,
                     const V* w, Slot<V> slot) {
  const int count = static_cast<int>(a.plan->bands.size());
  bool done = false;
  const auto try_one = [&]<int N>() {
    if (done || (N != 0 && count > N)) return;
    launch_whole<N, Dotted>(space, a, count, p, w, slot);
    done = true;
  };
  (try_one.template operator()<D>(), ...);
}

/// Computes a plan with one row piece of at most max_in_kernel full bands.
template <bool Dotted, class T, class V>
void run_whole(const Cuda& space, const BandView<T>& a, const Product<T, V>& p, const V* w, Slot<V> slot) {
  launch_unrolled<Dotted>(Unrolled{}, space, a, p, w, slot);
}

/// Adds up row i, which may lie past the end, over its bands. The loads of some bands are issued before the first is
/// used. With Whole all bands are stored as Storage::full.
template <bool Whole, class T, class V>
__device__ T sum_bands(const BandView<T>& a, const Band* bands, int count, Offset i, const V* x) {
  T sum = 0;
  for (int begin = 0; begin < count; begin += in_flight) {
    T value[in_flight];
    V factor[in_flight];
    bool there[in_flight];
#pragma unroll
    for (int k = 0; k < in_flight; ++k) {
      there[k] = begin + k < count && i < a.rows;
      if (!there[k]) continue;
      const Band band = bands[begin + k];
      const Offset j = i + band.offset;
      there[k] = j >= 0 && j < a.cols;
      if (!there[k]) continue;
      value[k] = Whole ? __ldg(reinterpret_cast<const T*>(a.data) + (band.base + i))
                       : value_at(a, band, static_cast<Index>(i));
      factor[k] = x[j];
    }
#pragma unroll
    for (int k = 0; k < in_flight; ++k) sum = there[k] ? fma(value[k], static_cast<T>(factor[k]), sum) : sum;
  }
  return sum;
}

/// Adds the remainder's entries of this thread's row in a tile. All warps read the tile's few entries.
template <class T, class V>
__device__ T add_remainder(const RemainderView<T>& r, Offset tile, T sum, const V* x) {
  if (r.ptr == nullptr) return sum;
  const Index end = r.ptr[tile + 1];
  for (Index k = r.ptr[tile]; k < end; ++k) {
    if (r.row[k] == threadIdx.x) sum = fma(r.val[k], static_cast<T>(x[r.col[k]]), sum);
  }
  return sum;
}

/// Most bands that are passed as a kernel parameter.
constexpr int max_listed = 32;
struct List {
  Band bands[max_listed];
};

/// For one row piece with few bands: the bands are a kernel parameter, so no thread has to load them.
template <bool Dotted, class T, class V>
__global__ void __launch_bounds__(cuda::tile_rows)
    list_kernel(BandView<T> a, const __grid_constant__ List list, int count, Product<T, V> p, const V* w,
                cuda::Reduction to) {
  cuda::pdl_trigger_and_wait();
  cuda::for_rows<Dotted>(a.rows, to, [&](Offset i, Sums<1>& dot) {
    cuda::finish_row<Dotted>(p, i, sum_bands<false>(a, list.bands, count, i, p.x), w, dot);
  });
}

template <bool Dotted, class T, class V>
void run_list(const Cuda& space, const BandView<T>& a, const Product<T, V>& p, const V* w, Slot<V> slot) {
  List list{};
  std::copy(a.plan->bands.begin(), a.plan->bands.end(), list.bands);
  cuda::launch(space, list_kernel<Dotted, T, V>, cuda::tile_blocks(space, a.rows, Dotted), cuda::tile_rows, 0, a, list,
               static_cast<int>(a.plan->bands.size()), p, w, cuda::reduction(space, slot));
}

/// For any plan: a thread block takes a tile of rows, which lies in one row piece.
template <bool Whole, bool Dotted, class T, class V>
__global__ void __launch_bounds__(cuda::tile_rows)
    pieces_kernel(BandView<T> a, Product<T, V> p, const V* w, cuda::Reduction to) {
  cuda::pdl_trigger_and_wait();
  cuda::for_rows<Dotted>(a.rows, to, [&](Offset i, Sums<1>& dot) {
    const Offset tile = i / cuda::tile_rows;
    const RowPiece piece = a.pieces[a.piece_of[tile]];
    const T sum = sum_bands<Whole>(a, a.bands + piece.first_band, piece.bands, i, p.x);
    cuda::finish_row<Dotted>(p, i, add_remainder(a.remainder, tile, sum, p.x), w, dot);
  });
}

template <bool Dotted, class T, class V>
void run(const Cuda& space, const BandView<T>& a, const Product<T, V>& p, const V* w, Slot<V> slot) {
  const bool whole = a.plan->is_whole;
  const bool one_piece = a.plan->pieces.size() == 1 && a.plan->remainder() == 0;
  if (one_piece && whole && a.plan->bands.size() <= max_in_kernel) return run_whole<Dotted>(space, a, p, w, slot);
  if (one_piece && a.plan->bands.size() <= max_listed) return run_list<Dotted>(space, a, p, w, slot);
  const auto kernel = whole ? pieces_kernel<true, Dotted, T, V> : pieces_kernel<false, Dotted, T, V>;
  cuda::launch(space, kernel, cuda::tile_blocks(space, a.rows, Dotted), cuda::tile_rows, 0, a, p, w,
               cuda::reduction(space, slot));
}

}  // namespace

template <class T>
void band_fill(const Cuda& space, const CsrView<T>& a, const BandView<T>& to, const BandStore<T>& store) {
  const Offset* row_ptr = a.row_ptr.data();
  const Index* col = a.col.data();
  const T* val = a.val.data();
  const std::size_t rows = static_cast<std::size_t>(a.rows);
  space.zero(store.data, to.plan->data_bytes);
  if (rows == 0) return;
  for_each(space, to.plan->constants.size(),
           detail::FillConstant<T>{row_ptr, col, val, store.first_row, store.offset, store.constants});
  for_each(
      space, rows,
      detail::FillRow<Atomic<Cuda>, T>{to, row_ptr, col, val, store.data, static_cast<int>(to.plan->codes.size())});
  if (to.plan->remainder() > 0) {
    for_each(
        space, to.plan->remainder_ptr.size() - 1,
        detail::FillRemainder<T>{to, row_ptr, col, val, store.remainder_row, store.remainder_col, store.remainder_val});
  }
  space.wait();  // later products may read these arrays before the preceding kernel ends (overlap.cuh)
}

template <class T>
Offset band_refill(const Cuda& space, const CsrView<T>& a, const BandView<T>& to, const BandStore<T>& store) {
  band_fill(space, a, to, store);
  return band_count_kept(space, a, to);
}

template <class T>
Offset band_count_kept(const Cuda& space, const CsrView<T>& a, const BandView<T>& stored) {
  if (a.rows == 0) return 0;
  Vector<Cuda, double> kept(space, 1);
  sum(space, static_cast<std::size_t>(a.rows),
      detail::CountKept<T>{stored, a.row_ptr.data(), a.col.data(), a.val.data()}, kept.data());
  return static_cast<Offset>(kept.download()[0]);
}

template <class T>
void band_apply(const Cuda& space, const BandView<T>& a, const Product<T>& p) {
  if (a.rows > 0) run<false>(space, a, p, static_cast<const T*>(nullptr), nullptr);
}

template <class T, class V>
void band_apply_dot(const Cuda& space, const BandView<T>& a, const Product<T, V>& p, const V* w, Slot<V> slot) {
  run<true>(space, a, p, w, slot);
}

#define OSTINATO_INSTANTIATE(T)                                                                         \
  template void band_fill(const Cuda&, const CsrView<T>&, const BandView<T>&, const BandStore<T>&);     \
  template Offset band_refill(const Cuda&, const CsrView<T>&, const BandView<T>&, const BandStore<T>&); \
  template Offset band_count_kept(const Cuda&, const CsrView<T>&, const BandView<T>&);                  \
  template void band_apply(const Cuda&, const BandView<T>&, const Product<T>&);                         \
  template void band_apply_dot(const Cuda&, const BandView<T>&, const Product<T>&, const T*, double*)
OSTINATO_INSTANTIATE(float);
OSTINATO_INSTANTIATE(double);
template void band_apply_dot(const Cuda&, const BandView<double>&, const Product<double, float>&, const float*,
                             double*);

}  // namespace ostinato::formats
