// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/matrix/csr_from.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/matrix/assemble.hpp>
#include <ostinato/spmv/space/list.hpp>

namespace ostinato::detail {

namespace {

/// Calls f with a pointer to the integers.
template <class F>
void with(const Integers& a, F f) {
  const auto call = [&]<class Signed, class Unsigned>(Signed, Unsigned) {
    if (a.is_signed) {
      f(static_cast<const Signed*>(a.data));
    } else {
      f(static_cast<const Unsigned*>(a.data));
    }
  };
  switch (a.bytes) {
    case 1:
      return call(std::int8_t{}, std::uint8_t{});
    case 2:
      return call(std::int16_t{}, std::uint16_t{});
    case 4:
      return call(std::int32_t{}, std::uint32_t{});
    default:
      return call(std::int64_t{}, std::uint64_t{});
  }
}

/// The integer less the base, 0 or 1; at the ends of the range of Offset the nearest that Offset holds.
template <class I>
Offset less(I value, int base) {
  using Range = std::numeric_limits<Offset>;
  if (std::cmp_greater(value, Range::max())) return Range::max();
  return std::cmp_equal(value, Range::min()) ? Range::min() : static_cast<Offset>(value) - base;
}

std::string number(Offset n) { return std::to_string(n); }

/// Integer number k of an array, as the caller has written it.
std::string as_given(const Integers& a, std::size_t k) {
  std::string text;
  with(a, [&](const auto* integers) { text = std::to_string(integers[k]); });
  return text;
}

/// Integer number k of an array, less the base.
Offset counted(const Integers& a, std::size_t k, int base) {
  Offset value = 0;
  with(a, [&](const auto* integers) { value = less(integers[k], base); });
  return value;
}

void check_shape(const std::string& function, Offset rows, Offset cols, int base) {
  require_shape(function.c_str(), rows, cols);
  if (base != 0 && base != 1) throw ArgumentError(function + ": base is " + number(base) + "; it is 0 or 1");
}

/// Asks for the other base where an index is out of range just as if it counted from there.
std::string ask_base(Offset index, Offset end, int base) {
  if (base == 0 && index == end) return "; are the arrays 1-based? Then give base 1";
  if (base == 1 && index == -1) return "; are the arrays 0-based? Then give base 0";
  return {};
}

/// Entries begin .. end - 1 of a line.
struct Line {
  Offset begin, end;
};

class Lines {
 public:
  Lines(const CompressedLines& given, std::size_t values) : given_(given) {
    check_shape(given.function, given.count, given.width, given.base);
    if (given.starts.size != static_cast<std::size_t>(given.count) + 1) {
      refuse(number(given.count) + " " + given.lines + " need " + number(given.count + 1) +
             " pointers, but there are " + std::to_string(given.starts.size));
    }
    if (given.index.size != values) {
      refuse(std::to_string(given.index.size) + " indices stand beside " + std::to_string(values) + " values");
    }
    starts_ = widened(given.starts, given.base);
    if (given.lengths.size > 0) lengths_ = widened(given.lengths, 0);
    if (starts_[0] != 0) {
      refuse(std::string(given.line) + " " + number(0) + " begins at entry " + as_given(given.starts, 0) +
             " instead of " + number(given.base) + ask_base(starts_[0], 1, given.base));
    }
    for (Offset k = 0; k < given.count; ++k) check_line(k, static_cast<Offset>(values));
    const Offset held = starts_.back();
    if (held != static_cast<Offset>(values)) {
      refuse("the " + std::string(given.lines) + " hold " + number(held) + " entries, but there are " +
             std::to_string(values));
    }
  }

  Line line(Offset k) const {
    const auto at = static_cast<std::size_t>(k);
    return {starts_[at], lengths_.empty() ? starts_[at + 1] : starts_[at] + lengths_[at]};
  }

  [[noreturn]] void refuse(const std::string& reason) const {
    throw ArgumentError(std::string(given_.function) + ": " + reason);
  }

  /// Refuses the index of an entry, which is `index` when it counts from 0.
  [[noreturn]] void refuse(Offset line, Offset entry, Offset index) const {
    refuse(named(line) + " has an entry in " + given_.across + " " +
           as_given(given_.index, static_cast<std::size_t>(entry)) + ", but there are " + number(given_.width) + " " +
           given_.all_across + ask_base(index, given_.width, given_.base));
  }

 private:
  /// "row 5 (counted from 0)", as the caller counts.
  std::string named(Offset line) const {
    return given_.line + (" " + number(line + given_.base)) + " (counted from " + std::to_string(given_.base) + ")";
  }

  static Array<Offset> widened(const Integers& a, int base) {
    Array<Offset> out(a.size);
    with(a, [&](const auto* from) {
      std::transform(from, from + a.size, out.begin(), [base](auto value) { return less(value, base); });
    });
    return out;
  }

  void check_line(Offset k, Offset values) const {
    const auto at = static_cast<std::size_t>(k);
    const std::string which = named(k);
    const Offset begin = starts_[at], next = starts_[at + 1];
    if (next < begin) refuse(which + " ends before it begins");
    if (next > values) {
      refuse(which + " ends at entry " + as_given(given_.starts, at + 1) + ", but there are " + number(values));
    }
    if (!lengths_.empty() && (lengths_[at] < 0 || lengths_[at] > next - begin)) {
      refuse(which + " has " + as_given(given_.lengths, at) + " entries in the room of " + number(next - begin));
    }
  }

  const CompressedLines& given_;
  Array<Offset> starts_, lengths_;
};

/// Copies the lines of a run; returns the first one with an index out of range, or -1.
template <class T, class I>
Offset copy_lines(const Lines& lines, const RowRun& run, const I* index, const T* val, int base, Csr<T>& out) {
  for (Index k = run.first; k < run.last; ++k) {
    const Line line = lines.line(k);
    Offset to = out.row_ptr[static_cast<std::size_t>(k)];
    for (Offset from = line.begin; from < line.end; ++from, ++to) {
      const Offset c = less(index[from], base);
      if (c < 0 || c >= out.cols) return k;
      out.col[static_cast<std::size_t>(to)] = static_cast<Index>(c);
      out.val[static_cast<std::size_t>(to)] = val[from];
    }
  }
  return -1;
}

/// Puts rows or columns into entries; returns the first entry out of range, or the number of entries.
template <class T>
std::size_t put_indices(const Integers& given, Offset end, int base, Index Triplet<T>::*to,
                        Array<Triplet<T>>& entries) {
  std::size_t k = 0;
  with(given, [&](const auto* index) {
    for (; k < entries.size(); ++k) {
      const Offset i = less(index[k], base);
      if (i < 0 || i >= end) return;
      entries[k].*to = static_cast<Index>(i);
    }
  });
  return k;
}

}  // namespace

void require_shape(const char* function, Offset rows, Offset cols) {
  constexpr Offset most = std::numeric_limits<Index>::max();
  if (rows >= 0 && cols >= 0 && rows <= most && cols <= most) return;
  throw ArgumentError(std::string(function) + ": the matrix is " + number(rows) + " x " + number(cols) +
                      "; rows and columns are at least 0 and at most " + number(most));
}

template <class T>
Csr<T> csr_from_lines(const CompressedLines& given, std::span<const T> val) {
  const Lines lines(given, val.size());
  Csr<T> out{static_cast<Index>(given.count),
             static_cast<Index>(given.width),
             Array<Offset>(static_cast<std::size_t>(given.count) + 1),
             {},
             {}};
  out.row_ptr[0] = 0;
  for (Offset k = 0; k < given.count; ++k) {
    const Line line = lines.line(k);
    out.row_ptr[static_cast<std::size_t>(k) + 1] = out.row_ptr[static_cast<std::size_t>(k)] + line.end - line.begin;
  }
  out.col.resize(static_cast<std::size_t>(out.row_ptr.back()));
  out.val.resize(static_cast<std::size_t>(out.row_ptr.back()));
  const std::vector<RowRun> runs = cut_rows(out.rows);
  std::vector<Offset> bad(runs.size(), -1);
  parallel_for(Host(), runs.size(), [&](std::size_t k) {
    with(given.index,
         [&](const auto* index) { bad[k] = copy_lines(lines, runs[k], index, val.data(), given.base, out); });
  });
  const auto first = std::find_if(bad.begin(), bad.end(), [](Offset k) { return k >= 0; });
  if (first == bad.end()) return out;
  for (Offset k = lines.line(*first).begin;; ++k) {
    const Offset c = counted(given.index, static_cast<std::size_t>(k), given.base);
    if (c < 0 || c >= given.width) lines.refuse(*first, k, c);
  }
}

template <class T>
Csr<T> transposed(const CompressedLines& lines, std::span<const T> val) {
  return transpose(csr_from_lines(lines, val).view(), checked);
}

template <class T>
Csr<T> csr_from_entries(Offset rows, Offset cols, const Integers& row, const Integers& col, std::span<const T> val,
                        int base) {
  const std::string function = "csr_from_coo";
  check_shape(function, rows, cols, base);
  if (row.size != col.size || row.size != val.size()) {
    throw ArgumentError(function + ": there are " + std::to_string(row.size) + " rows, " + std::to_string(col.size) +
                        " columns and " + std::to_string(val.size()) + " values");
  }
  Array<Triplet<T>> entries(val.size());
  for (std::size_t k = 0; k < entries.size(); ++k) entries[k].val = val[k];
  const std::size_t bad = std::min(put_indices(row, rows, base, &Triplet<T>::row, entries),
                                   put_indices(col, cols, base, &Triplet<T>::col, entries));
  if (bad < entries.size()) {
    const std::string ask = ask_base(counted(row, bad, base), rows, base);
    throw ArgumentError(function + ": entry " + std::to_string(bad) + " at (" + as_given(row, bad) + ", " +
                        as_given(col, bad) + ") lies outside " + number(rows) + " x " + number(cols) +
                        (ask.empty() ? ask_base(counted(col, bad, base), cols, base) : ask));
  }
  return from_triplets<T>(static_cast<Index>(rows), static_cast<Index>(cols), std::span<const Triplet<T>>(entries));
}

#define OSTINATO_INSTANTIATE(T)                                               \
  template Csr<T> csr_from_lines(const CompressedLines&, std::span<const T>); \
  template Csr<T> transposed(const CompressedLines&, std::span<const T>);     \
  template Csr<T> csr_from_entries(Offset, Offset, const Integers&, const Integers&, std::span<const T>, int)
OSTINATO_FOR_VALUES(OSTINATO_INSTANTIATE);
#undef OSTINATO_INSTANTIATE

}  // namespace ostinato::detail
