// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <random>
#include <span>
#include <vector>

#include <ostinato/spmv/matrix/csr.hpp>

// Small and random matrices and vectors. Random values depend only on their seed.

namespace ostinato::test {

using Random = std::mt19937_64;

/// Returns uniform values in -1 .. 1, the same with every standard library.
inline double signed_unit(Random& random) { return static_cast<double>(random() >> 11) * 0x1p-52 - 1; }

inline Index below(Random& random, Index n) {
  return static_cast<Index>(random() % static_cast<std::uint64_t>(std::max<Index>(n, 1)));
}

double dot_of(const auto& a, const auto& b) {
  double total = 0;
  for (std::size_t i = 0; i < a.size(); ++i) total += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  return total;
}

template <class T>
std::vector<T> random_vector(Index n, std::uint64_t seed) {
  Random random(seed);
  std::vector<T> x(static_cast<std::size_t>(n));
  for (T& value : x) value = static_cast<T>(signed_unit(random));
  return x;
}

/// Makes a matrix from all its elements; zeros aren't stored.
template <class T>
Csr<T> dense(std::initializer_list<std::initializer_list<double>> rows) {
  std::vector<Triplet<T>> triplets;
  Index i = 0, cols = 0;
  for (const auto& row : rows) {
    cols = static_cast<Index>(row.size());
    Index j = 0;
    for (const double value : row) {
      if (value != 0) triplets.push_back({i, j, static_cast<T>(value)});
      ++j;
    }
    ++i;
  }
  return from_triplets<T>(i, cols, triplets);
}

template <class T>
Csr<T> diagonal_matrix(const std::vector<T>& d) {
  std::vector<Triplet<T>> triplets;
  for (std::size_t i = 0; i < d.size(); ++i) triplets.push_back({static_cast<Index>(i), static_cast<Index>(i), d[i]});
  return from_triplets<T>(static_cast<Index>(d.size()), static_cast<Index>(d.size()), triplets);
}

/// A matrix of the diagonals -far, -1, 0, 1 and far.
template <class T>
Csr<T> stencil(Index rows, Index cols, Index far, std::uint64_t seed) {
  Random random(seed);
  std::vector<Triplet<T>> triplets;
  for (Index i = 0; i < rows; ++i) {
    for (const Index offset : {-far, Index{-1}, Index{0}, Index{1}, far}) {
      const Index j = i + offset;
      if (j >= 0 && j < cols) triplets.push_back({i, j, static_cast<T>(signed_unit(random))});
    }
  }
  return from_triplets<T>(rows, cols, triplets);
}

/// A matrix with about per_row entries per row in random columns. With `gaps` every fifth row and the last three rows
/// are empty.
template <class T>
Csr<T> scattered(Index rows, Index cols, Index per_row, bool gaps, std::uint64_t seed) {
  Random random(seed);
  std::vector<Triplet<T>> triplets;
  for (Index i = 0; cols > 0 && i < rows; ++i) {
    if (gaps && (i % 5 == 2 || i + 3 >= rows)) continue;
    for (Index k = below(random, 2 * per_row + 1); k > 0; --k)
      triplets.push_back({i, below(random, cols), static_cast<T>(signed_unit(random))});
  }
  return from_triplets<T>(rows, cols, triplets);
}

/// A scattered matrix in which row `full` has an entry in each column.
template <class T>
Csr<T> with_dense_row(Index rows, Index cols, Index full, std::uint64_t seed) {
  Random random(seed);
  std::vector<Triplet<T>> triplets;
  for (Index i = 0; i < rows; ++i) {
    if (i == full) continue;
    for (int k = 0; k < 3; ++k) triplets.push_back({i, below(random, cols), static_cast<T>(signed_unit(random))});
  }
  for (Index j = 0; j < cols; ++j) triplets.push_back({full, j, static_cast<T>(signed_unit(random))});
  return from_triplets<T>(rows, cols, triplets);
}

/// Returns the same matrix with the entries of each row in random order and one entry in three split into two halves,
/// so that rows are neither sorted nor free of duplicates.
template <class T>
Csr<T> shuffled(const Csr<T>& a, std::uint64_t seed) {
  Random random(seed);
  Csr<T> out{a.rows, a.cols, Array<Offset>(1, 0), {}, {}};
  for (std::size_t i = 0; i < static_cast<std::size_t>(a.rows); ++i) {
    std::vector<std::pair<Index, T>> row;
    for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k) {
      const bool split = random() % 3 == 0;
      row.push_back({a.col[k], split ? a.val[k] / 2 : a.val[k]});
      if (split) row.push_back({a.col[k], a.val[k] / 2});
    }
    for (std::size_t k = row.size(); k > 1; --k) std::swap(row[k - 1], row[random() % k]);
    for (const auto& [j, value] : row) {
      out.col.push_back(j);
      out.val.push_back(value);
    }
    out.row_ptr.push_back(static_cast<Offset>(out.col.size()));
  }
  return out;
}

}  // namespace ostinato::test
