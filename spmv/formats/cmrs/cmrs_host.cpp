// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0

// CMRS on Host: the conversion and the portable product.

#include <algorithm>

#include <ostinato/spmv/formats/cmrs/cmrs_kernels.hpp>
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato::formats {

template <class T>
CmrsMatrix<Host, T> cmrs_build(const Host& host, const CsrView<T>& a, const CmrsShape& shape) {
  return detail::build_cmrs(host, a, shape);
}

template <class T>
void cmrs_set_values(const Host& host, const CsrView<T>& a, CmrsMatrix<Host, T>& m) {
  detail::place_entries(host, a, m, true);
}

template <class T>
Csr<T> cmrs_to_csr(const Host& host, const CmrsMatrix<Host, T>& m) {
  return detail::take_csr(host, m);
}

namespace {

using namespace detail;

/// Work of a block of strips: slots + 2 rows.
constexpr Offset strip_block_work = 16384;

template <class T>
Offset strip_work(const CmrsView<T>& a, Offset strip) {
  return a.strip_ptr[strip] + 2 * strip * a.shape.height;
}

/// The first strip before which the work is at least `work`.
template <class T>
Offset strip_at(const CmrsView<T>& a, Offset work) {
  return bisect(Offset{0}, a.shape.strips(), [&](Offset strip) { return strip_work(a, strip) >= work; });
}

template <bool Packed, class T>
void multiply_strip(const CmrsView<T>& a, Offset strip, const Product<T>& p) {
  T sum[CmrsShape::max_height];
  std::fill_n(sum, a.shape.height, T{0});
  for (Offset k = a.strip_ptr[strip]; k < a.strip_ptr[strip + 1]; ++k) {
    const CmrsPlace at = Packed ? CmrsCode::unpack(a.word[k]) : CmrsCode::join(a.word[k], a.row[k]);
    if (at.row >= 0) sum[at.row] += a.val[k] * p.x[at.col];
  }
  const Index first = a.shape.first_row(strip), end = a.shape.end_row(strip);
  for (Index i = first; i < end; ++i) store_row(p, static_cast<std::size_t>(i), sum[i - first]);
}

template <bool Packed, class T>
void multiply_strips(const Host& host, const CmrsView<T>& a, const Product<T>& p) {
  const auto blocks = static_cast<std::size_t>(strip_work(a, a.shape.strips()) / strip_block_work + 1);
  parallel_for(host, blocks, [=](std::size_t block) {
    const Offset begin = strip_at(a, static_cast<Offset>(block) * strip_block_work);
    const Offset end = strip_at(a, static_cast<Offset>(block + 1) * strip_block_work);
    for (Offset strip = begin; strip < end; ++strip) multiply_strip<Packed>(a, strip, p);
  });
}

}  // namespace

template <class T>
void cmrs_apply(const Host& host, const CmrsMatrix<Host, T>& m, const Product<T>& p, int) {
  if (m.shape.packed) {
    multiply_strips<true>(host, m.view(), p);
  } else {
    multiply_strips<false>(host, m.view(), p);
  }
}

#define OSTINATO_INSTANTIATE(T)                                                              \
  template CmrsMatrix<Host, T> cmrs_build(const Host&, const CsrView<T>&, const CmrsShape&); \
  template void cmrs_set_values(const Host&, const CsrView<T>&, CmrsMatrix<Host, T>&);       \
  template Csr<T> cmrs_to_csr(const Host&, const CmrsMatrix<Host, T>&);                      \
  template void cmrs_apply(const Host&, const CmrsMatrix<Host, T>&, const Product<T>&, int)
OSTINATO_FOR_VALUES(OSTINATO_INSTANTIATE);

}  // namespace ostinato::formats
