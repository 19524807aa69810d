// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cub/device/device_radix_sort.cuh>

#include <ostinato/spmv/matrix/algebra/rearrangement_steps.hpp>
#include <ostinato/spmv/matrix/algebra/transpose.hpp>
#include <ostinato/spmv/matrix/algebra/transpose_steps.hpp>
#include <ostinato/spmv/space/cuda/parallel.cuh>

namespace ostinato::detail {

namespace {

/// Sorts the numbers of the entries by column. Entries of the same column stay in order.
void sort_by_column(const Cuda& space, const Index* col, Index cols, const Vector<Cuda, Offset>& number,
                    Vector<Cuda, Index>& sorted, Vector<Cuda, Offset>& from) {
  if (number.size() == 0) return;
  const OnDevice here(space);
  const int bits = static_cast<int>(std::bit_width(static_cast<unsigned>(cols)));
  const auto sort = [&](void* scratch, std::size_t& bytes) {
    OSTINATO_CUDA(cub::DeviceRadixSort::SortPairs(scratch, bytes, col, sorted.data(), number.data(), from.data(),
                                                  static_cast<Offset>(number.size()), 0, bits, space.stream()));
  };
  std::size_t bytes = 0;
  sort(nullptr, bytes);
  Vector<Cuda, char> scratch(space, std::max<std::size_t>(bytes, 1));
  sort(scratch.data(), bytes);
}

}  // namespace

MovedPattern<Cuda> transposed(const Cuda& space, const CsrPattern& a, Index cols, Offset nonzeros) {
  const auto n = static_cast<std::size_t>(cols), entries = static_cast<std::size_t>(nonzeros);
  MovedPattern<Cuda> t{cols, a.rows, Vector<Cuda, Offset>(space, n + 1), Vector<Cuda, Index>(space, entries),
                       Vector<Cuda, Offset>(space, entries)};
  Vector<Cuda, Index> row(space, entries), sorted(space, entries);
  Vector<Cuda, Offset> number(space, entries);
  const auto runs = EntryRuns::on<Cuda>(nonzeros);
  for_each(space, runs.count(), NumberEntries{runs, a, row.data(), number.data()});
  sort_by_column(space, a.col, cols, number, sorted, t.from);
  for_each(space, n + 1, FindStarts{sorted.data(), nonzeros, t.row_ptr.data()});
  for_each(space, entries, Gather<Index>{row.data(), t.from.data(), t.col.data()});
  return t;
}

}  // namespace ostinato::detail
