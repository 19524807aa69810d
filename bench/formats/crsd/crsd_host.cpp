// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0

// The portable kernel of CRSD.

#include <algorithm>

#include <ostinato/bench/formats/crsd/crsd_view.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato::formats {

namespace {

using namespace detail;

/// Computes the rows of a segment that aren't scattered.
template <class T>
void multiply_segment(const CrsdView<T>& a, Offset segment, const Product<T>& p) {
  const Offset first = segment * segment_rows;
  const Index rows = a.rows_of(segment), pattern = a.pattern[segment];
  const T* val = a.val + a.start[segment];
  T sum[segment_rows] = {};
  for (Index g = a.group_ptr[pattern]; g < a.group_ptr[pattern + 1]; ++g) {
    for (Index c = 0; c < a.group[g].count; ++c, val += rows) {
      const Offset column = first + a.group[g].offset + c;
      const auto begin = static_cast<Index>(std::max<Offset>(0, -column)),
                 end = static_cast<Index>(std::min<Offset>(rows, a.cols - column));
#pragma omp simd
      for (Index r = begin; r < end; ++r) sum[r] += val[r] * p.x[column + r];
    }
  }
  for (Index r = 0; r < rows; ++r) {
    if ((a.taken[segment] >> r & 1) == 0) store_row(p, static_cast<std::size_t>(first + r), sum[r]);
  }
}

}  // namespace

template <class T>
void crsd_apply(const Host& host, const CrsdView<T>& a, const Product<T>& p) {
  constexpr Offset segments_at_once = 64;  // work of one task
  const Offset segments = a.segments();
  parallel_for(host, static_cast<std::size_t>((segments + segments_at_once - 1) / segments_at_once),
               [=](std::size_t task) {
                 const Offset begin = static_cast<Offset>(task) * segments_at_once;
                 for (Offset s = begin; s < std::min(begin + segments_at_once, segments); ++s)
                   multiply_segment(a, s, p);
               });
  for_each(host, static_cast<std::size_t>(a.scattered), CrsdScatterRow<T>{a, p});
}

template void crsd_apply(const Host&, const CrsdView<float>&, const Product<float>&);
template void crsd_apply(const Host&, const CrsdView<double>&, const Product<double>&);

}  // namespace ostinato::formats
