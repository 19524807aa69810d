// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/algebra/transpose_definition.hpp>

#include <algorithm>
#include <vector>

#include <ostinato/spmv/algebra/transpose_steps.hpp>
#include <ostinato/spmv/matrix/csr_pattern.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/space/parallel.hpp>
#include <ostinato/spmv/space/scan.hpp>

namespace ostinato {

namespace detail {

namespace {

/// Runs of rows with about the same number of entries each.
struct RowParts {
  const CsrPattern& a;
  Offset nonzeros;
  std::size_t count;

  /// As many parts as threads, but not so many that their counters outnumber the entries.
  RowParts(const Host& host, const CsrPattern& pattern, Index cols, Offset entries)
      : a(pattern),
        nonzeros(entries),
        count(static_cast<std::size_t>(
            std::clamp<Offset>(entries / std::max<Index>(cols, 1), 1, std::max(1, host.threads())))) {}

  std::size_t first(std::size_t part) const {
    if (part == count) return static_cast<std::size_t>(a.rows);
    const Offset entry = nonzeros / static_cast<Offset>(count) * static_cast<Offset>(part);
    return static_cast<std::size_t>(bisect(Index{0}, a.rows, [&](Index i) { return a.row_ptr[i] >= entry; }));
  }
};

}  // namespace

// Each part counts its entries by column, and puts them behind those of the parts before.
MovedPattern<Host> transposed(const Host& space, const CsrPattern& a, Index cols, Offset nonzeros) {
  const auto n = static_cast<std::size_t>(cols), entries = static_cast<std::size_t>(nonzeros);
  const RowParts parts(space, a, cols, nonzeros);
  MovedPattern<Host> t{cols, a.rows, Vector<Host, Offset>(space, n + 1), Vector<Host, Index>(space, entries),
                       Vector<Host, Offset>(space, entries)};
  std::vector<Array<Offset>> next(parts.count);
  parallel_for(space, parts.count, [&](std::size_t p) {
    next[p].assign(n, 0);
    for (Offset k = a.row_ptr[parts.first(p)]; k < a.row_ptr[parts.first(p + 1)]; ++k)
      ++next[p][static_cast<std::size_t>(a.col[k])];
  });
  for_each(space, n, [&next, total = t.row_ptr.data()](std::size_t j) {
    total[j] = 0;
    for (const Array<Offset>& counts : next) total[j] += counts[j];
  });
  exclusive_scan(space, t.row_ptr.span());
  for_each(space, n, [&next, start = t.row_ptr.data()](std::size_t j) {
    Offset at = start[j];
    for (Array<Offset>& places : next) {
      const Offset count = places[j];
      places[j] = at;
      at += count;
    }
  });
  parallel_for(space, parts.count, [&](std::size_t p) {
    for (std::size_t i = parts.first(p); i < parts.first(p + 1); ++i) {
      for (Offset k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) {
        const auto at = static_cast<std::size_t>(next[p][static_cast<std::size_t>(a.col[k])]++);
        t.col.data()[at] = static_cast<Index>(i);
        t.from.data()[at] = k;
      }
    }
  });
  return t;
}

}  // namespace detail

OSTINATO_CLASS(MatrixTranspose);

}  // namespace ostinato
