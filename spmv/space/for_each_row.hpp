// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Work on rows that goes over the entries of each row. On Cuda, neighbouring lanes of a warp share a row, so that these
// load neighbouring entries; with for_each, each thread would load from a row of its own. cuda/for_each_row.cuh defines
// the functions for Cuda; elsewhere they are for_each and sum over the rows.
//
// A functor is copied to the threads and has
//   Value                     what is found out about a row: trivially copyable, of whole 4-byte words
//   Value initial(i)          the value of row i before its first entry
//   EntryRange entries(i, v)  the entries of row i to visit, where v is the initial value; may be empty
//   void add(i, k, v)         takes entry k into the value v; or, so that the loads for several entries overlap:
//   Entry load(i, k)          what entry k is made of, loaded without a condition, and
//   void take(i, e, v)        takes that into the value v
//   void merge(v, other)      takes a value into v that other entries of the row were added to, from the same initial
//                             value
//   void each(i, k, v)        (optional)  called for each of the entries, with the value of the row
//   finish(i, v)              takes the value of the row; for sum_rows, returns Sums<K>
//   visits_most_rows          (optional)  a constant of any type: most rows have entries to visit. Then a thread has a
//                             row of its own where rows are short
//
// Entries are added and merged in an order that depends on the number of lanes. So add (or take) and merge should find
// the same value in any order, apart from rounding. The same input gives the same bits on every run.

#include <cstddef>
#include <utility>

#include <ostinato/spmv/base/index.hpp>
#include <ostinato/spmv/space/for_each.hpp>

namespace ostinato {

/// Entries begin .. end - 1.
struct EntryRange {
  Offset begin, end;
};

namespace detail {

/// Whether a functor takes an entry in two steps.
template <class F>
concept LoadsEntries = requires(const F& f) {
  f.load(std::size_t{}, Offset{});
};

/// Visits all entries of a row.
template <class F>
struct WholeRow {
  F f;

  /// The type is spelt out, so that who asks for it instantiates nothing.
  OSTINATO_FUNCTION auto operator()(std::size_t i) const
      -> decltype(std::declval<const F&>().finish(i, std::declval<typename F::Value&>())) {
    typename F::Value v = f.initial(i);
    const EntryRange range = f.entries(i, v);
    for (Offset k = range.begin; k < range.end; ++k) {
      if constexpr (LoadsEntries<F>) {
        f.take(i, f.load(i, k), v);
      } else {
        f.add(i, k, v);
      }
    }
    if constexpr (requires { f.each(i, range.begin, v); }) {
      for (Offset k = range.begin; k < range.end; ++k) f.each(i, k, v);
    }
    return f.finish(i, v);
  }
};

}  // namespace detail

/// Visits the entries of rows 0 .. rows - 1, in no particular order. `entries`: of all rows.
/// Exec      As for_each.
template <class Space, class F>
void for_each_row(const Space& space, std::size_t rows, Offset, F f) {
  for_each(space, rows, detail::WholeRow<F>{f});
}
template <class F>
void for_each_row(const Cuda& space, std::size_t rows, Offset entries, F f);

/// The same; slots[k] := sum over the rows of what finish() returns.
/// Exec      As sum.
template <class Space, class F>
void sum_rows(const Space& space, std::size_t rows, Offset, F f,
              typename detail::SumsOf<detail::WholeRow<F>>::value_type* slots) {
  sum(space, rows, detail::WholeRow<F>{f}, slots);
}
template <class F>
void sum_rows(const Cuda& space, std::size_t rows, Offset entries, F f, double* slots);

}  // namespace ostinato
