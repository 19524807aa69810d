// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/team/read_rows.hpp>

#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/matrix/io/entry.hpp>
#include <ostinato/spmv/matrix/io/header.hpp>
#include <ostinato/spmv/matrix/io/text.hpp>
#include <ostinato/spmv/space/list.hpp>

namespace ostinato {

namespace {

/// What a rank has read of its share of a text.
template <class T>
struct Share {
  std::vector<Triplet<T>> entries;  ///< with their mirror images, in the order of the file
  Offset lines = 0, vanished = 0;
  bool bad = false, lower = false, upper = false;
};

/// The share of a rank: it begins after the first line end from its first byte on, or the one before, as the share of
/// the rank before it ends.
std::string_view share_of(std::string_view body, int rank, int size) {
  const char* const end = body.data() + body.size();
  const auto cut = [&](int r) {
    const char* const aim = body.data() + body.size() / static_cast<std::size_t>(size) * static_cast<std::size_t>(r);
    return r == 0 ? body.data() : r == size ? end : aim == body.data() ? aim : io::next_line(aim - 1, end);
  };
  const char* const begin = cut(rank);
  return {begin, static_cast<std::size_t>(cut(rank + 1) - begin)};
}

template <class T>
Share<T> read_share(const io::Header& h, std::string_view text, const StopRequest& stop) {
  Share<T> share;
  StopCheck check(stop, "the reading of the matrix was stopped");
  const char* const end = text.data() + text.size();
  const T mirrored = h.symmetry == io::Symmetry::skew ? T{-1} : T{1};
  const char* p = io::find_data(text.data(), end);
  while (p != end) {
    Triplet<T> e;
    check.count(1);
    const char* const line = p;
    p = io::parse_entry(h, p, end, e);
    share.bad = p == nullptr;
    if (share.bad) return share;
    ++share.lines;
    if (e.val == 0 && io::has_vanished(line, p)) ++share.vanished;
    share.entries.push_back(e);
    if (h.symmetry != io::Symmetry::general && e.row != e.col) {
      share.entries.push_back({e.col, e.row, mirrored * e.val});
      (e.col < e.row ? share.lower : share.upper) = true;
    }
    p = io::find_data(p, end);
  }
  return share;
}

struct Totals {
  Offset lines, vanished;
  bool bad, lower, upper;
};

Partition partition_of(const Team& team, std::span<const Offset> row_ptr, const Partition& now, Sharing sharing) {
  return sharing == Sharing::rows ? now : Partition::by_entries(team, row_ptr);
}

}  // namespace

template <class T>
SharedRows<T> read_rows(const Team& team, const std::string& path, Sharing sharing, MatrixMarketInfo* info,
                        const StopRequest& stop) {
  std::unique_ptr<io::Text> text;
  io::Header h;
  team.agreed([&] {
    text = std::make_unique<io::Text>(path);
    h = io::read_header(path, text->view());
  });
  if (team.most(h.entries) != team.least(h.entries) || team.most(h.rows) != team.least(h.rows))
    throw FormatError(path, 0, "the ranks have different files of this name");
  if (info != nullptr) *info = h.info;
  if (h.array) return share_rows<T>(team, team.agreed([&] { return read_matrix_market<T>(path, info); }), sharing);
  Share<T> share = team.agreed([&] { return read_share<T>(h, share_of(h.body, team.rank(), team.size()), stop); });
  const Totals all = team.reduce(Totals{share.lines, share.vanished, share.bad, share.lower, share.upper},
                                 [](const Totals& a, const Totals& b) {
                                   return Totals{a.lines + b.lines, a.vanished + b.vanished, a.bad || b.bad,
                                                 a.lower || b.lower, a.upper || b.upper};
                                 });
  if (all.bad || all.lines != h.entries) io::report<T>(path, h);
  if (all.lower && all.upper) team.agreed([&] { io::require_no_mirror_images(path, h); });
  if (info != nullptr) info->vanished = all.vanished;
  SharedRows<T> rows{Partition::by_rows(team, h.rows), {}};
  rows.mine = assembled<T>(team, share.entries, rows.parts, h.cols);
  const Partition parts = partition_of(team, rows.mine.row_ptr, rows.parts, sharing);
  if (parts != rows.parts) {
    rows.mine = moved<T>(team, rows.mine.view(), rows.parts, parts);
    rows.parts = parts;
  }
  return rows;
}

template <class T>
SharedRows<T> share_rows(const Team& team, const Csr<T>& whole, Sharing sharing) {
  const auto rows_of = [&](const Partition& parts) {
    const Index begin = parts.begin(team), end = parts.end(team);
    const Offset first = whole.row_ptr[static_cast<std::size_t>(begin)],
                 last = whole.row_ptr[static_cast<std::size_t>(end)];
    Csr<T> mine;
    mine.rows = end - begin;
    mine.cols = whole.cols;
    for (Index i = begin; i < end; ++i) mine.row_ptr.push_back(whole.row_ptr[static_cast<std::size_t>(i) + 1] - first);
    mine.col.assign(whole.col.begin() + first, whole.col.begin() + last);
    mine.val.assign(whole.val.begin() + first, whole.val.begin() + last);
    return mine;
  };
  const Partition even = Partition::by_rows(team, whole.rows);
  const Csr<T> mine = rows_of(even);
  const Partition parts = partition_of(team, mine.row_ptr, even, sharing);
  return {parts, rows_of(parts)};
}

#define OSTINATO_INSTANTIATE(T)                                                                                      \
  template SharedRows<T> read_rows(const Team&, const std::string&, Sharing, MatrixMarketInfo*, const StopRequest&); \
  template SharedRows<T> share_rows(const Team&, const Csr<T>&, Sharing)
OSTINATO_FOR_VALUES(OSTINATO_INSTANTIATE);

}  // namespace ostinato
