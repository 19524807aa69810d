// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/spmv/algebra/extract.hpp>

#include <string>
#include <utility>

#include <ostinato/spmv/algebra/counted.hpp>
#include <ostinato/spmv/algebra/extract_steps.hpp>
#include <ostinato/spmv/algebra/shapes.hpp>
#include <ostinato/spmv/algebra/transpose.hpp>
#include <ostinato/spmv/matrix/csr_pattern.hpp>
#include <ostinato/spmv/ordering/renumber_steps.hpp>

namespace ostinato {

namespace extract_definition {

using detail::MovedPattern;

/// The sums of f over the elements of a list.
template <int K, class Space, class F>
Sums<K> count(const Space& space, std::size_t n, F f) {
  Vector<Space, double> slots(space, K);
  sum(space, n, f, slots.data());
  Sums<K> sums;
  space.download(sums.v, slots.data(), sizeof sums.v);
  return sums;
}

/// Throws ArgumentError when a place isn't in 0 .. size - 1. Returns whether the places ascend.
template <class Space>
bool check_range(const Space& space, const char* what, std::span<const Index> places, Index size) {
  const Sums<2> found = count<2>(space, places.size(), detail::InspectPlaces{places.data(), size});
  if (found.v[0] > 0) {
    throw ArgumentError("extraction from a matrix: " + std::to_string(static_cast<Offset>(found.v[0])) + " of " +
                        std::to_string(places.size()) + " " + what + " are not in 0 .. " + std::to_string(size - 1));
  }
  return found.v[1] == 0;
}

/// The place of each of `size` rows or columns in the list; -1 for those that aren't in the list.
template <class Space>
Vector<Space, Index> numbered(const Space& space, const char* what, std::span<const Index> places, Index size) {
  Vector<Space, Index> number(space, static_cast<std::size_t>(size));
  for_each(space, number.size(), detail::FillNumbers{number.data(), -1});
  for_each(space, places.size(), detail::NumberPlaces<Atomic<Space>>{places.data(), number.data()});
  const Sums<1> repeated = count<1>(space, places.size(), detail::CountRepeated{places.data(), number.data()});
  if (repeated.v[0] > 0) {
    throw ArgumentError("extraction from a matrix: " + std::to_string(static_cast<Offset>(repeated.v[0])) + " of " +
                        std::to_string(places.size()) + " " + what + " repeat others; each may be taken once");
  }
  return number;
}

inline Index length(const Places& places, Index all) { return places ? static_cast<Index>(places->size()) : all; }

template <class Space>
MovedPattern<Space> transposed(const Space& space, const MovedPattern<Space>& m) {
  MovedPattern<Space> t = detail::transposed(space, detail::CsrPattern{m.rows, m.row_ptr.data(), m.col.data()}, m.cols,
                                             static_cast<Offset>(m.col.size()));
  Vector<Space, Offset> from(space, t.from.size());
  for_each(space, from.size(), detail::GatherElements<Offset, Offset>{m.from.data(), t.from.data(), from.data()});
  t.from = std::move(from);
  return t;
}

/// What is taken, with ascending columns; `ascending`: the columns that are taken ascend.
template <class Space>
MovedPattern<Space> taken(const Space& space, const detail::Taken& from, Index rows, Index cols, bool ascending) {
  const auto n = static_cast<std::size_t>(rows);
  MovedPattern<Space> to{rows, cols, Vector<Space, Offset>(space, n + 1), {}, {}};
  // Where all columns are taken, their numbers needn't be read to count.
  const detail::Taken counted{from.a, from.rows, cols == from.cols ? nullptr : from.number, from.cols};
  for_each(space, n, detail::CountTaken{counted, to.row_ptr.data()});
  const std::size_t entries = detail::counted(space, to.row_ptr);
  to.col = Vector<Space, Index>(space, entries);
  to.from = Vector<Space, Offset>(space, entries);
  const bool sorts = !ascending && count<1>(space, n, detail::CountLong{to.row_ptr.data()}).v[0] == 0;
  for_each(space, n, detail::FillTaken{from, to.row_ptr.data(), sorts, to.col.data(), to.from.data()});
  return ascending || sorts ? std::move(to) : transposed(space, transposed(space, to));
}

template <class Space, class T>
MovedPattern<Space> extracted(const Space& space, const CsrView<T>& a, const Places& rows, const Places& cols) {
  if (rows) check_range(space, "rows", *rows, a.rows);
  bool ascending = true;
  Vector<Space, Index> number;
  if (cols) {
    ascending = check_range(space, "columns", *cols, a.cols);
    number = numbered(space, "columns", *cols, a.cols);
  }
  // A matrix without columns has no `number`, but no entries either.
  const detail::Taken from{detail::pattern_of(a), rows ? rows->data() : nullptr, number.data(), a.cols};
  return taken(space, from, length(rows, a.rows), length(cols, a.cols), ascending);
}

inline const Places& check_length(const char* what, const Places& places, Index size) {
  if (!places || places->size() == static_cast<std::size_t>(size)) return places;
  throw DimensionError("permutation of a matrix: the order of the " + std::string(what) + " has " +
                       std::to_string(places->size()) + " elements, but the matrix has " + std::to_string(size) + " " +
                       what);
}

/// Throws where rows repeat, which an extraction allows. The order of the columns is checked there.
template <class Space>
const Places& check_rows(const Space& space, const Places& rows, const Places& cols, Index size) {
  check_length("rows", rows, size);
  if (!rows || (cols && rows->data() == cols->data() && rows->size() == cols->size())) return rows;
  check_range(space, "rows", *rows, size);
  numbered(space, "rows", *rows, size);
  return rows;
}

}  // namespace extract_definition

template <class Space, class T>
Extraction<Space, T>::Extraction(const Space& space, const SpaceCsr<Space, T>& a, const Places& rows,
                                 const Places& cols)
    : Rearrangement<Space, T>(space, a, extract_definition::extracted(space, a.view(), rows, cols)) {}

template <class Space, class T>
Permutation<Space, T>::Permutation(const Space& space, const SpaceCsr<Space, T>& a, const Places& rows,
                                   const Places& cols)
    : Extraction<Space, T>(
          space, a,
          extract_definition::check_rows(space, rows, extract_definition::check_length("columns", cols, a.view().cols),
                                         a.view().rows),
          cols) {}

}  // namespace ostinato
