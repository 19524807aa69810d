// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/spmv/algebra/filter.hpp>

#include <memory>
#include <string>
#include <utility>

#include <ostinato/spmv/algebra/counted.hpp>
#include <ostinato/spmv/algebra/filter_steps.hpp>
#include <ostinato/spmv/base/error.hpp>

namespace ostinato {

template <class Space, class T>
SpaceCsr<Space, T> filter(const Space& space, const SpaceCsr<Space, T>& a, const FilterOptions& options) {
  if (!(options.tolerance >= 0)) {
    throw ArgumentError("filter: the tolerance is " + std::to_string(options.tolerance) +
                        "; it has to be a number of at least 0");
  }
  const CsrView<T>& from = a.view();
  const auto rows = static_cast<std::size_t>(from.rows);
  const detail::Filtered<T> filtered{detail::pattern_of(from), from.val.data(), options.tolerance, options.lump};
  CsrStorage<Space, T> to{from.rows, from.cols, Vector<Space, Offset>(space, rows + 1), {}, {}};
  for_each(space, rows, detail::CountFiltered<T>{filtered, to.row_ptr.data()});
  const std::size_t entries = detail::counted(space, to.row_ptr);
  to.col = Vector<Space, Index>(space, entries);
  to.val = Vector<Space, T>(space, entries);
  for_each(space, rows, detail::FillFiltered<T>{filtered, to.row_ptr.data(), to.col.data(), to.val.data()});
  return SpaceCsr<Space, T>(std::make_shared<const CsrStorage<Space, T>>(std::move(to)));
}

}  // namespace ostinato
