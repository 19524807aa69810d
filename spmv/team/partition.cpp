// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/team/partition.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/space/parallel.hpp>
#include <ostinato/spmv/team/letters.hpp>

namespace ostinato {

using detail::append;
using detail::Reader;

namespace {

constexpr Index to_block(double row, Index rows) {
  const double blocks = (row + Partition::block / 2) / Partition::block;
  const Offset at = static_cast<Offset>(blocks) * Partition::block;
  return static_cast<Index>(std::min<Offset>(at, rows));
}

/// Calls f(rank, begin, end) for what the ranks of `to` get of begin .. end - 1.
template <class F>
void for_ranks(const Partition& to, Index begin, Index end, F f) {
  for (int r = 0; r < to.ranks(); ++r) {
    const Index first = std::max(begin, to.offset(r)), last = std::min(end, to.offset(r + 1));
    if (first < last) f(r, first, last);
  }
}

template <class T>
void append_rows(Team::Bytes& part, const CsrView<T>& rows, Index first, Index last) {
  std::vector<Offset> lengths = {last - first};
  for (auto row = static_cast<std::size_t>(first); row < static_cast<std::size_t>(last); ++row)
    lengths.push_back(rows.row_ptr[row + 1] - rows.row_ptr[row]);
  append(part, lengths.data(), lengths.size());
  const auto at = static_cast<std::size_t>(rows.row_ptr[static_cast<std::size_t>(first)]),
             end = static_cast<std::size_t>(rows.row_ptr[static_cast<std::size_t>(last)]);
  append(part, rows.val.data() + at, end - at);
  append(part, rows.col.data() + at, end - at);
}

/// The rows that append_rows() has written, one part after the other.
template <class T>
Csr<T> joined_rows(const std::vector<Team::Bytes>& parts, Index cols) {
  Csr<T> result;
  result.cols = cols;
  for (const Team::Bytes& part : parts) {
    if (part.empty()) continue;
    Reader reader(part);
    Offset count = 0;
    reader.read(&count, 1);
    std::vector<Offset> lengths(static_cast<std::size_t>(count));
    reader.read(lengths.data(), lengths.size());
    for (const Offset length : lengths) result.row_ptr.push_back(result.row_ptr.back() + length);
    const std::size_t before = result.val.size(), entries = static_cast<std::size_t>(result.row_ptr.back());
    result.val.resize(entries);
    result.col.resize(entries);
    reader.read(result.val.data() + before, entries - before);
    reader.read(result.col.data() + before, entries - before);
  }
  result.rows = static_cast<Index>(result.row_ptr.size()) - 1;
  return result;
}

}  // namespace

Partition::Partition(std::vector<Index> offsets) : offsets_(std::move(offsets)) {
  if (offsets_.size() < 2 || offsets_[0] != 0 || !std::is_sorted(offsets_.begin(), offsets_.end()))
    throw ArgumentError("a partition needs offsets that begin with 0 and ascend, one more than there are ranks");
}

Partition Partition::by_rows(const Team& team, Index rows) {
  std::vector<Index> offsets;
  for (int r = 0; r <= team.size(); ++r) offsets.push_back(to_block(static_cast<double>(rows) / team.size() * r, rows));
  offsets.back() = rows;
  return Partition(std::move(offsets));
}

Partition Partition::grid(const Team& team, const Extents& points, Index unknowns) {
  const Index planes = points.z > 1 ? points.z : points.y > 1 ? points.y : points.x;
  const Offset plane = static_cast<Offset>(points.points()) / std::max<Index>(1, planes) * unknowns;
  if (plane * planes > std::numeric_limits<Index>::max()) throw ArgumentError("a grid of more than 2^31 - 1 rows");
  std::vector<Index> offsets;
  for (int r = 0; r <= team.size(); ++r)
    offsets.push_back(static_cast<Index>(Offset{planes} * r / team.size() * plane));
  return Partition(std::move(offsets));
}

Partition Partition::of_lengths(const Team& team, Index mine) {
  std::vector<Index> offsets = {0};
  Offset total = 0;
  for (const Index length : team.all_gather(mine)) {
    total += length;
    if (total > std::numeric_limits<Index>::max())
      throw ArgumentError("the ranks have more than 2^31 - 1 rows together");
    offsets.push_back(static_cast<Index>(total));
  }
  return Partition(std::move(offsets));
}

Partition Partition::by_entries(const Team& team, std::span<const Offset> mine) {
  constexpr double of_row = Partition::entries_of_row;
  const Index length = static_cast<Index>(mine.size()) - 1;
  const Partition now = of_lengths(team, length);
  const Index begin = now.begin(team);
  const std::vector<double> work = team.all_gather(static_cast<double>(mine.back() - mine.front()) + of_row * length);
  double before = 0, total = 0, earlier = -1;  // earlier: the work before the rank before that has rows
  for (int r = 0; r < team.size(); ++r) {
    if (r == team.rank()) before = total;
    if (r < team.rank() && work[static_cast<std::size_t>(r)] > 0) earlier = total;
    total += work[static_cast<std::size_t>(r)];
  }
  // Each rank looks for the ends that lie in its rows: the first row before which there is that much work.
  std::vector<Team::Letter> ends;
  Index row = 0;
  for (int r = 1; r < team.size(); ++r) {
    const double share = total / team.size() * r;
    const auto work_before = [&](Index i) {
      return before + static_cast<double>(mine[static_cast<std::size_t>(i)] - mine.front()) + of_row * i;
    };
    if (share <= earlier) continue;
    while (row < length && work_before(row) < share) ++row;
    if (row == length) break;
    ends.push_back({r, {}});
    const Index end = begin + row;
    append(ends.back().bytes, &end, 1);
  }
  Index mine_begins = team.rank() == 0 ? 0 : now.rows();
  for (const Team::Letter& found : team.exchange(ends)) {
    Index end = 0;
    Reader(found.bytes).read(&end, 1);
    mine_begins = std::min(mine_begins, end);
  }
  std::vector<Index> offsets = team.all_gather(mine_begins);
  offsets.push_back(now.rows());
  return Partition(std::move(offsets)).aligned();
}

Partition Partition::aligned() const {
  std::vector<Index> offsets = offsets_;
  for (std::size_t r = 1; r + 1 < offsets.size(); ++r) offsets[r] = to_block(offsets[r], rows());
  return Partition(std::move(offsets));
}

int Partition::owner(Index row) const {
  const auto after = std::upper_bound(offsets_.begin(), offsets_.end(), row);
  return static_cast<int>(after - offsets_.begin()) - 1;
}

template <class T>
Csr<T> moved(const Team& team, const CsrView<T>& rows, const Partition& from, const Partition& to) {
  std::vector<Team::Bytes> parts(static_cast<std::size_t>(team.size()));
  const Index begin = from.begin(team);
  for_ranks(to, begin, from.end(team), [&](int rank, Index first, Index last) {
    append_rows(parts[static_cast<std::size_t>(rank)], rows, first - begin, last - begin);
  });
  return joined_rows<T>(team.exchange_v(parts), rows.cols);
}

template <class T>
Csr<T> gathered(const Team& team, const CsrView<T>& mine) {
  Team::Bytes part;
  append_rows(part, mine, 0, mine.rows);
  return joined_rows<T>(team.all_gather_v(part), mine.cols);
}

template <class T>
std::vector<T> moved(const Team& team, std::span<const T> mine, const Partition& from, const Partition& to) {
  std::vector<Team::Bytes> parts(static_cast<std::size_t>(team.size()));
  const Index begin = from.begin(team);
  for_ranks(to, begin, from.end(team), [&](int rank, Index first, Index last) {
    append(parts[static_cast<std::size_t>(rank)], mine.data() + (first - begin),
           static_cast<std::size_t>(last - first));
  });
  std::vector<T> result;
  for (const Team::Bytes& part : team.exchange_v(parts)) {
    const std::size_t before = result.size();
    result.resize(before + part.size() / sizeof(T));
    if (!part.empty()) std::memcpy(result.data() + before, part.data(), part.size());
  }
  return result;
}

template <class T>
Csr<T> assembled(const Team& team, std::span<const Triplet<T>> entries, const Partition& rows, Index cols) {
  std::vector<Team::Bytes> parts(static_cast<std::size_t>(team.size()));
  for (const Triplet<T>& entry : entries) append(parts[static_cast<std::size_t>(rows.owner(entry.row))], &entry, 1);
  std::vector<Triplet<T>> mine;
  for (const Team::Bytes& part : team.exchange_v(parts)) {
    const std::size_t before = mine.size();
    mine.resize(before + part.size() / sizeof(Triplet<T>));
    if (!part.empty()) std::memcpy(mine.data() + before, part.data(), part.size());
  }
  for (Triplet<T>& entry : mine) entry.row -= rows.begin(team);
  return team.agreed([&] { return from_triplets<T>(rows.length(team), cols, mine); });
}

template <class T>
Csr<T> transposed(const Team& team, const CsrView<T>& mine, const Partition& rows, const Partition& rows_of_transpose) {
  std::vector<Triplet<T>> entries;
  entries.reserve(mine.val.size());
  for (Index i = 0; i < mine.rows; ++i) {
    for (Offset k = mine.row_ptr[static_cast<std::size_t>(i)]; k < mine.row_ptr[static_cast<std::size_t>(i) + 1]; ++k)
      entries.push_back(
          {mine.col[static_cast<std::size_t>(k)], rows.begin(team) + i, mine.val[static_cast<std::size_t>(k)]});
  }
  return assembled<T>(team, entries, rows_of_transpose, rows.rows());
}

#define OSTINATO_INSTANTIATE(T)                                                                       \
  template Csr<T> moved(const Team&, const CsrView<T>&, const Partition&, const Partition&);          \
  template Csr<T> gathered(const Team&, const CsrView<T>&);                                           \
  template std::vector<T> moved(const Team&, std::span<const T>, const Partition&, const Partition&); \
  template Csr<T> transposed(const Team&, const CsrView<T>&, const Partition&, const Partition&);     \
  template Csr<T> assembled(const Team&, std::span<const Triplet<T>>, const Partition&, Index)
OSTINATO_FOR_VALUES(OSTINATO_INSTANTIATE);

}  // namespace ostinato
