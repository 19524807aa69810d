// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The passes of analyse(), written once for both spaces: structure.cpp runs them on Host, structure.cu on Cuda.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <future>
#include <memory>
#include <vector>

#include <ostinato/spmv/analysis/diagonals_steps.hpp>
#include <ostinato/spmv/analysis/entry_steps.hpp>
#include <ostinato/spmv/analysis/profile.hpp>
#include <ostinato/spmv/analysis/structure.hpp>
#include <ostinato/spmv/base/function.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/matrix/csr_pattern.hpp>
#include <ostinato/spmv/space/for_each.hpp>
#include <ostinato/spmv/space/sums.hpp>
#include <ostinato/spmv/space/together.hpp>
#include <ostinato/spmv/space/vector.hpp>

namespace ostinato::detail {

/// Inspects a row length: its squared distance from the mean, and whether the row is empty. Squares about the mean
/// avoid cancellation.
template <class Atomics>
struct InspectRow {
  const Offset* row_ptr;
  double mean;
  Findings* found;

  OSTINATO_FUNCTION Sums<2> operator()(std::size_t i) const {
    const int length = static_cast<int>(row_ptr[i + 1] - row_ptr[i]);
    const bool longer = i == 0 || length > row_ptr[i] - row_ptr[i - 1];  // than the row above, which is reported
    if (longer && length > Atomics::load(&found->longest_row)) Atomics::max(&found->longest_row, length);
    const double d = length - mean;
    return {{d * d, length == 0 ? 1.0 : 0.0}};
  }
};

/// Counts the used diagonals, and finds the one that is farthest from the main diagonal.
template <class Atomics>
struct CountUsed {
  const std::uint8_t* used;
  Index rows;
  Findings* found;

  OSTINATO_FUNCTION Sums<1> operator()(std::size_t i) const {
    if (used[i] == 0) return {{0.0}};
    const auto offset = static_cast<Offset>(i) - (rows - 1);
    const int distance = static_cast<int>(offset < 0 ? -offset : offset);
    if (distance > Atomics::peek(&found->farthest)) Atomics::max(&found->farthest, distance);
    return {{1.0}};
  }
};

/// Lists the used diagonals in any order, unless there are more than max_listed_diagonals; the host sorts them.
template <class Atomics>
struct ListUsed {
  const std::uint8_t* used;
  Index rows;
  Findings* found;
  Index* list;

  OSTINATO_FUNCTION bool prepare() const { return found->diagonals <= Structure::max_listed_diagonals; }
  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    if (used[i] != 0) list[Atomics::add(&found->listed, 1)] = static_cast<Index>(static_cast<Offset>(i) - (rows - 1));
  }
};

/// Sorts offsets, which differ. Many that are near each other are marked in a bitmap: std::sort() takes 0.1 ms for
/// 4,000, ten times as long.
inline void sort_offsets(std::vector<Index>& offsets) {
  constexpr std::size_t few = 64, bits = 64;
  if (offsets.size() <= few) return std::sort(offsets.begin(), offsets.end());
  const auto [least, most] = std::minmax_element(offsets.begin(), offsets.end());
  const Offset first = *least;
  const std::size_t words = static_cast<std::size_t>(*most - first) / bits + 1;
  if (words > 4 * offsets.size()) return std::sort(offsets.begin(), offsets.end());
  std::vector<std::uint64_t> marks(words);
  for (const Index o : offsets) {
    const auto place = static_cast<std::size_t>(o - first);
    marks[place / bits] |= std::uint64_t{1} << place % bits;
  }
  auto next = offsets.begin();
  for (std::size_t word = 0; word < marks.size(); ++word) {
    for (std::uint64_t left = marks[word]; left != 0; left &= left - 1)
      *next++ = static_cast<Index>(first + static_cast<Offset>(word * bits) + std::countr_zero(left));
  }
}

/// What the passes have found, and the offsets of the used diagonals, ascending; no offsets when there are more than
/// max_listed_diagonals. Also copies `others`. Waits once.
template <class Space>
Findings take_findings(const Space& space, const Vector<Space, std::uint8_t>& used, Index rows,
                       Vector<Space, Findings>& found, const Copied& others, std::vector<Index>& offsets) {
  const std::size_t most = std::min<std::size_t>(used.size(), Structure::max_listed_diagonals);
  Vector<Space, Index> list(space, most, 0);
  for_each(space, used.size(), ListUsed<Atomic<Space>>{used.data(), rows, found.data(), list.data()});
  Findings taken;
  offsets.resize(most);
  download(space, {copied(taken, found.data()), {offsets.data(), list.data(), list.bytes()}, others});
  offsets.resize(static_cast<std::size_t>(taken.listed));
  sort_offsets(offsets);
  return taken;
}

/// Inspects all entries, row by row or run by run. Row by row needs rows without great length, because a thread takes
/// whole rows, or so few entries on a CPU that one thread can take them all (memplus, 1.2 ms instead of 1.6); on a GPU
/// also many rows of few entries, because the loads of longer rows are coalesced only in runs. longest_row() may wait.
template <class Space, class T, class F>
void inspect_entries(const Space& space, const InspectEntries<Atomic<Space>, T>& entries, F longest_row) {
  double* const sums = entries.found->entries;
  const double mean = static_cast<double>(entries.nonzeros) / entries.rows;
  const bool few = mean <= 8;
  if (!Space::has_streams || (few && entries.rows >= EntryRuns::fill)) {
    constexpr Offset for_one_thread = Space::has_streams ? 0 : Offset{1} << 18;
    if (entries.nonzeros <= for_one_thread || longest_row() <= 64 + 8 * mean)
      return sum(space, static_cast<std::size_t>(entries.rows), InspectByRow<Atomic<Space>, T>{entries}, sums);
  }
  const EntryRuns runs = EntryRuns::on<Space>(entries.nonzeros, 32, few ? 1 : 32);
  sum(space, runs.count(), InspectByRun<Atomic<Space>, T>{entries, runs}, sums);
  for_each(space, static_cast<std::size_t>(entries.rows),
           RowNorm<Atomic<Space>, T>{entries.row_ptr, entries.val, entries.found});
}

/// Copies the findings that depend on values to the structure, whose pattern_symmetric is set.
inline void take_values(const Findings& f, Structure& s) {
  s.missing_diagonal = std::min(s.rows, s.cols) - static_cast<Index>(f.entries[0]);
  s.positive_diagonal = f.nonpositive_diagonal == 0 && s.missing_diagonal == 0;
  s.negative_diagonal = f.nonnegative_diagonal == 0 && s.missing_diagonal == 0;
  s.constant_diagonal = f.varying_diagonal == 0 && s.missing_diagonal == 0;
  s.symmetric = s.pattern_symmetric && f.asymmetric_values == 0;
  s.finite = f.not_finite == 0;
  std::memcpy(&s.norm_inf, &f.norm_bits, sizeof s.norm_inf);
}

/// Copies the findings of the passes to the structure.
inline void take(const Findings& f, bool mirrors, Structure& s) {
  s.longest_row = f.longest_row;
  s.farthest = f.farthest;
  s.diagonals = static_cast<Offset>(f.diagonals);
  s.row_deviation = std::sqrt(f.rows[0] / s.rows);
  s.empty_rows = static_cast<Index>(f.rows[1]);
  s.pattern_symmetric = mirrors && f.asymmetric_pattern == 0 && f.entries[1] == 0;
  take_values(f, s);
}

/// AnalysisDepth::lengths of a matrix that has rows and columns.
template <class Space, class T>
void analyse_lengths(const Space& space, const CsrView<T>& a, Structure& s) {
  const auto rows = static_cast<std::size_t>(a.rows);
  Vector<Space, Findings> found(space, 1);
  space.zero(found.data(), found.bytes());
  sum(space, rows, InspectRow<Atomic<Space>>{a.row_ptr.data(), s.mean_row, found.data()}, found.data()->rows);
  for_each(space, rows, RowNorm<Atomic<Space>, T>{a.row_ptr.data(), a.val.data(), found.data()});
  take(found.download()[0], false, s);
  s.finite = std::isfinite(s.norm_inf);
  s.lengths_only = true;
  s.profile = std::make_shared<const Profile>();
}

template <class Space, class T>
Structure analyse_on(const Space& space, const CsrView<T>& a, AnalysisDepth depth) {
  Structure s;
  s.rows = a.rows;
  s.cols = a.cols;
  s.nonzeros = a.nonzeros();
  if (a.rows == 0 || a.cols == 0) {
    s.empty_rows = a.rows;
    s.norm_inf = 0;
    s.pattern_symmetric = s.symmetric = a.rows == a.cols;
    s.census = std::make_shared<const DiagonalCensus>(blank_census(a, {}, piece_rows));
    s.profile = std::make_shared<const Profile>();
    return s;
  }
  s.mean_row = static_cast<double>(s.nonzeros) / a.rows;
  if (depth == AnalysisDepth::lengths) {
    analyse_lengths(space, a, s);
    return s;
  }

  const std::size_t rows = static_cast<std::size_t>(a.rows), cols = static_cast<std::size_t>(a.cols);
  Vector<Space, std::uint8_t> used(space, rows + cols - 1);
  space.zero(used.data(), used.bytes());
  Vector<Space, Findings> on_space(space, 1);
  space.zero(on_space.data(), on_space.bytes());
  Findings* const found = on_space.data();
  StartedProfile profile = start_profile(space, a, depth != AnalysisDepth::product);
  sum(space, rows, InspectRow<Atomic<Space>>{a.row_ptr.data(), s.mean_row, found}, found->rows);
  const bool mirrors = a.rows == a.cols && depth != AnalysisDepth::product;
  Vector<Space, Index> expected;
  if (mirrors && !Space::has_streams) expected = Vector<Space, Index>(space, rows, 0);
  inspect_entries<Space, T>(space,
                            {pattern_of(a), a.val.data(), s.nonzeros, mirrors, found, used.data(), expected.data()},
                            [&] { return on_space.download()[0].longest_row; });
  sum(space, used.size(), CountUsed<Atomic<Space>>{used.data(), s.rows, found}, &found->diagonals);

  take(take_findings(space, used, s.rows, on_space, profile.counters, s.offsets), mirrors, s);
  s.census = census_of(space, a, s, depth);
  s.profile = std::make_shared<const Profile>(profile.made.get());
  return s;
}

/// Copies the findings on new values to the structure, and drops what describes the old ones.
template <class T>
void take_new_values(const Findings& f, Structure& s) {
  take_values(f, s);
  s.census = nullptr;
  Profile profile = *s.profile;
  profile.single = is_single<T>;
  profile.distinct = 0;
  profile.different.clear();
  s.profile = std::make_shared<const Profile>(std::move(profile));
}

}  // namespace ostinato::detail
