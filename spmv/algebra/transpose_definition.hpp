// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/spmv/algebra/rearrangement_definition.hpp>
#include <ostinato/spmv/algebra/transpose.hpp>
#include <ostinato/spmv/matrix/csr_pattern.hpp>
#include <ostinato/spmv/space/host.hpp>
#include <ostinato/spmv/space/to_host.hpp>

namespace ostinato {

namespace detail {

/// On spaces other than Host and Cuda: the host transposes a copy of the pattern.
template <class Space>
MovedPattern<Space> transposed(const Space& space, const CsrPattern& a, Index cols, Offset nonzeros) {
  const auto row_ptr = to_host<Offset>(space, {a.row_ptr, static_cast<std::size_t>(a.rows) + 1});
  const auto col = to_host<Index>(space, {a.col, static_cast<std::size_t>(nonzeros)});
  const MovedPattern<Host> t = transposed(Host(), CsrPattern{a.rows, row_ptr.data(), col.data()}, cols, nonzeros);
  return {t.rows, t.cols, Vector<Space, Offset>(space, t.row_ptr.span()), Vector<Space, Index>(space, t.col.span()),
          Vector<Space, Offset>(space, t.from.span())};
}

}  // namespace detail

template <class Space, class T>
MatrixTranspose<Space, T>::MatrixTranspose(const Space& space, const SpaceCsr<Space, T>& a)
    : Rearrangement<Space, T>(
          space, a, detail::transposed(space, detail::pattern_of(a.view()), a.view().cols, a.view().nonzeros())) {}

}  // namespace ostinato
