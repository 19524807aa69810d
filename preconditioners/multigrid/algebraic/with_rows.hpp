// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include <ostinato/spmv/matrix/algebra/counted.hpp>
#include <ostinato/spmv/matrix/space_csr.hpp>

namespace ostinato::algebraic {

/// A matrix without columns and values yet, whose rows have so many entries. `counts` has an element more than rows.
/// Waits.
template <class T, class Space>
std::shared_ptr<CsrStorage<Space, T>> with_rows(const Space& space, Vector<Space, Offset> counts, Index cols) {
  const std::size_t entries = detail::counted(space, counts);
  const auto rows = static_cast<Index>(counts.size() - 1);
  return std::make_shared<CsrStorage<Space, T>>(CsrStorage<Space, T>{
      rows, cols, std::move(counts), Vector<Space, Index>(space, entries), Vector<Space, T>(space, entries)});
}

}  // namespace ostinato::algebraic
