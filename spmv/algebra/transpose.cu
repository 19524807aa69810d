// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/algebra/transpose.hpp>
#include <ostinato/spmv/algebra/transpose_steps.hpp>
#include <ostinato/spmv/ordering/renumber_steps.hpp>
#include <ostinato/spmv/space/cuda/parallel.cuh>
#include <ostinato/spmv/space/cuda/sort_pairs.cuh>

namespace ostinato::detail {

MovedPattern<Cuda> transposed(const Cuda& space, const CsrPattern& a, Index cols, Offset nonzeros) {
  const auto n = static_cast<std::size_t>(cols), entries = static_cast<std::size_t>(nonzeros);
  MovedPattern<Cuda> t{cols, a.rows, Vector<Cuda, Offset>(space, n + 1), Vector<Cuda, Index>(space, entries),
                       Vector<Cuda, Offset>(space, entries)};
  Vector<Cuda, Index> row(space, entries), sorted(space, entries);
  Vector<Cuda, Offset> number(space, entries);
  const auto runs = EntryRuns::on<Cuda>(nonzeros);
  for_each(space, runs.count(), NumberEntries{runs, a, row.data(), number.data()});
  cuda::sort_pairs(space, a.col, sorted, number.data(), t.from, static_cast<unsigned>(cols));
  for_each(space, n + 1, FindStarts{sorted.data(), nonzeros, t.row_ptr.data()});
  for_each(space, entries, GatherElements<Index, Offset>{row.data(), t.from.data(), t.col.data()});
  return t;
}

}  // namespace ostinato::detail
