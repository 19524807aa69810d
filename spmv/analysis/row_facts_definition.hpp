// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/spmv/analysis/row_facts.hpp>

#include <cmath>

#include <ostinato/spmv/analysis/row_facts_steps.hpp>

namespace ostinato {

template <class Space, class T>
RowFacts<Space, T> row_facts(const Space& space, const CsrView<T>& a, const Structure& s) {
  using detail::FoundInRows;
  using Found = RowFacts<Space, T>;
  const auto rows = static_cast<std::size_t>(a.rows);
  Found facts{Vector<Space, RowKind>(space, rows)};
  if (rows == 0) return facts;
  Vector<Space, T> largest(space, rows);
  Vector<Space, FoundInRows> slot(space, 1);
  space.zero(slot.data(), slot.bytes());
  FoundInRows* const found = slot.data();
  sum_rows(space, rows, a.nonzeros(),
           detail::FindRows<Atomic<Space>, T>{detail::pattern_of(a), a.val.data(), facts.kinds.data(), largest.data(),
                                              found},
           found->sums);
  const bool may_be_nearly = s.pattern_symmetric && !s.symmetric;
  if (may_be_nearly) {
    const auto runs = detail::EntryRuns::on<Space>(a.nonzeros());
    for_each(space, runs.count(),
             detail::FindAsymmetry<Atomic<Space>, T>{runs, detail::pattern_of(a), a.val.data(), largest.data(),
                                                     Found::most_asymmetry, found});
  }
  const FoundInRows taken = slot.download()[0];
  facts.diagonal_rows = static_cast<Index>(taken.sums[0]);
  facts.zero_rows = static_cast<Index>(taken.sums[1]);
  facts.sums_vanish = taken.sums[2] == 0 && facts.diagonal_rows + facts.zero_rows < a.rows;
  if (facts.zero_rows < a.rows) {
    facts.largest_exponent = taken.largest_exponent - FoundInRows::exponent_origin;
    facts.least_exponent = FoundInRows::exponent_origin - taken.least_exponent;
  }
  facts.asymmetry = detail::double_of(taken.asymmetry);
  if (!s.symmetric && !may_be_nearly) facts.asymmetry = HUGE_VAL;
  return facts;
}

}  // namespace ostinato
