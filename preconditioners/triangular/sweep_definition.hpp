// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/preconditioners/triangular/sweep.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <ostinato/preconditioners/triangular/sweep_steps.hpp>
#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/space/concept.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato {

namespace sweep_definition {

/// Levels with fewer rows on average than this aren't worth the waking of threads.
inline constexpr std::size_t rows_of_long_level = 4096;

/// The level of each row.
inline std::vector<Index> levels_of(const Substitution& s) {
  const std::size_t n = s.rows();
  std::vector<Index> level_of_target(n, 0), level(n, 0);
  for (std::size_t i = 0; i < n; ++i) {
    Index latest = -1;
    for (auto k = static_cast<std::size_t>(s.row_ptr[i]); k < static_cast<std::size_t>(s.row_ptr[i + 1]); ++k)
      latest = std::max(latest, level_of_target[static_cast<std::size_t>(s.col[k])]);
    level[i] = level_of_target[static_cast<std::size_t>(s.target[i])] = latest + 1;
  }
  return level;
}

inline Index count_of(const std::vector<Index>& level) {
  return level.empty() ? 1 : *std::max_element(level.begin(), level.end()) + 1;
}

/// The rows by groups, the order within a group kept, and where groups begin.
struct GroupedRows {
  std::vector<Index> row;
  std::vector<std::size_t> begin;
};

inline GroupedRows by_group(const std::vector<Index>& group, Index count) {
  GroupedRows rows;
  rows.begin.assign(static_cast<std::size_t>(count) + 1, 0);
  for (const Index g : group) ++rows.begin[static_cast<std::size_t>(g) + 1];
  for (std::size_t g = 0; g + 1 < rows.begin.size(); ++g) rows.begin[g + 1] += rows.begin[g];
  std::vector<std::size_t> next(rows.begin);
  rows.row.resize(group.size());
  for (std::size_t i = 0; i < group.size(); ++i)
    rows.row[next[static_cast<std::size_t>(group[i])]++] = static_cast<Index>(i);
  return rows;
}

inline Substitution in_order(const Substitution& s, const std::vector<Index>& rows) {
  Substitution t;
  t.col.reserve(s.col.size());
  t.val.reserve(s.val.size());
  for (const Index row : rows) {
    const auto i = static_cast<std::size_t>(row);
    t.col.insert(t.col.end(), s.col.begin() + s.row_ptr[i], s.col.begin() + s.row_ptr[i + 1]);
    t.val.insert(t.val.end(), s.val.begin() + s.row_ptr[i], s.val.begin() + s.row_ptr[i + 1]);
    t.row_ptr.push_back(static_cast<Offset>(t.col.size()));
    t.source.push_back(s.source[i]);
    t.target.push_back(s.target[i]);
    t.scale.push_back(s.scale[i]);
  }
  return t;
}

/// The values as an array of the space.
template <class T, class Space>
Vector<Space, T> rounded(const Space& space, std::span<const double> values) {
  if (!std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(static_cast<T>(v)); }))
    detail::throw_out_of_range();
  if constexpr (!is_single<T>) {
    return Vector<Space, T>(space, values);
  } else {
    Array<T> r(values.size());
    std::transform(values.begin(), values.end(), r.begin(), [](double v) { return static_cast<T>(v); });
    return Vector<Space, T>(space, std::span<const T>(r));
  }
}

template <class T, class In, class Copy>
struct SubstituteRow {
  detail::SweepView<T> sweep;
  const In* in;
  T* out;
  Copy* copy;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    T sum = sweep.scale[i] * static_cast<T>(in[sweep.source[i]]);
    for (Offset k = sweep.row_ptr[i]; k < sweep.row_ptr[i + 1]; ++k) sum -= sweep.val[k] * out[sweep.col[k]];
    out[sweep.target[i]] = sum;
    if (copy != nullptr) copy[sweep.target[i]] = static_cast<Copy>(sum);
  }
};

/// Where the groups of rows begin, whose numbers ascend, and the number of rows.
inline std::vector<std::size_t> begins_of(std::span<const unsigned> group) {
  std::vector<std::size_t> begins;
  for (std::size_t i = 0; i < group.size(); ++i) {
    if (i == 0 || group[i] != group[i - 1]) begins.push_back(i);
  }
  begins.push_back(group.size());
  return begins;
}

/// Rows that begin with row `first`.
template <class Row>
struct RowsFrom {
  std::size_t first;
  Row row;
  OSTINATO_FUNCTION void operator()(std::size_t i) const { row(first + i); }
};

/// Level by level, whose rows don't wait for each other.
template <class Space, class Row>
void run_levels(const Space& space, const std::vector<std::size_t>& levels, const Row& row) {
  for (std::size_t l = 0; l + 1 < levels.size(); ++l)
    for_each(space, levels[l + 1] - levels[l], RowsFrom<Row>{levels[l], row});
}
template <class Row>
void run_levels(const Host& space, const std::vector<std::size_t>& levels, const Row& row) {
  constexpr std::size_t block = 512;
  const std::size_t rows = row.sweep.rows;
  if (space.threads() == 1 || levels.empty()) {
    for (std::size_t i = 0; i < rows; ++i) row(i);
    return;
  }
  for (std::size_t l = 0; l + 1 < levels.size(); ++l) {
    const std::size_t begin = levels[l], end = levels[l + 1];
    parallel_for(space, (end - begin + block - 1) / block, [=](std::size_t b) {
      const std::size_t last = std::min(begin + (b + 1) * block, end);
      for (std::size_t i = begin + b * block; i < last; ++i) row(i);
    });
  }
}

}  // namespace sweep_definition

template <class Space, class T>
Sweep<Space, T>::Sweep(const Space& space, Substitution s) : space_(space) {
  std::vector<unsigned> group;
  if (is_cuda<Space>) {
    s = detail::in_groups(s, arrays_.groups, group);
  } else {
    const std::vector<Index> level = sweep_definition::levels_of(s);
    arrays_.groups.levels = sweep_definition::count_of(level);
    // A thread of the host that is alone goes through the memory in the order of the factors.
    if (!is_host<Space> ||
        s.rows() >= sweep_definition::rows_of_long_level * static_cast<std::size_t>(arrays_.groups.levels)) {
      sweep_definition::GroupedRows rows = sweep_definition::by_group(level, arrays_.groups.levels);
      s = sweep_definition::in_order(s, rows.row);
      levels_ = std::move(rows.begin);
    }
  }
  arrays_.row_ptr = Vector<Space, Offset>(space, std::span<const Offset>(s.row_ptr));
  arrays_.col = Vector<Space, Index>(space, std::span<const Index>(s.col));
  arrays_.val = sweep_definition::rounded<T>(space, s.val);
  arrays_.source = Vector<Space, Index>(space, std::span<const Index>(s.source));
  arrays_.target = Vector<Space, Index>(space, std::span<const Index>(s.target));
  arrays_.scale = sweep_definition::rounded<T>(space, s.scale);
  Sweep* const alone[] = {this};
  make_tiles(alone, Vector<Space, unsigned>(space, std::span<const unsigned>(group)));
}

template <class Space, class T>
auto Sweep<Space, T>::both(const Space& space, SweepArrays<Space, T> first, SweepArrays<Space, T> second,
                           const Vector<Space, unsigned>& group) -> std::pair<Sweep, Sweep> {
  std::pair<Sweep, Sweep> sweeps(Sweep(space, std::move(first)), Sweep(space, std::move(second)));
  Sweep* const all[] = {&sweeps.first, &sweeps.second};
  make_tiles(all, group);
  if constexpr (!is_cuda<Space> && !is_host<Space>) {
    const std::vector<unsigned> groups = group.download();
    std::span<const unsigned> rest = groups;
    for (Sweep* const sweep : all) {
      const std::size_t rows = sweep->arrays_.target.size();
      sweep->levels_ = sweep_definition::begins_of(rest.first(rows));
      rest = rest.subspan(rows);
    }
  }
  return sweeps;
}

template <class Space, class T>
void Sweep<Space, T>::make_tiles(std::span<Sweep* const> sweeps, const Vector<Space, unsigned>& group) {
  if (!is_cuda<Space> || group.size() == 0) return;
  const Space& space = sweeps[0]->space_;
  Sweep *const first = sweeps.front(), *const second = sweeps.back();
  std::size_t rows[2], entries[2];
  Vector<Space, Index> row[2];
  for (std::size_t s = 0; s < sweeps.size(); ++s) {
    Sweep& sweep = *sweeps[s];
    rows[s] = sweep.arrays_.target.size();
    entries[s] = sweep.arrays_.col.size();
    row[s] = Vector<Space, Index>(space, rows[s]);
    sweep.place_ = Vector<Space, Index>(space, entries[s]);
    sweep.waiting_ = Vector<Space, T>(space, 2 * rows[s]);
    sweep.state_ = Vector<Space, unsigned>(space, sizeof(detail::SweepState) / sizeof(unsigned));
  }
  const std::size_t last = sweeps.size() - 1;
  const auto prepare = [&](Sweep& sweep, std::size_t s) {
    return detail::PrepareRows<T>{rows[s], sweep.arrays_.target.data(), row[s].data(), sweep.waiting_.data(),
                                  reinterpret_cast<detail::SweepState*>(sweep.state_.data())};
  };
  const auto places = [&](Sweep& sweep, std::size_t s) {
    return detail::FindPlaces{sweep.arrays_.col.data(), row[s].data(), sweep.place_.data()};
  };
  using Prepare = detail::Both<detail::PrepareRows<T>>;
  for_each(space, group.size(), Prepare{rows[0], {prepare(*first, 0), prepare(*second, last)}});
  for_each(space, last == 0 ? entries[0] : entries[0] + entries[1],
           detail::Both<detail::FindPlaces>{entries[0], {places(*first, 0), places(*second, last)}});
  const JoinedGroups groups = {{first->arrays_.groups, second->arrays_.groups}};
  Vector<Space, SweepTile> tiles[2];
  detail::make_tiles(space, groups, group, std::span<const std::size_t>(rows, sweeps.size()), tiles);
  for (std::size_t s = 0; s < sweeps.size(); ++s) sweeps[s]->tiles_ = std::move(tiles[s]);
  space.wait();  // a sweep may begin while the kernel before it ends
}

/// So many that some levels are at work at once, and one a multiprocessor. The warps of the later levels load what
/// doesn't depend on other rows. More of them would only look at elements, and slow down those that are due: long rows
/// look at many (H100, 2026-11: bench_triangular ahead).
template <class Space, class T>
unsigned Sweep<Space, T>::warps() const {
  if constexpr (is_cuda<Space>) {
    const double tiles = static_cast<double>(tiles_.size() - 1), most = detail::most_warps(space_);
    const double suited = arrays_.col.size() > 16 * arrays_.target.size() ? 8 : 16;
    const double ahead = ahead_ > 0 ? ahead_ : suited;
    const double wanted = ahead * tiles / static_cast<double>(arrays_.groups.levels);
    return static_cast<unsigned>(std::min(tiles, std::clamp(wanted, most / 32, most)));
  } else {
    return 0;
  }
}

template <class Space, class T>
std::string Sweep<Space, T>::way() const {
  std::string way =
      std::to_string(arrays_.target.size()) + " rows, " + std::to_string(arrays_.groups.levels) + " levels";
  if (tiles_.size() > 0)
    way += ", " + std::to_string(tiles_.size() - 1) + " tiles, " + std::to_string(warps()) + " warps";
  return way;
}

template <class Space, class T>
template <class In, class Copy>
void Sweep<Space, T>::run(std::span<const In> in, std::span<T> out, std::span<Copy> copy) const {
  const SweepArrays<Space, T>& a = arrays_;
  const detail::SweepView<T> view = {.rows = a.target.size(),
                                     .row_ptr = a.row_ptr.data(),
                                     .col = a.col.data(),
                                     .val = a.val.data(),
                                     .source = a.source.data(),
                                     .target = a.target.data(),
                                     .scale = a.scale.data()};
  if (view.rows == 0) return;
  if constexpr (is_cuda<Space>) {
    const detail::SweepTiles<T> tiles = {.rows = view,
                                         .tile = tiles_.data(),
                                         .count = static_cast<unsigned>(tiles_.size() - 1),
                                         .warps = warps(),
                                         .place = place_.data(),
                                         .waiting = waiting_.data(),
                                         .state = reinterpret_cast<detail::SweepState*>(state_.data())};
    detail::run_sweep(space_, tiles, in.data(), out.data(), copy.data());
  } else {
    sweep_definition::run_levels(
        space_, levels_, sweep_definition::SubstituteRow<T, In, Copy>{view, in.data(), out.data(), copy.data()});
  }
}

template <class Space, class T>
void Sweep<Space, T>::take(Vector<Space, T> val, Vector<Space, T> scale) {
  arrays_.val = std::move(val);
  arrays_.scale = std::move(scale);
}

template <class Space, class T>
std::size_t Sweep<Space, T>::bytes() const {
  const SweepArrays<Space, T>& a = arrays_;
  const std::size_t arrays =
      a.row_ptr.bytes() + a.col.bytes() + a.val.bytes() + a.source.bytes() + a.target.bytes() + a.scale.bytes();
  return arrays + tiles_.bytes() + place_.bytes() + waiting_.bytes() + state_.bytes();
}

}  // namespace ostinato
