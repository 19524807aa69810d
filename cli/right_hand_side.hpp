// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <ostinato/solvers/recurrence/diagnosis.hpp>
#include <ostinato/spmv/linear_map.hpp>
#include <ostinato/spmv/space/vector.hpp>

#include "generated.hpp"
#include "solve_system.hpp"

// The right-hand side that `solve` takes where none is given.

namespace ostinato::cli {

template <class Space, class T>
struct RightHandSide {
  Vector<Space, T> b;
  std::string what;      ///< for the report
  bool of_ones = false;  ///< b is A * ones, so that x is known
  bool is_given = false;
};

/// Calls visit(piece) for one piece of a vector after the other, in host memory, until that returns false. A copy of
/// the whole would take longer than a solve: its pages are new.
template <class Space, class T, class Visit>
void visit_pieces(const Space& space, const Vector<Space, T>& v, Visit visit) {
  constexpr std::size_t most = std::size_t{1} << 18;
  std::vector<T> piece(std::min(most, v.size()));
  for (std::size_t begin = 0; begin < v.size(); begin += piece.size()) {
    const std::size_t count = std::min(piece.size(), v.size() - begin);
    space.download(piece.data(), v.data() + begin, count * sizeof(T));
    if (!visit(std::span<const T>(piece.data(), count))) return;
  }
}

/// Whether b = A * ones is 0 but for rounding, as on a grid without boundary values. `norm`: of A.
template <class Space, class T>
bool is_rounding(const LinearMap<Space, T>& a, double norm, const Vector<Space, T>& b) {
  // The largest rather than the norm, whose squares might vanish.
  const double most = 8 * static_cast<double>(std::numeric_limits<T>::epsilon()) * norm;
  bool is_small = true;
  visit_pieces(a.space(), b, [&](std::span<const T> piece) { return is_small = largest(piece) <= most; });
  return is_small && std::isfinite(norm) &&
         is_rounding_by_row<Space, T>(a.space(), a, std::vector<T>(a.cols(), T{1}), b);
}

template <class Space, class T>
Vector<Space, T> product(const LinearMap<Space, T>& a, const Vector<Space, T>& x) {
  Vector<Space, T> b(a.space(), a.rows());
  a.apply(T{1}, x, T{0}, b);
  a.space().wait();
  return b;
}

/// The vector given, or A * ones. Where that is 0, A x with x(i) = sin i of a generated matrix.
/// Throws    FormatError where A * ones is 0 for the matrix of a file: the residual of x = 0 would be within any goal.
template <class Space, class T>
RightHandSide<Space, T> right_hand_side(const LinearMap<Space, T>& a, double norm, const Array<T>& given,
                                        const std::string& matrix) {
  const Space& space = a.space();
  if (!given.empty()) return {Vector<Space, T>(space, std::span<const T>(given)), {}, false, true};
  auto b = product(a, Vector<Space, T>(space, a.cols(), T{1}));
  if (!(norm > 0) || !is_rounding(a, norm, b)) return {std::move(b), "b = A * ones, no --rhs was given", true};
  if (!generated_matrix(matrix))
    throw FormatError(matrix, 0,
                      "A * ones = 0: the matrix is singular, constants solve A x = 0; give a right-hand side with -f");
  std::vector<T> x(a.cols());
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<T>(std::sin(static_cast<double>(i + 1)));
  return {product(a, Vector<Space, T>(space, std::span<const T>(x))), "b = A * (sin 1, sin 2, ...), as A * ones is 0"};
}

/// The 2-norm, by way of the largest element: squares might leave the range.
template <class T>
double norm_of(const std::vector<T>& v) {
  const double size = largest(v);
  if (!(size > 0)) return size;
  double total = 0;
  for (const T e : v) total += (static_cast<double>(e) / size) * (static_cast<double>(e) / size);
  return size * std::sqrt(total);
}

}  // namespace ostinato::cli
