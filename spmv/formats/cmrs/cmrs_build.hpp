// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The arrays of CMRS (cmrs.hpp) and the conversion from and to CSR, written once for both spaces: cmrs_host.cpp runs it
// on Host, cmrs.cu on Cuda.

#include <cstddef>
#include <cstdint>

#include <ostinato/spmv/base/function.hpp>
#include <ostinato/spmv/formats/csr_arrays.hpp>
#include <ostinato/spmv/matrix/csr.hpp>
#include <ostinato/spmv/space/for_each.hpp>
#include <ostinato/spmv/space/scan.hpp>
#include <ostinato/spmv/space/vector.hpp>

namespace ostinato::formats {

/// How a matrix is cut into strips.
struct CmrsShape {
  static constexpr int group = 32;       ///< slots that a warp reads at a time
  static constexpr int max_height = 16;  ///< 4 bits hold the row in the strip

  Index rows = 0;
  Index cols = 0;
  int height = 1;        ///< rows of a strip
  int cells = group;     ///< most entries of one row in a group; they are adjacent if cells < group
  bool aligned = false;  ///< strips start at multiples of a group; required when cells < group
  bool packed = true;    ///< row and column share a word

  OSTINATO_FUNCTION Offset strips() const { return (Offset{rows} + height - 1) / height; }
  OSTINATO_FUNCTION Index first_row(Offset strip) const { return static_cast<Index>(strip * height); }
  OSTINATO_FUNCTION Index end_row(Offset strip) const {
    const Offset end = (strip + 1) * height;
    return end < rows ? static_cast<Index>(end) : rows;
  }
};

/// Row in the strip and column of an entry. A negative row marks a padding slot.
struct CmrsPlace {
  int row;
  Index col;
};

/// The stored form of a CmrsPlace: a word that holds 16 col + row, or the column in a word and the row in a byte. A
/// padding slot has the word of the last column, which no packed matrix has, or the last byte.
struct CmrsCode {
  static constexpr std::uint32_t padding_word = 0xffffffffu;
  static constexpr std::uint8_t padding_row = 0xff;

  OSTINATO_FUNCTION static std::uint32_t pack(CmrsPlace p) {
    return static_cast<std::uint32_t>(p.col) << 4 | static_cast<std::uint32_t>(p.row);
  }
  OSTINATO_FUNCTION static CmrsPlace unpack(std::uint32_t word) {
    return {word == padding_word ? -1 : static_cast<int>(word & 15u), static_cast<Index>(word >> 4)};
  }
  OSTINATO_FUNCTION static CmrsPlace join(std::uint32_t col, std::uint8_t row) {
    return {row == padding_row ? -1 : static_cast<int>(row), static_cast<Index>(col)};
  }
};

/// Strip s holds the slots strip_ptr[s] .. strip_ptr[s + 1] - 1.
template <class T>
struct CmrsView {
  CmrsShape shape;
  const Offset* strip_ptr;
  const std::uint32_t* word;  ///< only the column unless shape.packed
  const std::uint8_t* row;    ///< null when shape.packed
  const T* val;

  OSTINATO_FUNCTION CmrsPlace place(Offset k) const {
    return shape.packed ? CmrsCode::unpack(word[k]) : CmrsCode::join(word[k], row[k]);
  }
};

template <class Space, class T>
struct CmrsMatrix {
  CmrsShape shape;
  Vector<Space, Offset> strip_ptr;
  Vector<Space, std::uint32_t> word;
  Vector<Space, std::uint8_t> row;
  Vector<Space, T> val;

  CmrsView<T> view() const { return {shape, strip_ptr.data(), word.data(), row.data(), val.data()}; }
  std::size_t bytes() const { return strip_ptr.bytes() + word.bytes() + row.bytes() + val.bytes(); }
};

namespace detail {

/// Counts the slots of a strip. The longest row of an aligned strip may need more groups than the number of entries
/// does.
struct CountCmrsSlots {
  CmrsShape shape;
  const Offset* row_ptr;
  Offset* counts;

  OSTINATO_FUNCTION void operator()(std::size_t strip) const {
    const Index first = shape.first_row(static_cast<Offset>(strip)), end = shape.end_row(static_cast<Offset>(strip));
    const Offset entries = row_ptr[end] - row_ptr[first];
    counts[strip] = shape.aligned ? groups(first, end, entries) * CmrsShape::group : entries;
  }

 private:
  OSTINATO_FUNCTION Offset groups(Index first, Index end, Offset entries) const {
    Offset most = (entries + CmrsShape::group - 1) / CmrsShape::group;
    for (Index i = first; i < end; ++i) {
      const Offset needed = (row_ptr[i + 1] - row_ptr[i] + shape.cells - 1) / shape.cells;
      if (needed > most) most = needed;
    }
    return most;
  }
};

template <class T>
struct ClearCmrsSlot {
  bool packed;
  std::uint32_t* word;
  std::uint8_t* row;
  T* val;

  OSTINATO_FUNCTION void operator()(std::size_t k) const {
    word[k] = packed ? CmrsCode::padding_word : 0;
    if (!packed) row[k] = CmrsCode::padding_row;
    val[k] = 0;
  }
};

/// Stores the entries of CSR in their slots; only their values when to_word is null.
template <class T>
struct PlaceCmrsEntries {
  CmrsShape shape;
  CsrArrays<T> a;
  EntryRuns runs;
  const Offset* strip_ptr;
  std::uint32_t* to_word;
  std::uint8_t* to_row;
  T* to_val;

  OSTINATO_FUNCTION void operator()(std::size_t run) const {
    runs.visit(run, a, [this](Index i, Offset k) {
      const Offset strip = i / shape.height;
      put(strip_ptr[strip] + (shape.cells < CmrsShape::group ? dealt(strip, i, k) : sorted(strip, i, k)),
          {i - shape.first_row(strip), a.col[k]}, a.val[k]);
    });
  }

 private:
  OSTINATO_FUNCTION void put(Offset at, CmrsPlace place, T value) const {
    to_val[at] = value;
    if (to_word == nullptr) return;
    to_word[at] = shape.packed ? CmrsCode::pack(place) : static_cast<std::uint32_t>(place.col);
    if (!shape.packed) to_row[at] = static_cast<std::uint8_t>(place.row);
  }

  /// Slot of entry k of row i in a strip that is sorted by column, then by row.
  OSTINATO_FUNCTION Offset sorted(Offset strip, Index i, Offset k) const {
    Offset rank = 0;
    const Index end = shape.end_row(strip);
    for (Index r = shape.first_row(strip); r < end; ++r) {
      rank += (r == i ? k : a.first_from(r, Offset{a.col[k]} + (r < i ? 1 : 0))) - a.row_ptr[r];
    }
    return rank;
  }

  /// Slot of entry k of row i in a strip of version 2. The strip's entries are dealt to its groups in turn, row by row,
  /// like cards. So a group gets at most 32 entries, and of each row an equal share. Within a row, columns ascend from
  /// group to group.
  OSTINATO_FUNCTION Offset dealt(Offset strip, Index i, Offset k) const {
    const Offset groups = (strip_ptr[strip + 1] - strip_ptr[strip]) / CmrsShape::group;
    const Offset begin = a.row_ptr[shape.first_row(strip)];
    const Offset first = a.row_ptr[i] - begin, end = a.row_ptr[i + 1] - begin, rank = k - a.row_ptr[i];
    const auto of_row_before = [=](Offset g) { return dealt_before(end, g, groups) - dealt_before(first, g, groups); };
    const Offset group = bisect(Offset{1}, groups, [=](Offset g) { return of_row_before(g) > rank; }) - 1;
    const Offset of_earlier_rows = (first + groups - 1 - group) / groups;
    return group * CmrsShape::group + of_earlier_rows + rank - of_row_before(group);
  }

  /// When n entries are dealt to `groups` groups in turn: how many of them go to groups below g.
  OSTINATO_FUNCTION static Offset dealt_before(Offset n, Offset g, Offset groups) {
    const Offset rest = n % groups;
    return n / groups * g + (rest < g ? rest : g);
  }
};

template <class Space, class T>
void place_entries(const Space& space, const CsrView<T>& a, CmrsMatrix<Space, T>& m, bool values_only) {
  const EntryRuns runs = EntryRuns::on<Space>(a.nonzeros(), 32);
  for_each(space, runs.count(),
           PlaceCmrsEntries<T>{m.shape, arrays_of(a), runs, m.strip_ptr.data(), values_only ? nullptr : m.word.data(),
                               m.row.data(), m.val.data()});
}

/// Turns counts into offsets by a prefix sum; the last count is unset. Returns the total.
template <class Space>
std::size_t add_counts_up(const Space& space, Vector<Space, Offset>& counts) {
  exclusive_scan(space, counts.span());
  Offset total = 0;
  space.download(&total, &counts.span().back(), sizeof total);
  return static_cast<std::size_t>(total);
}

template <class Space, class T>
CmrsMatrix<Space, T> build_cmrs(const Space& space, const CsrView<T>& a, const CmrsShape& shape) {
  const std::size_t strips = static_cast<std::size_t>(shape.strips());
  CmrsMatrix<Space, T> m{shape, Vector<Space, Offset>(space, strips + 1), {}, {}, {}};
  for_each(space, strips, CountCmrsSlots{shape, a.row_ptr.data(), m.strip_ptr.data()});
  const std::size_t slots = add_counts_up(space, m.strip_ptr);
  m.word = Vector<Space, std::uint32_t>(space, slots);
  m.row = Vector<Space, std::uint8_t>(space, shape.packed ? 0 : slots);
  m.val = Vector<Space, T>(space, slots);
  if (slots > static_cast<std::size_t>(a.nonzeros()))
    for_each(space, slots, ClearCmrsSlot<T>{shape.packed, m.word.data(), m.row.data(), m.val.data()});
  place_entries(space, a, m, false);
  return m;
}

template <class T>
struct CountCmrsRows {
  CmrsView<T> a;
  Offset* lengths;

  OSTINATO_FUNCTION void operator()(std::size_t strip) const {
    Offset count[CmrsShape::max_height] = {};
    for (Offset k = a.strip_ptr[strip]; k < a.strip_ptr[strip + 1]; ++k) {
      const CmrsPlace p = a.place(k);
      if (p.row >= 0) ++count[p.row];
    }
    const Index first = a.shape.first_row(static_cast<Offset>(strip)),
                end = a.shape.end_row(static_cast<Offset>(strip));
    for (Index i = first; i < end; ++i) lengths[i] = count[i - first];
  }
};

template <class T>
struct TakeCmrsStrip {
  CmrsView<T> a;
  const Offset* row_ptr;
  Index* col;
  T* val;

  OSTINATO_FUNCTION void operator()(std::size_t strip) const {
    Offset next[CmrsShape::max_height] = {};
    const Index first = a.shape.first_row(static_cast<Offset>(strip)),
                end = a.shape.end_row(static_cast<Offset>(strip));
    for (Index i = first; i < end; ++i) next[i - first] = row_ptr[i];
    for (Offset k = a.strip_ptr[strip]; k < a.strip_ptr[strip + 1]; ++k) {
      const CmrsPlace p = a.place(k);
      if (p.row < 0) continue;
      col[next[p.row]] = p.col;
      val[next[p.row]++] = a.val[k];
    }
  }
};

/// Converts back to CSR, one thread per strip. In both versions the slots of a row ascend by column.
template <class Space, class T>
Csr<T> take_csr(const Space& space, const CmrsMatrix<Space, T>& m) {
  const std::size_t rows = static_cast<std::size_t>(m.shape.rows), strips = static_cast<std::size_t>(m.shape.strips());
  Vector<Space, Offset> row_ptr(space, rows + 1);
  for_each(space, strips, CountCmrsRows<T>{m.view(), row_ptr.data()});
  const std::size_t entries = add_counts_up(space, row_ptr);
  Vector<Space, Index> col(space, entries);
  Vector<Space, T> val(space, entries);
  for_each(space, strips, TakeCmrsStrip<T>{m.view(), row_ptr.data(), col.data(), val.data()});
  Csr<T> a{m.shape.rows, m.shape.cols, Array<Offset>(rows + 1), Array<Index>(entries), Array<T>(entries)};
  space.download(a.row_ptr.data(), row_ptr.data(), row_ptr.bytes());
  if (entries == 0) return a;
  space.download(a.col.data(), col.data(), col.bytes());
  space.download(a.val.data(), val.data(), val.bytes());
  return a;
}

}  // namespace detail

}  // namespace ostinato::formats
