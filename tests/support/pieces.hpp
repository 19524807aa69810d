// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <vector>

#include <ostinato/spmv/matrix/csr.hpp>
#include <ostinato/spmv/team/partition.hpp>

#include "support/matrices.hpp"

// Matrices and vectors in pieces, as ranks have them.

namespace ostinato::test {

/// Rows begin .. end - 1 of a matrix.
template <class T>
Csr<T> piece(const Csr<T>& a, Index begin, Index end) {
  Csr<T> part;
  part.rows = end - begin;
  part.cols = a.cols;
  const Offset first = a.row_ptr[static_cast<std::size_t>(begin)], last = a.row_ptr[static_cast<std::size_t>(end)];
  for (Index i = begin; i < end; ++i) part.row_ptr.push_back(a.row_ptr[static_cast<std::size_t>(i) + 1] - first);
  part.col.assign(a.col.begin() + first, a.col.begin() + last);
  part.val.assign(a.val.begin() + first, a.val.begin() + last);
  return part;
}

template <class T>
std::vector<T> piece(const std::vector<T>& x, const Partition& parts, const Team& team) {
  return {x.begin() + parts.begin(team), x.begin() + parts.end(team)};
}

/// The vector of all ranks, on each of them.
template <class T>
std::vector<T> joined(const Team& team, const std::vector<T>& mine) {
  std::vector<T> whole;
  for (const Team::Bytes& part : team.all_gather_v(std::as_bytes(std::span(mine)))) {
    const auto* const values = reinterpret_cast<const T*>(part.data());
    whole.insert(whole.end(), values, values + part.size() / sizeof(T));
  }
  return whole;
}

/// Parts of different sizes, some of them empty, that know nothing of blocks.
inline Partition uneven(const Team& team, Index rows) {
  std::vector<Index> offsets = {0};
  for (int r = 1; r < team.size(); ++r)
    offsets.push_back(r == 2 ? offsets.back() : std::clamp(rows * r / team.size() + r % 2, offsets.back(), rows));
  offsets.push_back(rows);
  return Partition(offsets);
}

/// Random entries, some of them in far columns, with empty rows, a dense row and rows of more than 16 entries.
inline Csr<double> odd_matrix(Index rows, Index cols) {
  Random random(5);
  std::vector<Triplet<double>> entries;
  for (Index i = 0; i < rows; ++i) {
    const Index length = i % 7 == 3 ? 0 : i == rows / 3 ? cols : i % 11 == 0 ? 25 : 4;
    for (Index k = 0; k < length; ++k)
      entries.push_back({i,
                         length == cols ? k
                         : k % 3 == 2   ? below(random, cols)
                                        : (i + k) % cols,
                         signed_unit(random)});
  }
  return from_triplets<double>(rows, cols, entries);
}

template <class T>
void expect_equal(const Csr<T>& a, const Csr<T>& b) {
  EXPECT_EQ(a.rows, b.rows);
  EXPECT_EQ(a.cols, b.cols);
  EXPECT_EQ(a.row_ptr, b.row_ptr);
  EXPECT_EQ(a.col, b.col);
  EXPECT_EQ(a.val, b.val);
}

}  // namespace ostinato::test
