// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/spmv/transposable_operator.hpp>

#include <utility>

#include <ostinato/spmv/algebra/norms.hpp>
#include <ostinato/spmv/algebra/transpose.hpp>

namespace ostinato {

template <class Space, class T>
TransposableOperator<Space, T>::TransposableOperator(Operator<Space, T> a, const Analysis<Space, T>& analysis,
                                                     FormatOptions options)
    : TransposableOperator(std::move(a), analysis.space(), transpose(analysis.space(), analysis.matrix()),
                           std::move(options)) {}

template <class Space, class T>
TransposableOperator<Space, T>::TransposableOperator(Operator<Space, T> a, const Space& space,
                                                     SpaceCsr<Space, T> transposed, FormatOptions options)
    : LinearMap<Space, T>(space, static_cast<std::size_t>(a.rows()), static_cast<std::size_t>(a.cols())),
      a_(std::move(a)),
      transposed_(Analysis<Space, T>(space, transposed), std::move(options)),
      column_norms_(space, static_cast<std::size_t>(transposed.view().rows)) {
  row_norms(space, transposed.view(), column_norms_.span());
  space.wait();
}

}  // namespace ostinato
