// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/algebra/row_errors.hpp>

#include <ostinato/spmv/algebra/row_errors_steps.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/space/parallel.hpp>
#include <ostinato/spmv/space/vector.hpp>

namespace ostinato {

template <class T, class Space>
RowErrors row_errors(const Space& space, const CsrView<T>& a, In<T> x, In<T> b, double tolerance) {
  Vector<Space, detail::RowErrorBits> slot(space, 1);
  space.zero(slot.data(), slot.bytes());
  detail::RowErrorBits* const found = slot.data();
  for_each(space, x.size(), detail::LargestDifference<Atomic<Space>, T>{x.data(), 0, &found->largest_x});
  sum_rows(
      space, b.size(), a.nonzeros(),
      detail::CompareRows<Atomic<Space>, T>{detail::pattern_of(a), a.val.data(), x.data(), b.data(), tolerance, found},
      &found->unsolved);
  const detail::RowErrorBits taken = slot.download()[0];
  return {detail::double_of(taken.componentwise), detail::double_of(taken.by_row), static_cast<Index>(taken.unsolved)};
}

template <class T, class Space>
double largest_difference(const Space& space, In<T> x, double value) {
  Vector<Space, Offset> bits(space, 1, Offset{0});
  for_each(space, x.size(), detail::LargestDifference<Atomic<Space>, T>{x.data(), value, bits.data()});
  return detail::double_of(bits.download()[0]);
}

#define OSTINATO_INSTANTIATE(Space, T)                                                            \
  template RowErrors row_errors<T, Space>(const Space&, const CsrView<T>&, In<T>, In<T>, double); \
  template double largest_difference<T, Space>(const Space&, In<T>, double)
OSTINATO_FOR_ALL(OSTINATO_INSTANTIATE);

}  // namespace ostinato
