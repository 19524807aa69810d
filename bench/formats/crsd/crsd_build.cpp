// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/bench/formats/crsd/crsd_build.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <ostinato/spmv/analysis/diagonals.hpp>

namespace ostinato::formats {

namespace {

using detail::segment_rows;

/// The rows of a segment that have the only entry of a diagonal there, as bits, and the diagonals of the other rows.
struct SegmentDiagonals {
  std::uint32_t taken = 0;
  std::vector<Index> offsets;  ///< ascending

  template <class T>
  void find(const CsrView<T>& a, Index first, Index rows) {
    entries_.clear();
    for (Index r = 0; r < rows; ++r) {
      const auto i = static_cast<std::size_t>(first + r);
      for (Offset k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k)
        entries_.push_back({a.col[static_cast<std::size_t>(k)] - (first + r), r});
    }
    std::sort(entries_.begin(), entries_.end());
    taken = 0;
    for (std::size_t k = 0; k < entries_.size(); ++k) {
      const bool alone = (k == 0 || entries_[k - 1].first != entries_[k].first) &&
                         (k + 1 == entries_.size() || entries_[k + 1].first != entries_[k].first);
      if (alone) taken |= std::uint32_t{1} << entries_[k].second;
    }
    offsets.clear();
    for (const auto& [offset, r] : entries_) {
      const bool known = !offsets.empty() && offsets.back() == offset;
      if ((taken >> r & 1) == 0 && !known) offsets.push_back(offset);
    }
  }

 private:
  std::vector<std::pair<Index, Index>> entries_;  ///< offset and row
};

/// Numbers the patterns, and writes the groups of each new one.
template <class T>
class Patterns {
 public:
  explicit Patterns(CrsdArrays<T>& to) : to_(to) {}

  Index number_of(const std::vector<Index>& offsets) {
    const auto [at, is_new] = known_.try_emplace(offsets, static_cast<Index>(known_.size()));
    if (is_new) add_groups(offsets);
    return at->second;
  }

 private:
  void add_groups(const std::vector<Index>& offsets) {
    for (std::size_t d = 0; d < offsets.size(); ++d) {
      if (d > 0 && offsets[d] == offsets[d - 1] + 1) {
        ++to_.group.back().count;
      } else {
        to_.group.push_back({offsets[d], 1});
      }
    }
    to_.group_ptr.push_back(static_cast<Index>(to_.group.size()));
  }

  CrsdArrays<T>& to_;
  std::map<std::vector<Index>, Index> known_;
};

/// Appends the values of a segment, diagonal by diagonal.
template <class T>
void add_values(const CsrView<T>& a, Index first, Index rows, const SegmentDiagonals& segment, std::vector<T>& val) {
  const std::size_t start = val.size(), height = static_cast<std::size_t>(rows);
  val.resize(start + segment.offsets.size() * height);
  for (Index r = 0; r < rows; ++r) {
    if ((segment.taken >> r & 1) != 0) continue;
    const auto i = static_cast<std::size_t>(first + r);
    std::size_t d = 0;
    for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k) {
      while (segment.offsets[d] < a.col[k] - (first + r)) ++d;
      val[start + d * height + static_cast<std::size_t>(r)] = a.val[k];
    }
  }
}

/// Copies the scattered rows to ELL.
template <class T>
void add_scattered(const CsrView<T>& a, CrsdArrays<T>& to) {
  for (const Index row : to.scatter_row) {
    const auto i = static_cast<std::size_t>(row);
    to.width = std::max(to.width, static_cast<Index>(a.row_ptr[i + 1] - a.row_ptr[i]));
  }
  const std::size_t rows = to.scatter_row.size(), slots = rows * static_cast<std::size_t>(to.width);
  to.scatter_col.assign(slots, -1);
  to.scatter_val.assign(slots, T{0});
  for (std::size_t s = 0; s < rows; ++s) {
    const auto i = static_cast<std::size_t>(to.scatter_row[s]);
    std::size_t slot = s;
    for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k) {
      to.scatter_col[slot] = a.col[k];
      to.scatter_val[slot] = a.val[k];
      slot += rows;
    }
  }
}

/// What CRSD stores of a row piece of the census, as far as that is known.
class PieceEstimate {
 public:
  explicit PieceEstimate(Index rows) : rows_(rows), marks_(static_cast<std::size_t>(rows)) {}

  void add(const PieceDiagonal& d) {
    if (d.entries == 0) return;
    const int segments = d.last / segment_rows - d.first / segment_rows + 1;
    const double mean = static_cast<double>(d.entries) / segments;
    if (d.entries == d.last - d.first + 1) {
      const bool first_alone = d.entries == 1 || d.first % segment_rows == segment_rows - 1;
      const bool last_alone = d.entries > 1 && d.last % segment_rows == 0;
      marks_[d.first] += first_alone;
      marks_[d.last] += last_alone;
      stored_.push_back({segments - first_alone - last_alone, mean});
      return;
    }
    const double some = std::min<double>(segments, d.entries), alone = segments * mean * std::exp(-mean);
    estimated_ += alone;
    possible_ += some;
    stored_.push_back({std::max(some - alone, 0.0), mean});
  }

  void add_to(CrsdEstimate& e) const {
    const double known = static_cast<double>(rows_ - std::count(marks_.begin(), marks_.end(), 0)), free = rows_ - known,
                 scattered = known + (free > 0 ? free * (1 - std::exp(-estimated_ / free)) : 0);
    e.scattered += scattered;
    e.most_scattered += known + std::min(free, possible_);
    e.width = std::max<double>(e.width, *std::max_element(marks_.begin(), marks_.end()));
    for (const auto& [segments, entries] : stored_) {
      const double in_scattered_rows = std::pow(scattered / rows_, entries);
      e.slots += std::min(rows_, segment_rows) * segments * (1 - in_scattered_rows);
    }
  }

 private:
  Index rows_;
  std::vector<int> marks_;  ///< of each row: diagonals of which it certainly has the only entry in its segment
  std::vector<std::pair<double, double>> stored_;  ///< of each diagonal: its segments, and its entries in one of them
  double estimated_ = 0, possible_ = 0;            ///< other rows that are alone in a segment, and at most
};

}  // namespace

template <class T>
CrsdArrays<T> to_crsd(const CsrView<T>& a) {
  CrsdArrays<T> to;
  Patterns<T> patterns(to);
  SegmentDiagonals segment;
  for (Offset first = 0; first < a.rows; first += segment_rows) {
    const auto begin = static_cast<Index>(first), rows = std::min(segment_rows, a.rows - begin);
    segment.find(a, begin, rows);
    to.pattern.push_back(patterns.number_of(segment.offsets));
    to.start.push_back(static_cast<Offset>(to.val.size()));
    to.taken.push_back(segment.taken);
    add_values(a, begin, rows, segment, to.val);
    for (Index r = 0; r < rows; ++r) {
      if ((segment.taken >> r & 1) != 0) to.scatter_row.push_back(begin + r);
    }
  }
  add_scattered(a, to);
  return to;
}

template CrsdArrays<float> to_crsd(const CsrView<float>&);
template CrsdArrays<double> to_crsd(const CsrView<double>&);

CrsdEstimate estimate_crsd(const Structure& s) {
  const DiagonalCensus& census = *s.census;
  CrsdEstimate e;
  const std::size_t count = census.diagonals.size();
  for (std::size_t p = 0; p < census.fewest().size(); ++p) {
    const Index rows = std::min<Index>(piece_rows, census.rows - static_cast<Index>(p) * piece_rows);
    PieceEstimate piece(rows);
    for (std::size_t d = 0; d < count; ++d) piece.add(census.pieces()[p * count + d]);
    piece.add_to(e);
  }
  e.width = std::min<double>(s.longest_row, std::max(e.width, s.mean_row + 2 * s.row_deviation));
  return e;
}

}  // namespace ostinato::formats
