// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include <ostinato/spmv/algebra/counted.hpp>
#include <ostinato/spmv/matrix/space_csr.hpp>

namespace ostinato::algebraic {

/// A matrix without columns and values yet, with these row pointers.
template <class T, class Space>
std::shared_ptr<CsrStorage<Space, T>> with_row_ptr(const Space& space, Vector<Space, Offset> row_ptr, Index cols,
                                                   std::size_t entries) {
  const auto rows = static_cast<Index>(row_ptr.size() - 1);
  return std::make_shared<CsrStorage<Space, T>>(CsrStorage<Space, T>{
      rows, cols, std::move(row_ptr), Vector<Space, Index>(space, entries), Vector<Space, T>(space, entries)});
}

/// The same, whose rows have so many entries. `counts` has an element more than rows. Waits.
template <class T, class Space>
std::shared_ptr<CsrStorage<Space, T>> with_rows(const Space& space, Vector<Space, Offset> counts, Index cols) {
  const std::size_t entries = detail::counted(space, counts);
  return with_row_ptr<T>(space, std::move(counts), cols, entries);
}

}  // namespace ostinato::algebraic
