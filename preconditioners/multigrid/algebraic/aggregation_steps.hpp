// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The kernels of aggregation.hpp, on both spaces.

#include <cmath>
#include <cstddef>
#include <cstdint>

#include <ostinato/preconditioners/multigrid/algebraic/coarsening_steps.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/points.hpp>
#include <ostinato/spmv/matrix/csr_pattern.hpp>
#include <ostinato/spmv/space/for_each.hpp>
#include <ostinato/spmv/space/sums.hpp>

namespace ostinato::algebraic {

/// to[k] = (factor val[k])^2
template <class T>
struct SquareValues {
  T factor;
  const T* val;
  T* to;

  OSTINATO_FUNCTION void operator()(std::size_t k) const {
    const T v = factor * val[k];
    to[k] = v * v;
  }
};

/// Row i of the matrix that takes rows to their points.
template <class T>
struct FillPoints {
  Points points;
  Offset* row_ptr;  ///< rows + 1
  Index* col;
  T* val;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    row_ptr[i] = static_cast<Offset>(i);
    row_ptr[i + 1] = static_cast<Offset>(i) + 1;
    col[i] = points.point_of(static_cast<Index>(i));
    val[i] = T{1};
  }
};

/// size[i] = the largest |a_ij|^2 with another point j, or 0
template <class T>
struct LargestBeside {
  detail::CsrPattern graph;
  const T* square;
  T* size;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    T most = 0;
    for (Offset k = graph.row_ptr[i]; k < graph.row_ptr[i + 1]; ++k) {
      if (graph.col[k] != static_cast<Index>(i) && square[k] > most) most = square[k];
    }
    size[i] = most;
  }
};

/// Marks the strong entries of point i: |a_ij|^2 > threshold^2 m_i m_j, where m_i is the largest |a_ij|.
template <class T>
struct MarkStrongPairs {
  detail::CsrPattern graph;
  const T* square;  ///< |a_ij|^2 for each entry
  const T* size;    ///< m_i^2 for each point
  double threshold;
  std::uint8_t* strong;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    const double limit = threshold * threshold * sqrt(static_cast<double>(size[i]));
    for (Offset k = graph.row_ptr[i]; k < graph.row_ptr[i + 1]; ++k) {
      const Index j = graph.col[k];
      const double other = sqrt(static_cast<double>(size[j]));
      strong[k] = j != static_cast<Index>(i) && static_cast<double>(square[k]) > limit * other;
    }
  }
};

/// What is decided of a point, a hash of its number, and the number, from the highest bits to the lowest: a root is the
/// largest of its neighbours.
struct RootKey {
  static constexpr std::uint64_t none = 0, undecided_point = 1, root = 2;

  OSTINATO_FUNCTION static std::uint64_t of(std::uint64_t state, Index i) {
    const auto number = static_cast<std::uint32_t>(i);
    return state << 62 | static_cast<std::uint64_t>(Rank::hash(number) >> 1) << 31 | number;
  }
  OSTINATO_FUNCTION static std::uint64_t state(std::uint64_t key) { return key >> 62; }
};

/// Points without a strong neighbour belong to no aggregate.
struct BeginRoots {
  detail::CsrPattern graph;
  const std::uint8_t* strong;
  std::uint64_t* key;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    bool coupled = false;
    for (Offset k = graph.row_ptr[i]; k < graph.row_ptr[i + 1]; ++k) coupled = coupled || strong[k] != 0;
    key[i] = RootKey::of(coupled ? RootKey::undecided_point : RootKey::none, static_cast<Index>(i));
  }
};

/// to[i] = the largest of the keys of point i and its neighbours
struct SpreadLargest {
  detail::CsrPattern graph;
  const std::uint8_t* strong;
  const std::uint64_t* from;
  std::uint64_t* to;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    std::uint64_t largest = from[i];
    for (Offset k = graph.row_ptr[i]; k < graph.row_ptr[i + 1]; ++k) {
      if (strong[k] && from[graph.col[k]] > largest) largest = from[graph.col[k]];
    }
    to[i] = largest;
  }
};

/// Makes an undecided point a root whose key is the largest within two steps, and leaves out one with a root so near.
/// The sum counts the points that stay undecided.
struct DecideRoots {
  const std::uint64_t* largest;  ///< within two steps
  std::uint64_t* key;

  OSTINATO_FUNCTION Sums<1> operator()(std::size_t i) const {
    if (RootKey::state(key[i]) != RootKey::undecided_point) return {{0}};
    const auto number = static_cast<Index>(i);
    if (largest[i] == key[i]) {
      key[i] = RootKey::of(RootKey::root, number);
    } else if (RootKey::state(largest[i]) == RootKey::root) {
      key[i] = RootKey::of(RootKey::none, number);
    } else {
      return {{1}};
    }
    return {{0}};
  }
};

/// Counts for the numbers of the aggregates.
struct CountRoots {
  const std::uint64_t* key;
  Offset* number;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    number[i] = RootKey::state(key[i]) == RootKey::root ? 1 : 0;
  }
};

/// A root and its neighbours form an aggregate. aggregate[i] is -1 for the other points.
struct JoinRoot {
  detail::CsrPattern graph;
  const std::uint8_t* strong;
  const std::uint64_t* key;
  const Offset* number;
  Index* aggregate;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    Index nearest = RootKey::state(key[i]) == RootKey::root ? static_cast<Index>(i) : -1;
    for (Offset k = graph.row_ptr[i]; k < graph.row_ptr[i + 1] && nearest < 0; ++k) {
      if (strong[k] && RootKey::state(key[graph.col[k]]) == RootKey::root) nearest = graph.col[k];
    }
    aggregate[i] = nearest < 0 ? -1 : static_cast<Index>(number[nearest]);
  }
};

/// Points that no root is beside join the aggregate to which their strong entries have the largest sum, the one that
/// comes first among equals.
template <class T>
struct JoinStrongest {
  detail::CsrPattern graph;
  const T* square;
  const std::uint8_t* strong;
  const Index* before;  ///< aggregate of each point, or -1
  Index* aggregate;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    Index best = before[i];
    double most = -1;
    for (Offset k = graph.row_ptr[i]; before[i] < 0 && k < graph.row_ptr[i + 1]; ++k) {
      const Index candidate = strong[k] ? before[graph.col[k]] : -1;
      if (candidate < 0) continue;
      double total = 0;
      for (Offset l = graph.row_ptr[i]; l < graph.row_ptr[i + 1]; ++l) {
        if (strong[l] && before[graph.col[l]] == candidate) total += static_cast<double>(square[l]);
      }
      if (total > most) best = candidate;
      if (total > most) most = total;
    }
    aggregate[i] = best;
  }
};

}  // namespace ostinato::algebraic
