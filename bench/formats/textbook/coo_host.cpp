// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0

// The portable kernel of COO and of HYB's COO part.

#include <algorithm>

#include <ostinato/bench/formats/textbook/coo_view.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato::formats {

namespace {

using detail::coo_chunk;
using detail::CooView;

/// Adds up one chunk: stores the carry, and adds the sums of the other rows to y.
template <class T>
void add_chunk(const CooView<T>& a, Offset chunk, T alpha, const T* x, T* y, T* carry) {
  const Offset begin = chunk * coo_chunk, end = std::min(begin + coo_chunk, a.count);
  bool carried = a.continues(chunk);
  for (Offset k = begin; k < end; carried = false) {
    const Index row = a.row[k];
    T sum = 0;
    for (; k < end && a.row[k] == row; ++k) sum += a.val[k] * x[a.col[k]];
    if (carried) {
      carry[chunk] = sum;
    } else {
      y[row] += alpha * sum;
    }
  }
}

}  // namespace

template <class T>
void coo_add(const Host& host, const CooView<T>& a, T alpha, const T* x, T* y, T* carry) {
  const auto chunks = static_cast<std::size_t>(a.chunks());
  parallel_for(host, chunks, [=](std::size_t c) { add_chunk(a, static_cast<Offset>(c), alpha, x, y, carry); });
  for_each(host, chunks, detail::AddCarries<T>{a, carry, alpha, y});
}

template void coo_add(const Host&, const CooView<float>&, float, const float*, float*, float*);
template void coo_add(const Host&, const CooView<double>&, double, const double*, double*, double*);

}  // namespace ostinato::formats
