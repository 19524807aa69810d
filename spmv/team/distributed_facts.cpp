// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/team/distributed_facts.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <set>
#include <span>

#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/space/list.hpp>

namespace ostinato {

namespace {

/// What can be counted, and joined for all ranks.
struct Counts {
  Offset entries = 0, empty_rows = 0, missing_diagonal = 0, positive = 0, negative = 0, not_finite = 0, asymmetric = 0;
  Index longest = 0;
  double norm = 0;

  Counts operator+(const Counts& o) const {
    return {entries + o.entries,       empty_rows + o.empty_rows,    missing_diagonal + o.missing_diagonal,
            positive + o.positive,     negative + o.negative,        not_finite + o.not_finite,
            asymmetric + o.asymmetric, std::max(longest, o.longest), std::isnan(norm) || norm > o.norm ? norm : o.norm};
  }
};

template <class T>
Counts counted(const CsrView<T>& a, Index begin) {
  Counts c;
  for (Index i = 0; i < a.rows; ++i) {
    const auto first = static_cast<std::size_t>(a.row_ptr[static_cast<std::size_t>(i)]),
               last = static_cast<std::size_t>(a.row_ptr[static_cast<std::size_t>(i) + 1]);
    double sum = 0;
    T diagonal = 0;
    for (std::size_t k = first; k < last; ++k) {
      sum += std::abs(static_cast<double>(a.val[k]));
      c.not_finite += std::isfinite(a.val[k]) ? 0 : 1;
      if (a.col[k] == begin + i) diagonal = a.val[k];
    }
    const Index length = static_cast<Index>(last - first);
    c.entries += length;
    c.longest = std::max(c.longest, length);
    c.empty_rows += length == 0;
    c.missing_diagonal += diagonal == 0;
    c.positive += diagonal > 0;
    c.negative += diagonal < 0;
    if (!(sum <= c.norm)) c.norm = sum;
  }
  return c;
}

/// Entries of this rank without an equal mirror entry, and those of others whose mirror entry would be here.
template <class T>
Offset asymmetric_entries(const Team& team, const Partition& rows, const CsrView<T>& a) {
  const Index begin = rows.begin(team), end = rows.end(team);
  const auto has = [&](Index row, Index col, T value) {
    const auto first = a.col.begin() + a.row_ptr[static_cast<std::size_t>(row - begin)],
               last = a.col.begin() + a.row_ptr[static_cast<std::size_t>(row - begin) + 1];
    const auto at = std::lower_bound(first, last, col);
    return at != last && *at == col && a.val[static_cast<std::size_t>(at - a.col.begin())] == value;
  };
  Offset missing = 0;
  std::vector<std::vector<Triplet<T>>> to(static_cast<std::size_t>(team.size()));
  for (Index i = begin; i < end; ++i) {
    for (Offset k = a.row_ptr[static_cast<std::size_t>(i - begin)];
         k < a.row_ptr[static_cast<std::size_t>(i - begin) + 1]; ++k) {
      const Index column = a.col[static_cast<std::size_t>(k)];
      const T value = a.val[static_cast<std::size_t>(k)];
      if (column >= begin && column < end) {
        missing += has(column, i, value) ? 0 : 1;
      } else {
        to[static_cast<std::size_t>(rows.owner(column))].push_back({column, i, value});
      }
    }
  }
  std::vector<Team::Bytes> parts;
  for (const auto& entries : to) {
    const auto* const bytes = reinterpret_cast<const std::byte*>(entries.data());
    parts.emplace_back(bytes, bytes + entries.size() * sizeof(Triplet<T>));
  }
  for (const Team::Bytes& part : team.exchange_v(parts)) {
    for (std::size_t at = 0; at < part.size(); at += sizeof(Triplet<T>)) {
      Triplet<T> entry;
      std::memcpy(&entry, part.data() + at, sizeof entry);
      missing += has(entry.row, entry.col, entry.val) ? 0 : 1;
    }
  }
  return missing;
}

}  // namespace

template <class T>
Facts distributed_facts(const Team& team, const Partition& rows, const Partition& cols, const CsrView<T>& mine) {
  const bool is_square = rows == cols;
  Counts here = counted(mine, rows.begin(team));
  if (is_square) here.asymmetric = asymmetric_entries(team, rows, mine);
  const Counts all = team.reduce(here, [](const Counts& a, const Counts& b) { return a + b; });
  const Offset diagonal = std::min(rows.rows(), cols.rows());
  Facts facts;
  facts.rows = rows.rows();
  facts.cols = cols.rows();
  facts.nonzeros = all.entries;
  facts.longest_row = all.longest;
  facts.mean_row = rows.rows() > 0 ? static_cast<double>(all.entries) / rows.rows() : 0;
  facts.empty_rows = static_cast<Index>(all.empty_rows);
  facts.symmetric = is_square && all.asymmetric == 0;
  facts.missing_diagonal = static_cast<Index>(all.missing_diagonal - (rows.rows() - diagonal));
  facts.positive_diagonal = diagonal > 0 && all.positive == diagonal;
  facts.negative_diagonal = diagonal > 0 && all.negative == diagonal;
  facts.finite = all.not_finite == 0;
  facts.norm_inf = all.norm;
  return facts;
}

template <class T>
std::optional<std::vector<Index>> distributed_diagonals(const Team& team, const Partition& rows, const CsrView<T>& mine,
                                                        std::size_t most) {
  std::set<Index> found;
  for (Index i = 0; i < mine.rows && found.size() <= most; ++i) {
    for (Offset k = mine.row_ptr[static_cast<std::size_t>(i)]; k < mine.row_ptr[static_cast<std::size_t>(i) + 1]; ++k)
      found.insert(mine.col[static_cast<std::size_t>(k)] - (rows.begin(team) + i));
  }
  if (team.most(found.size()) > most) return {};
  const std::vector<Index> here(found.begin(), found.end());
  for (const Team::Bytes& others : team.all_gather_v(std::as_bytes(std::span(here)))) {
    std::vector<Index> offsets(others.size() / sizeof(Index));
    if (!others.empty()) std::memcpy(offsets.data(), others.data(), others.size());
    found.insert(offsets.begin(), offsets.end());
  }
  if (found.size() > most) return {};
  return std::vector<Index>(found.begin(), found.end());
}

template <class T>
bool has_few_diagonals(const Team& team, const Partition& rows, const CsrView<T>& mine) {
  constexpr std::size_t most = 15;
  constexpr double filled = 0.5;
  const auto diagonals = distributed_diagonals(team, rows, mine, most);
  const Offset entries = team.sum(mine.nonzeros());
  return diagonals && !diagonals->empty() &&
         static_cast<double>(entries) >= filled * static_cast<double>(diagonals->size()) * rows.rows();
}

#define OSTINATO_INSTANTIATE(T)                                                                                      \
  template Facts distributed_facts(const Team&, const Partition&, const Partition&, const CsrView<T>&);              \
  template std::optional<std::vector<Index>> distributed_diagonals(const Team&, const Partition&, const CsrView<T>&, \
                                                                   std::size_t);                                     \
  template bool has_few_diagonals(const Team&, const Partition&, const CsrView<T>&)
OSTINATO_FOR_VALUES(OSTINATO_INSTANTIATE);

}  // namespace ostinato
