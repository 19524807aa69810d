// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The kernels of transpose.hpp on Cuda, around a stable sort of the entries by column.

#include <ostinato/spmv/base/bisect.hpp>
#include <ostinato/spmv/matrix/csr_pattern.hpp>
#include <ostinato/spmv/space/for_each.hpp>

namespace ostinato::detail {

/// row[k] and number[k] := row and number of entry k.
struct NumberEntries {
  EntryRuns runs;
  CsrPattern a;
  Index* row;
  Offset* number;

  OSTINATO_FUNCTION void operator()(std::size_t run) const {
    runs.visit(run, a, [this](Index i, Offset k) {
      row[k] = i;
      number[k] = k;
    });
  }
};

/// start[j] := the first of the sorted columns that is at least j.
struct FindStarts {
  const Index* sorted;
  Offset count;
  Offset* start;

  OSTINATO_FUNCTION void operator()(std::size_t j) const {
    start[j] = bisect(Offset{0}, count, [this, j](Offset k) { return sorted[k] >= static_cast<Index>(j); });
  }
};

}  // namespace ostinato::detail
