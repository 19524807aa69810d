// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0

// The portable kernel of sliced ELL.

#include <algorithm>

#include <ostinato/spmv/formats/sliced_ell/sliced_ell_view.hpp>
#include <ostinato/spmv/space/dot.hpp>
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato {
namespace formats {

namespace {

using namespace detail;

/// sum[l] := row first + l of A x. An empty slot reads x[0] and adds 0, so that the loop runs in SIMD lanes without
/// branches.
template <class C, class T>
void add_up_slice(const SlicedView<C, T>& a, Offset slice, const T* x, T* sum) {
  const Offset first = slice * slice_rows, end = a.start[slice + 1];
  std::fill(sum, sum + slice_rows, T{0});
  for (Offset slot = a.start[slice]; slot < end; slot += slice_rows) {
    const C* const col = a.col + slot;
    const T* const val = a.val + slot;
#pragma omp simd
    for (Index l = 0; l < slice_rows; ++l) {
      const bool used = col[l] != empty_slot<C>;
      const T term = val[l] * x[used ? slot_column(col[l], first + l) : 0];
      sum[l] += used ? term : T{0};
    }
  }
}

}  // namespace

template <class C, class T>
void sliced_apply(const Host& host, const detail::SlicedView<C, T>& a, const Product<T>& p) {
  constexpr Offset slices_at_once = 64;  // work of one task
  const Offset slices = a.slices();
  parallel_for(host, static_cast<std::size_t>((slices + slices_at_once - 1) / slices_at_once), [=](std::size_t block) {
    const Offset begin = static_cast<Offset>(block) * slices_at_once, end = std::min(begin + slices_at_once, slices);
    for (Offset slice = begin; slice < end; ++slice) {
      T sum[detail::slice_rows];
      add_up_slice(a, slice, p.x, sum);
      const Offset first = slice * detail::slice_rows, rows = std::min<Offset>(detail::slice_rows, a.rows - first);
      for (Offset l = 0; l < rows; ++l) detail::store_row(p, static_cast<std::size_t>(first + l), sum[l]);
    }
  });
}

template <class C, class T>
void sliced_apply_dot(const Host& host, const detail::SlicedView<C, T>& a, const Product<T>& p, const T* w,
                      Slot<T> slot) {
  sliced_apply(host, a, p);
  sum(host, static_cast<std::size_t>(a.rows), Dot<T>{w, p.y}, slot);
}

}  // namespace formats

#define OSTINATO_INSTANTIATE(T)                       \
  OSTINATO_INSTANTIATE_SLICED(Host, std::int16_t, T); \
  OSTINATO_INSTANTIATE_SLICED(Host, Index, T)
OSTINATO_FOR_VALUES(OSTINATO_INSTANTIATE);
#undef OSTINATO_INSTANTIATE

}  // namespace ostinato
