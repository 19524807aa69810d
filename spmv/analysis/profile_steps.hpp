// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The passes of start_profile(), written once for both spaces: profile.cpp runs them on Host, profile.cu on Cuda.
//
// Both files define three helpers:
//   inspect_lengths(space, row_ptr, rows, counters)  adds up the slices' longest rows
//   histogram<K>(space, n, f, counts)  calls f(i, add) for i = 0 .. n - 1, where add(k, v) adds v to counts[k], k < K;
//                                      F::follows says that f reads results of the previous pass
//   inspect_values(space, a, counters)  applies InspectValues to the entries until its results can't change any more

#include <algorithm>
#include <cstdint>
#include <future>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include <ostinato/spmv/analysis/diagonals_steps.hpp>
#include <ostinato/spmv/analysis/profile.hpp>
#include <ostinato/spmv/base/function.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/space/for_each.hpp>
#include <ostinato/spmv/space/vector.hpp>

namespace ostinato::detail {

/// Sizes of the square blocks beyond the heights and widths of Profile::fill.
inline constexpr int larger_squares[3] = {5, 6, 8};

/// Positions of the counts in ProfileCounters::sampled.
struct Sampled {
  static constexpr int entries = 0;                   ///< entries in block rows of heights 1 .. 4
  static constexpr int blocks = entries + 4;          ///< blocks of heights and widths 1 .. 4, width fastest
  static constexpr int square_entries = blocks + 16;  ///< entries in block rows of the larger squares
  static constexpr int square_blocks = square_entries + 3;
  static constexpr int sectors = square_blocks + 3;
  static constexpr int count = sectors + 1;
};

/// Classes of columns by their number of sampled entries: eight classes per power of two, one class per number below
/// 16.
struct Popularity {
  static constexpr int classes = 160;

  static OSTINATO_FUNCTION int class_of(int entries) {
    int shift = 0;
    while ((entries >> shift) >= 16) ++shift;
    return 8 * shift + (entries >> shift);
  }
};

/// The results of the passes, which are copied to the host. All members are 0 before the first pass.
struct ProfileCounters {
  static_assert(Profile::most_distinct == Distinct<void>::limit);

  Offset slice_widths;  ///< sum of the slices' longest rows
  int wide;             ///< 1 when some value isn't exact in float
  int values;           ///< number of different values counted
  Offset value_slots[Distinct<void>::capacity];
  int sampled[Sampled::count];
  int popular[2 * Popularity::classes];  ///< number of columns in each class, then their entries
};

/// Inspects values: whether they are exact in float, and how many different values there are.
template <class Atomics, class T>
struct InspectValues {
  const T* val;
  Distinct<Atomics> distinct;

  OSTINATO_FUNCTION bool exact(Offset k) const {
    return is_single<T> || static_cast<T>(static_cast<float>(val[k])) == val[k];
  }

  /// Counts the value of entry k unless the value is known. Returns false when there are too many different values.
  /// `cache` is as for Distinct::add.
  OSTINATO_FUNCTION bool add(Offset k, Offset* cache) const {
    const auto bits = bits_of(val[k]);
    const T* const values = val;
    const auto same = [=](Offset other) { return bits_of(values[other]) == bits; };
    return distinct.add(Rows<T>::mixed(bits), k, same, cache);
  }
};

/// Selects `count` of `all` items, evenly spaced.
struct Spread {
  Offset all, count;
  OSTINATO_FUNCTION Offset at(Offset k) const { return k * all / count; }
};

/// The sampling tasks: first block rows, then the entries of runs. Task t * groups.count + g is a block row of group g.
/// The height of the block rows grows with t, so that neighbouring threads do the same work, and neighbouring threads
/// have entries of the same run, so that they load the same columns. `OnDevice`: many threads, which load side by side.
template <bool OnDevice>
struct Samples {
  static constexpr bool follows = false;
  static constexpr Offset group_rows = 12, run_entries = 32, longest_merge = 96;
  static constexpr Index no_column = std::numeric_limits<Index>::max();  // greater than any column
  static constexpr Offset tasks_in_group = 32;                           // sum of 12 / height, each rounded up

  const Offset* row_ptr;
  const Index* col;
  Offset rows, nonzeros;
  Spread groups, runs;

  OSTINATO_FUNCTION std::size_t tasks() const {
    return static_cast<std::size_t>(groups.count * tasks_in_group + runs.count * run_entries);
  }

  template <class Add>
  OSTINATO_FUNCTION void operator()(std::size_t i, Add add) const {
    const Offset task = static_cast<Offset>(i) / groups.count, group = static_cast<Offset>(i) % groups.count;
    if (task >= tasks_in_group) return entry(static_cast<Offset>(i) - groups.count * tasks_in_group, add);
    const Offset begin = groups.at(group) * group_rows;
    if (task < 12) return block_row<1>(begin, task, add);
    if (task < 18) return block_row<2>(begin, task - 12, add);
    if (task < 22) return block_row<3>(begin, task - 18, add);
    if (task < 25) return block_row<4>(begin, task - 22, add);
    if (task < 28) return square_row<5>(begin, task - 25, 0, add);
    if (task < 30) return square_row<6>(begin, task - 28, 1, add);
    square_row<8>(begin, task - 30, 2, add);
  }

 private:
  /// The first row of block row `number` in the group; `rows` when the group has no such block row.
  template <int H>
  OSTINATO_FUNCTION Offset first_row(Offset begin, Offset number) const {
    const Offset first = ((begin + H - 1) / H + number) * H;
    return first < begin + group_rows ? first : rows;
  }

  /// Calls each(column) for the first columns with an entry in H rows, ascending, at most longest_merge columns.
  /// Returns the number of entries in these columns.
  template <int H, class Each>
  OSTINATO_FUNCTION int merge(Offset first, Each each) const {
    Offset at[H], end[H];
    Index next[H];
    for (int r = 0; r < H; ++r) {
      const bool there = first + r < rows;
      at[r] = there ? row_ptr[first + r] : 0;
      end[r] = there ? row_ptr[first + r + 1] : 0;
      next[r] = at[r] < end[r] ? col[at[r]] : no_column;
    }
    int entries = 0;
    for (Offset n = 0; n < longest_merge; ++n) {
      Index column = next[0];
      for (int r = 1; r < H; ++r) column = next[r] < column ? next[r] : column;
      if (column == no_column) break;
      each(column);
      for (int r = 0; r < H; ++r) {  // no branch, so the loads overlap
        const bool taken = next[r] == column;
        entries += taken;
        at[r] += taken;
        const bool more = at[r] < end[r];
        const Index following = col[more ? at[r] : 0];
        next[r] = more ? following : no_column;
      }
    }
    return entries;
  }

  template <int H, class Add>
  OSTINATO_FUNCTION void block_row(Offset begin, Offset number, Add add) const {
    const Offset first = first_row<H>(begin, number);
    if (first >= rows) return;
    int blocks[Profile::widths] = {};
    Index last[Profile::widths] = {-1, -1, -1, -1};
    const int entries = merge<H>(first, [&](Index column) {
      const Index in[Profile::widths] = {column, column / 2, column / 3, column / 4};
      for (int w = 0; w < Profile::widths; ++w) blocks[w] += in[w] != last[w];
      for (int w = 0; w < Profile::widths; ++w) last[w] = in[w];
    });
    if (entries == 0) return;
    add(Sampled::entries + H - 1, entries);
    for (int w = 0; w < Profile::widths; ++w) add(Sampled::blocks + (H - 1) * Profile::widths + w, blocks[w]);
  }

  template <int S, class Add>
  OSTINATO_FUNCTION void square_row(Offset begin, Offset number, int square, Add add) const {
    const Offset first = first_row<S>(begin, number);
    if (first >= rows) return;
    int blocks = 0;
    Index last = -1;
    const int entries = merge<S>(first, [&](Index column) {
      blocks += column / S != last;
      last = column / S;
    });
    if (entries == 0) return;
    add(Sampled::square_entries + square, entries);
    add(Sampled::square_blocks + square, blocks);
  }

  /// Counts the sector of an entry's column unless an entry before it in the run has the same.
  template <class Add>
  OSTINATO_FUNCTION void entry(Offset number, Add add) const {
    const Index* const c = col + runs.at(number / run_entries) * run_entries;
    const int at = static_cast<int>(number % run_entries);
    if (at >= nonzeros) return;
    bool known = false;
    if constexpr (OnDevice) {
      for (int e = 0; e < at; ++e) known |= c[e] / 4 == c[at] / 4;  // no branch, so the loads overlap
    } else {
      for (int e = at - 1; e >= 0 && !known; --e) known = c[e] / 4 == c[at] / 4;  // mostly one of the last
    }
    if (!known) add(Sampled::sectors, 1);
  }
};

/// Counts columns in a sample: one entry, at a pseudo-random position, from each of `cells` equal parts of all entries.
template <class Atomics>
struct CountColumn {
  const Index* col;
  Offset nonzeros, cells;
  int* entries_of;

  OSTINATO_FUNCTION void operator()(std::size_t cell) const {
    const Spread parts{nonzeros, cells};
    const Offset begin = parts.at(static_cast<Offset>(cell)), end = parts.at(static_cast<Offset>(cell) + 1);
    const auto jump = static_cast<Offset>(Rows<float>::mixed(cell + 1) >> 32) % (end - begin);
    Atomics::add(entries_of + col[begin + jump], 1);
  }
};

/// Counts columns, and their sampled entries, by class.
struct ClassifyColumn {
  static constexpr bool follows = true;
  const int* entries_of;

  template <class Add>
  OSTINATO_FUNCTION void operator()(std::size_t column, Add add) const {
    const int entries = entries_of[column];
    if (entries == 0) return;
    const int c = Popularity::class_of(entries);
    add(c, 1);
    add(Popularity::classes + c, entries);
  }
};

/// Samples a sixteenth of the items, at least `few` and at most `most`. The sample is small because sampling takes as
/// long as some tens of products on a CPU.
inline Spread sample_of(Offset all, Offset few, Offset most) {
  return {all, std::min({all, std::max(all / 16, few), most})};
}

template <bool OnDevice>
Samples<OnDevice> samples_of(const Offset* row_ptr, const Index* col, Index rows, Offset nonzeros) {
  const Offset groups = (static_cast<Offset>(rows) + Samples<OnDevice>::group_rows - 1) / Samples<OnDevice>::group_rows;
  const Offset runs = std::max<Offset>(nonzeros / Samples<OnDevice>::run_entries, 1);
  return {row_ptr, col, rows, nonzeros, sample_of(groups, 8, 1024), sample_of(runs, 16, 2048)};
}

/// Sets the shares of the hot columns. Whole classes are taken, beginning with the most popular class. From the last
/// class only some columns are taken, each with the class's average number of entries.
inline void set_hot(const ProfileCounters& counters, Offset sample, Profile& p) {
  for (int k = 0; k < 3; ++k) {
    double free = Profile::hot_columns[k], entries = 0;
    for (int c = Popularity::classes - 1; c > 0 && free > 0; --c) {
      const double columns = counters.popular[c], taken = std::min(columns, free);
      if (columns > 0) entries += counters.popular[Popularity::classes + c] * (taken / columns);
      free -= taken;
    }
    p.hot[k] = entries / static_cast<double>(sample);
  }
}

inline void set_fills(const int* sampled, Profile& p) {
  const auto fill = [](int entries, int blocks, int slots) {
    return blocks == 0 ? 0.0 : static_cast<double>(entries) / (static_cast<double>(blocks) * slots);
  };
  for (int h = 0; h < Profile::heights; ++h) {
    for (int w = 0; w < Profile::widths; ++w)
      p.fill[h][w] =
          fill(sampled[Sampled::entries + h], sampled[Sampled::blocks + h * Profile::widths + w], (h + 1) * (w + 1));
    if (h > 0) p.square_fill[h + 1] = p.fill[h][h];
  }
  for (int k = 0; k < 3; ++k)
    p.square_fill[larger_squares[k]] = fill(sampled[Sampled::square_entries + k], sampled[Sampled::square_blocks + k],
                                            larger_squares[k] * larger_squares[k]);
}

/// The first entry with each of the different values, ascending.
inline std::vector<Offset> different_entries(const ProfileCounters& counters) {
  std::vector<Offset> entries;
  for (const Offset slot : counters.value_slots) {
    if (slot != 0) entries.push_back(slot - 1);
  }
  std::sort(entries.begin(), entries.end());
  return entries;
}

/// `runs`: that were sampled.
inline Profile finished(const ProfileCounters& counters, Offset runs) {
  Profile p;
  set_fills(counters.sampled, p);
  p.sliced_slots = counters.slice_widths * Profile::slice_rows;
  p.single = counters.wide == 0;
  p.distinct = counters.values <= Profile::most_distinct ? counters.values : 0;
  if (p.distinct > 0) p.different = different_entries(counters);
  p.sectors = counters.sampled[Sampled::sectors] / static_cast<double>(runs);
  return p;
}

/// Counts the columns of a sample of entries. Returns the size of the sample, or 0 when the matrix is too small for hot
/// columns to matter.
template <class Space, class T>
Offset count_hot(const Space& space, const CsrView<T>& a, ProfileCounters* counters) {
  constexpr Offset fewest_entries = 100000, largest_sample = Offset{1} << 20;
  constexpr Index fewest_columns = 131072;
  if (a.nonzeros() < fewest_entries || a.cols < fewest_columns) return 0;
  const Offset sample = std::min(a.nonzeros() / 4, largest_sample);
  Vector<Space, int> entries_of(space, static_cast<std::size_t>(a.cols));
  space.zero(entries_of.data(), entries_of.bytes());
  for_each(space, static_cast<std::size_t>(sample),
           CountColumn<Atomic<Space>>{a.col.data(), a.nonzeros(), sample, entries_of.data()});
  histogram<2 * Popularity::classes>(space, entries_of.size(), ClassifyColumn{entries_of.data()}, counters->popular);
  return sample;
}

template <class Space, class T>
StartedProfile start_profile_on(const Space& space, const CsrView<T>& a, bool inspects_values) {
  if (a.nonzeros() == 0) return {{}, std::async(std::launch::deferred, [] { return Profile{}; })};
  Vector<Space, ProfileCounters> on_space(space, 1);
  space.zero(on_space.data(), on_space.bytes());
  ProfileCounters* const counters = on_space.data();
  const Offset* const row_ptr = a.row_ptr.data();
  inspect_lengths(space, row_ptr, a.rows, counters);
  const auto samples = samples_of<Space::has_streams>(row_ptr, a.col.data(), a.rows, a.nonzeros());
  histogram<Sampled::count>(space, samples.tasks(), samples, counters->sampled);
  if (inspects_values) inspect_values(space, a, counters);
  const Offset hot_sample = count_hot(space, a, counters);
  auto found = std::make_unique<ProfileCounters>();
  const Copied copy = copied(*found, counters);
  return {copy, std::async(std::launch::deferred, [counters = std::move(on_space), found = std::move(found), samples,
                                                   hot_sample, inspects_values] {
            Profile p = finished(*found, samples.runs.count);
            if (hot_sample > 0) set_hot(*found, hot_sample, p);
            p.single = p.single && (inspects_values || is_single<T>);
            return p;
          })};
}

}  // namespace ostinato::detail
