// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/matrix/space_csr.hpp>

#include "support/matrices.hpp"
#include "support/reference.hpp"
#include "support/spaces.hpp"

// A reference for operations on matrices: maps in long double. Beside the value of an entry, the map has the sum of the
// magnitudes of its terms, which bounds the rounding.

namespace ostinato::test {

struct ReferenceEntry {
  long double value = 0;
  long double magnitude = 0;
};

struct ReferenceMatrix {
  Index rows = 0, cols = 0;
  std::map<std::pair<Index, Index>, ReferenceEntry> entries;

  void add(Index i, Index j, long double term) {
    ReferenceEntry& entry = entries[{i, j}];
    entry.value += term;
    entry.magnitude += std::abs(term);
  }

  /// Calls f(i, j, value) for each entry.
  template <class F>
  void visit(F f) const {
    for (const auto& [at, entry] : entries) f(at.first, at.second, entry.value);
  }
};

template <class T>
ReferenceMatrix reference_of(const CsrView<T>& a) {
  ReferenceMatrix m{a.rows, a.cols, {}};
  for (Index i = 0; i < a.rows; ++i) {
    for (Offset k = a.row_ptr[static_cast<std::size_t>(i)]; k < a.row_ptr[static_cast<std::size_t>(i) + 1]; ++k)
      m.add(i, a.col[static_cast<std::size_t>(k)], a.val[static_cast<std::size_t>(k)]);
  }
  return m;
}

/// The terms of each entry are those of the patterns, also where they cancel.
inline ReferenceMatrix reference_product(const ReferenceMatrix& a, const ReferenceMatrix& b) {
  std::vector<std::vector<std::pair<Index, ReferenceEntry>>> rows(static_cast<std::size_t>(b.rows));
  for (const auto& [at, entry] : b.entries) rows[static_cast<std::size_t>(at.first)].push_back({at.second, entry});
  ReferenceMatrix c{a.rows, b.cols, {}};
  for (const auto& [at, left] : a.entries) {
    for (const auto& [j, right] : rows[static_cast<std::size_t>(at.second)]) {
      ReferenceEntry& entry = c.entries[{at.first, j}];
      entry.value += left.value * right.value;
      entry.magnitude += left.magnitude * right.magnitude;
    }
  }
  return c;
}

inline ReferenceMatrix reference_transpose(const ReferenceMatrix& a) {
  ReferenceMatrix t{a.cols, a.rows, {}};
  for (const auto& [at, entry] : a.entries) t.entries[{at.second, at.first}] = entry;
  return t;
}

template <class Space, class T>
Csr<T> downloaded(const Space& space, const SpaceCsr<Space, T>& a) {
  const CsrView<T>& view = a.view();
  Csr<T> host{view.rows, view.cols, Array<Offset>(view.row_ptr.size()), Array<Index>(view.col.size()),
              Array<T>(view.val.size())};
  space.download(host.row_ptr.data(), view.row_ptr.data(), view.row_ptr.size_bytes());
  if (host.nonzeros() > 0) {
    space.download(host.col.data(), view.col.data(), view.col.size_bytes());
    space.download(host.val.data(), view.val.data(), view.val.size_bytes());
  }
  return host;
}

/// Empty when `a` is a valid matrix with ascending columns and the pattern of the reference, and each value is within
/// `roundings` roundings of the magnitude of its terms; otherwise says what is wrong.
template <class T>
std::string difference(const Csr<T>& a, const ReferenceMatrix& reference, double roundings) {
  check(a.view());
  if (!is_canonical(a.view())) return "the columns of a row don't ascend";
  if (a.rows != reference.rows || a.cols != reference.cols)
    return "the shape is " + std::to_string(a.rows) + " x " + std::to_string(a.cols);
  if (a.nonzeros() != static_cast<Offset>(reference.entries.size()))
    return std::to_string(a.nonzeros()) + " entries instead of " + std::to_string(reference.entries.size());
  for (const auto& [at, mine] : reference_of(a.view()).entries) {
    const std::string place = "(" + std::to_string(at.first) + ", " + std::to_string(at.second) + ")";
    const auto found = reference.entries.find(at);
    if (found == reference.entries.end()) return "no entry belongs at " + place;
    const long double bound =
        roundings * static_cast<long double>(std::numeric_limits<T>::epsilon()) * found->second.magnitude +
        static_cast<long double>(std::numeric_limits<T>::denorm_min());
    if (!(std::abs(mine.value - found->second.value) <= bound))
      return place + " is " + std::to_string(mine.value) + " instead of " + std::to_string(found->second.value);
  }
  return "";
}

/// Random matrices of m x n: empty, with gaps, with a dense row, with a dense column, and without entries.
template <class T>
std::vector<Csr<T>> matrices_of(Index m, Index n, std::uint64_t seed) {
  std::vector<Csr<T>> all = {scattered<T>(m, n, 4, false, seed), scattered<T>(m, n, 3, true, seed + 1),
                             from_triplets<T>(m, n, std::vector<Triplet<T>>{})};
  if (m > 0 && n > 0) {
    all.push_back(with_dense_row<T>(m, n, m / 2, seed + 2));
    all.push_back(transpose(with_dense_row<T>(n, m, n / 2, seed + 3).view()));
  }
  return all;
}

/// The same pattern with other values.
template <class T>
Csr<T> other_values(const Csr<T>& a, std::uint64_t seed) {
  Csr<T> b = a;
  Random random(seed);
  for (T& value : b.val) value = static_cast<T>(signed_unit(random));
  return b;
}

inline const std::vector<Index> algebra_sizes = {0, 1, 31, 33, 597};

/// A test of operations on matrices in a space.
template <class Case>
class AlgebraTest : public SpaceTest<Case> {
 protected:
  using Value = typename Case::T;
  using Matrix = SpaceCsr<typename Case::Space, Value>;

  Matrix on(const Csr<Value>& a) const { return Matrix(this->space(), Csr<Value>(a)); }
  Csr<Value> back(const Matrix& a) const { return downloaded(this->space(), a); }
};

template <class T>
bool same_bits(const Csr<T>& a, const Csr<T>& b) {
  return a.row_ptr == b.row_ptr && a.col == b.col &&
         same_bits(std::vector<T>(a.val.begin(), a.val.end()), std::vector<T>(b.val.begin(), b.val.end()));
}

}  // namespace ostinato::test
