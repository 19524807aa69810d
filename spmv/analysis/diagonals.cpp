// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/analysis/diagonals.hpp>

#include <algorithm>
#include <atomic>
#include <memory>
#include <utility>

#include <ostinato/spmv/analysis/diagonals_steps.hpp>
#include <ostinato/spmv/space/atomic.hpp>
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato {

namespace {

struct HostAtomics : SlotAtomic<Host> {
  static void set(unsigned* p, unsigned bits) {
    if ((bits & ~load(p)) != 0) std::atomic_ref<unsigned>(*p).fetch_or(bits, std::memory_order_relaxed);
  }
};

using Distinct = detail::Distinct<HostAtomics>;

/// The memory of a Distinct.
struct Slots {
  std::vector<Offset> ids = std::vector<Offset>(Distinct::capacity);
  int count = 0;

  Distinct distinct() { return {ids.data(), &count}; }

  /// The numbers of the items, in any order; empty when there are too many items.
  std::vector<Offset> held() const {
    std::vector<Offset> out;
    if (count > Distinct::limit) return out;
    for (const Offset id : ids) {
      if (id != 0) out.push_back(id - 1);
    }
    return out;
  }
};

/// Calls f(row) for the first rows. One thread handles a block of 2048 rows in order, until f returns false.
template <class T, class F>
void for_rows(const Host& space, const detail::Rows<T>& a, std::size_t rows, F f) {
  const Offset looks = static_cast<Offset>(rows) + a.begin(static_cast<Offset>(rows));
  detail::for_parts(space, (rows + host_block - 1) / host_block, looks, [=](std::size_t block) {
    const std::size_t end = std::min((block + 1) * host_block, rows);
    for (std::size_t i = block * host_block; i < end && f(static_cast<Offset>(i)); ++i) {
    }
  });
}

/// Calls f(d, k) for each entry k of a row and its diagonal d.
template <class T, class F>
void walk(const detail::Rows<T>& a, std::span<const Index> offsets, Offset row, F f) {
  auto at = offsets.begin();
  for (Offset k = a.begin(row); k < a.end(row); ++k, ++at) {
    const Index offset = a.offset(k, row);
    if (*at != offset) at = std::lower_bound(at, offsets.end(), offset);
    f(static_cast<std::size_t>(at - offsets.begin()), k);
  }
}

template <class T>
void count_piece(const detail::Rows<T>& a, std::span<const Index> offsets, Offset begin, Offset end,
                 PieceDiagonal* piece) {
  for (Offset row = begin; row < end; ++row) {
    const auto in_piece = static_cast<std::uint16_t>(row - begin);
    walk(a, offsets, row, [=](std::size_t d, Offset) {
      if (piece[d].entries++ == 0) piece[d].first = in_piece;
      piece[d].last = in_piece;
    });
  }
}

/// Counts the entries in the row pieces of a census, which has shapes but no counts yet.
template <class T>
PieceCounts count_pieces(const Host& space, const detail::Rows<T>& a, std::span<const Index> offsets,
                         const DiagonalCensus& census) {
  const std::size_t count = offsets.size(), pieces = detail::piece_count(census);
  PieceCounts counts{std::vector<PieceDiagonal>(pieces * count), std::vector<std::uint16_t>(pieces)};
  const Offset rows = census.rows, in_piece = census.rows_in_piece;
  const Offset looks = rows + a.begin(rows) + static_cast<Offset>(counts.of_diagonals.size());
  const auto count_one = [=, out = counts.of_diagonals.data(), fewest = counts.fewest.data()](std::size_t p) {
    const Offset begin = static_cast<Offset>(p) * in_piece;
    PieceDiagonal* const piece = out + p * count;
    count_piece(a, offsets, begin, std::min(begin + in_piece, rows), piece);
    const auto has_fewer = [](const PieceDiagonal& l, const PieceDiagonal& r) { return l.entries < r.entries; };
    fewest[p] = std::min_element(piece, piece + count, has_fewer)->entries;
  };
  detail::for_parts(space, pieces, looks, count_one);
  return counts;
}

std::vector<detail::Stretch> whole_diagonals(const DiagonalCensus& census) {
  const std::size_t count = census.diagonals.size();
  std::vector<detail::Stretch> whole(count);
  for (std::size_t at = 0; at < census.pieces().size(); ++at) {
    const Offset begin = static_cast<Offset>(at / count) * census.rows_in_piece;
    whole[at % count].append(detail::Stretch::of(census.pieces()[at], begin));
  }
  return whole;
}

template <class T>
std::vector<Offset> find_classes(const Host& space, const detail::Rows<T>& a, std::size_t rows) {
  Slots slots;
  const Distinct distinct = slots.distinct();
  for_rows(space, a, rows, [=](Offset row) {
    const auto same = [=](Offset other) { return a.same(row, other); };
    return !distinct.too_many() && distinct.add(a.hash(row), row, same, nullptr);
  });
  return slots.held();
}

/// Inspects the values in the rows row_at(0) .. row_at(count - 1). These rows hold every value of the matrix.
template <class T, class Row>
void inspect_values(const Host& space, const detail::Rows<T>& a, std::span<const Index> offsets, std::size_t count,
                    Row row_at, DiagonalCensus& census) {
  const std::vector<detail::Stretch> whole = whole_diagonals(census);
  std::vector<T> first(offsets.size());
  for (std::size_t d = 0; d < first.size(); ++d) first[d] = a.value(whole[d].first, offsets[d]);
  std::vector<unsigned> misfit(offsets.size(), 0);
  Slots slots;
  const Distinct distinct = slots.distinct();
  for_rows(space, a, count, [=, first = first.data(), misfit = misfit.data()](Offset i) {
    walk(a, offsets, row_at(i), [=](std::size_t d, Offset k) {
      const T v = a.val[k];
      if (HostAtomics::load(misfit + d) != detail::all_misfits<T>)
        HostAtomics::set(misfit + d, detail::misfits(v, first[d]));
      const auto same = [=](Offset other) { return detail::bits_of(a.val[other]) == detail::bits_of(v); };
      if (!distinct.too_many()) distinct.add(a.mixed(detail::bits_of(v)), k, same, nullptr);
    });
    return true;
  });
  for (std::size_t d = 0; d < first.size(); ++d)
    census.diagonals[d] = finished(offsets[d], whole[d], misfit[d], first[d]);
  std::vector<T> values;
  for (const Offset k : slots.held()) values.push_back(a.val[k]);
  census.values = detail::in_order(std::move(values));
}

}  // namespace

template <class T>
DiagonalCensus take_census(const Host& space, const CsrView<T>& a, std::span<const Index> offsets,
                           Index rows_in_piece) {
  DiagonalCensus census = detail::blank_census(a, offsets, rows_in_piece);
  if (a.rows == 0 || offsets.empty()) return census;
  const detail::Rows<T> rows{a.row_ptr.data(), a.col.data(), a.val.data()};
  const auto row_count = static_cast<std::size_t>(a.rows);
  census.counts = std::make_shared<PieceCounts>(count_pieces(space, rows, offsets, census));
  const std::vector<Offset> classes = find_classes(space, rows, row_count);
  if (classes.empty()) {
    inspect_values(
        space, rows, offsets, row_count, [](Offset i) { return i; }, census);
  } else {
    inspect_values(
        space, rows, offsets, classes.size(), [at = classes.data()](Offset i) { return at[i]; }, census);
  }
  std::vector<detail::ClassRow> listed;
  for (const Offset row : classes) listed.push_back({static_cast<Index>(row), static_cast<Index>(rows.length(row))});
  census.class_rows = detail::in_order(std::move(listed));
  return census;
}

#define OSTINATO_INSTANTIATE(T) \
  template DiagonalCensus take_census(const Host&, const CsrView<T>&, std::span<const Index>, Index)
OSTINATO_FOR_VALUES(OSTINATO_INSTANTIATE);
#undef OSTINATO_INSTANTIATE

}  // namespace ostinato
