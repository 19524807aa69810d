// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include <ostinato/bench/formats/textbook/hdi_view.hpp>
#include <ostinato/spmv/base/count_text.hpp>
#include <ostinato/spmv/cost/streamed_cost.hpp>
#include <ostinato/spmv/formats/contract/format.hpp>
#include <ostinato/spmv/space/for_each.hpp>
#include <ostinato/spmv/space/vector.hpp>

namespace ostinato::formats {

/// y := alpha A x + beta y, with A stored by diagonals within groups of rows (hacked DIA, HDI): a baseline.
///
/// Shapes    A: rows x cols.  x: cols.  y: rows.
/// Layout    A group of 256 rows stores the diagonals that have an entry in these rows, each with all rows of the
///           group; see HdiLists.
/// Traffic   sizeof(T) slots bytes for A and sizeof(T) (rows + cols) bytes for x and y, if x is read once.
/// Exec      One thread per row; the diagonals of a row in ascending order.
/// Requires  x and y don't overlap. beta = 0 overwrites y, so y may hold NaN.
/// Limits    Slots without an entry are multiplied as 0 times x: an infinite or NaN x(j) reaches rows that a general
///           format leaves finite.
/// Source    Barbieri, Cardellini, Fanfarillo & Filippone, Three storage formats for sparse matrices on GPGPUs, 2015.
template <class Space, class T>
class Hdi {
 public:
  using space_type = Space;
  using value_type = T;
  static constexpr std::string_view name = "hdi";
  static constexpr std::string_view description =
      "diagonals within groups of 256 rows; a baseline for broken diagonals";

  static Cost cost(const PlanInput& in) {
    const Structure& s = in.structure;
    const Machine& m = in.machine;
    Cost c;
    if (s.census == nullptr) {
      c.reason_not = why_no_census(s);
      return c;
    }
    const Lists lists(*s.census);
    const double slots = static_cast<double>(lists.slots);
    c = streamed_cost<T>(s, m,
                         {.bytes = slots * sizeof(T) + lists.bytes(),
                          .slots = slots,
                          .efficiency = 0.8,
                          .waits = static_cast<double>(lists.longest) / 2.0,
                          .host = {.slot = 2.8, .row = 2.7, .gather = 0, .stream = 0.1}});
    if (grows_too_far(s, sizeof(T), static_cast<double>(c.bytes)))
      c.reason_not = count_text(s.diagonals) + " diagonals, nearly empty within 256 rows";
    return c;
  }

  Hdi(const Space& space, const SpaceCsr<Space, T>& a, const PlanInput& in)
      : space_(space), rows_(in.structure.rows), cols_(in.structure.cols) {
    const Structure& s = in.structure;
    if (s.census == nullptr) throw ArgumentError("hdi: " + why_no_census(s));
    group_ptr_ = Vector<Space, Offset>(space, group_pointers(*s.census));
    offset_ = Vector<Space, Index>(space, list_offsets(*s.census));
    val_ = Vector<Space, T>(space, static_cast<std::size_t>(Lists(*s.census).slots));
    if (val_.size() > 0) space.zero(val_.data(), val_.bytes());
    for_each(space, static_cast<std::size_t>(rows_),
             detail::FillHdi<T>{detail::arrays_of(a.view()), view(), val_.data()});
  }

  void apply(T alpha, std::span<const T> x, T beta, std::span<T> y) const {
    for_each(space_, y.size(), detail::HdiRow<T>{view(), val_.data(), {alpha, x.data(), beta, y.data(), y.data()}});
  }

  std::size_t bytes() const { return group_ptr_.bytes() + offset_.bytes() + val_.bytes(); }
  std::size_t slots() const { return val_.size(); }

 private:
  /// Calls f(stored, rows) for each group: the length of its list of diagonals, and its number of rows. LacksOne: only
  /// for groups that lack a diagonal.
  template <bool LacksOne = false, class F>
  static void for_groups(const DiagonalCensus& census, F f) {
    const std::size_t count = census.diagonals.size();
    const PieceDiagonal* piece = census.pieces().data();
    const auto& fewest = census.fewest();
    for (std::size_t p = 0; p < fewest.size(); ++p, piece += count) {
      if (LacksOne && fewest[p] > 0) continue;
      std::size_t stored = count;
      for (std::size_t d = 0; fewest[p] == 0 && d < count; ++d) stored -= piece[d].entries == 0 ? 1 : 0;
      const Offset first = static_cast<Offset>(p) * piece_rows;
      f(static_cast<Offset>(stored), std::min<Offset>(piece_rows, census.rows - first));
    }
  }

  /// The groups' lists of diagonals in total.
  struct Lists {
    Offset groups = 0, length = 0, slots = 0, longest = 0;

    explicit Lists(const DiagonalCensus& census) {
      groups = static_cast<Offset>(census.fewest().size());
      // Most groups of a stencil's matrix store all diagonals, and are only counted.
      const auto all = static_cast<Offset>(census.diagonals.size());
      Offset others = 0, rows_of_others = 0;
      for_groups<true>(census, [&](Offset stored, Offset rows) {
        ++others;
        rows_of_others += rows;
        length += stored;
        slots += stored * rows;
        longest = std::max(longest, stored);
      });
      length += (groups - others) * all;
      slots += (census.rows - rows_of_others) * all;
      if (groups > others) longest = all;
    }

    double bytes() const {
      return static_cast<double>(groups + 1) * sizeof(Offset) + static_cast<double>(length) * sizeof(Index);
    }
  };

  /// Where the groups' lists begin, and the end of the last one.
  static std::vector<Offset> group_pointers(const DiagonalCensus& census) {
    std::vector<Offset> group_ptr = {0};
    for_groups(census, [&](Offset stored, Offset) { group_ptr.push_back(group_ptr.back() + stored); });
    return group_ptr;
  }

  /// The diagonals' offsets in the groups' lists.
  static std::vector<Index> list_offsets(const DiagonalCensus& census) {
    std::vector<Index> offsets;
    for (std::size_t at = 0; at < census.pieces().size(); ++at) {
      if (census.pieces()[at].entries > 0) offsets.push_back(census.diagonals[at % census.diagonals.size()].offset);
    }
    return offsets;
  }

  detail::HdiLists view() const { return {rows_, cols_, group_ptr_.data(), offset_.data()}; }

  Space space_;
  Index rows_, cols_;
  Vector<Space, Offset> group_ptr_;
  Vector<Space, Index> offset_;
  Vector<Space, T> val_;
};

}  // namespace ostinato::formats
