// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/transposable_operator.hpp>

#include <utility>

namespace ostinato {

namespace {

template <class T, class Space>
Array<T> to_host(const Space& space, std::span<const T> values) {
  Array<T> copy(values.size());
  space.download(copy.data(), values.data(), values.size_bytes());
  return copy;
}

template <class Space, class T>
Csr<T> transpose_of(const Space& space, const CsrView<T>& a) {
  if constexpr (!Space::on_device) {
    return transpose(a, checked);
  } else {
    const Csr<T> here{a.rows, a.cols, to_host(space, a.row_ptr), to_host(space, a.col), to_host(space, a.val)};
    return transpose(here.view(), checked);
  }
}

}  // namespace

template <class Space, class T>
TransposableOperator<Space, T>::TransposableOperator(Operator<Space, T> a, const Analysis<Space, T>& analysis,
                                                     FormatOptions options)
    : a_(std::move(a)),
      transposed_(analysis.space(), transpose_of(analysis.space(), analysis.matrix().view()), std::move(options)) {}

template class TransposableOperator<Host, float>;
template class TransposableOperator<Host, double>;
template class TransposableOperator<Cuda, float>;
template class TransposableOperator<Cuda, double>;

}  // namespace ostinato
