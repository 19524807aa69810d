// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The operators of constant coefficients. All points with the same place along each axis have the same row, so that a
// coarse operator follows from the rows of the 27 classes, on the host.

#include <array>
#include <vector>

#include <ostinato/preconditioners/multigrid/structured/hierarchy_steps.hpp>
#include <ostinato/spmv/base/extents.hpp>

namespace ostinato::multigrid {

/// The rows of the 27 classes of points: row[class][neighbour].
using Classes = std::array<std::array<double, neighbours>, neighbours>;

/// What most points have in common: their coefficients, and a box of points that have them. A coefficient that leads
/// out of the grid doesn't count, because what it multiplies is 0.
struct EvenPart {
  std::vector<float> values = {};
  Extents begin = {0, 0, 0}, end = {0, 0, 0};
};

/// The even part of one value of each of the 125 classes of the points of a grid.
EvenPart even_values(const std::vector<float>& by_class, const Extents& e);

/// The even part of an operator, without the centre.
EvenPart even_rows(const std::vector<float>& by_class, const Extents& e, int dimensions, bool star);

/// The even part of the weights of the coarse points `next`.
EvenPart even_weights(const std::vector<float>& by_class, const Extents& e, const Extents& next, const Halving& halved);

/// Whether the grid is one of three dimensions with a star whose rows are all the same up to the sides of the grid,
/// have the same coefficient in both directions of an axis, none of them positive, and a sum of 0 where no neighbour is
/// missing. Interpolation is then linear along all axes that couple points.
bool is_plain(const Classes& rows, const Extents& e, int dimensions, bool star);

/// How strongly each axis couples the points, by the row in the middle of the grid.
void couplings(const Classes& rows, const Extents& e, double (&strength)[3]);

/// The largest sum of absolute values in a row over its diagonal. Classes that the grid doesn't have are empty.
double largest_row(const Classes& rows);

/// The square roots of the diagonals of the 27 classes; 1 where a diagonal isn't positive.
using ClassRoots = std::array<double, neighbours>;
ClassRoots roots_of(const Classes& rows);

/// The square root of the diagonal of a point.
double root_at(const ClassRoots& roots, const Extents& e, Index x, Index y, Index z);

/// 1 / the square root of the diagonal, of the 125 classes.
std::vector<float> inverse_roots(const ClassRoots& roots, const Extents& e);

/// A root of 1 for each of the 125 classes.
inline std::vector<float> class_ones() { return std::vector<float>(scaled_classes, 1.0f); }

/// The coefficients of the scaled operator, A(i, j) / sqrt(A(i, i) A(j, j)), of the 125 classes.
std::vector<float> scaled_operator(const Classes& rows, const ClassRoots& roots, const Extents& e, int dimensions,
                                   bool star);

/// The next grid of one whose rows are by class: its rows, and the weights between the two.
class HalvedClasses {
 public:
  /// Makes the weights, by the 1-D operator along each axis that is halved. Keeps a reference to the rows.
  HalvedClasses(const Classes& rows, const Extents& e, int axes);
  HalvedClasses(Classes&& rows, const Extents& e, int axes) = delete;

  const Extents& grid() const { return coarse_; }
  /// Calls f(at, from, weight) for the fine points that a coarse point of place `at` along a halved axis has weights
  /// for; `from` is the place of the fine point.
  template <class F>
  void for_weights(int axis, F f) const {
    for_coarse(axis, [&](int at, Index j) {
      for (Index d = -1; d <= 1; ++d) {
        if (2 * j + 1 + d < extent(fine_, axis)) f(at, place(2 * j + 1 + d, extent(fine_, axis)), weight(axis, j, d));
      }
    });
  }
  /// Calls f(at, e, from, a, factor) for the terms of P^T A P along a halved axis: the coefficient of step a in the row
  /// of a fine point of place `from`, times `factor`, counts for step e in the row of a coarse point of place `at`.
  template <class F>
  void for_terms(int axis, F f) const {
    const Index n = extent(fine_, axis), next = extent(coarse_, axis);
    for_coarse(axis, [&](int at, Index j) {
      for (Index d = -1; d <= 1; ++d) {
        for (Index a = -1; a <= 1; ++a) {
          for (Index e = -1; e <= 1; ++e) {
            const Index i = 2 * j + 1 + d, left = d + a - 2 * e;
            if (i >= n || i + a < 0 || i + a >= n || j + e < 0 || j + e >= next || left < -1 || left > 1) continue;
            f(at, e, place(i, n), a, weight(axis, j, d) * weight(axis, j + e, left));
          }
        }
      }
    });
  }
  /// The rows of P^T A P, made along each axis in turn, as P is a product of weights along the axes.
  Classes galerkin_rows() const;
  /// The weights for the scaled operators, P(i, j) sqrt(A(i, i) / coarse A(j, j)), of the 125 classes of coarse points.
  std::vector<float> scaled_weights(const ClassRoots& roots, const ClassRoots& next_roots) const;

  Halving halved;

 private:
  static Index extent(const Extents& e, int axis) { return axis == 0 ? e.x : axis == 1 ? e.y : e.z; }
  /// Calls f(at, j) for a coarse point j of each place along an axis.
  template <class F>
  void for_coarse(int axis, F f) const {
    const Index next = extent(coarse_, axis), points[] = {0, next / 2, next - 1};
    for (int at = 0; at < 3; ++at) f(at, points[at]);
  }
  /// The weight of coarse point j for the fine point `step` away from it.
  double weight(int axis, Index j, Index step) const {
    return line_[axis][static_cast<std::size_t>(place(2 * j + 1 + step, extent(fine_, axis)))]
                [static_cast<std::size_t>(step + 1)];
  }
  /// Makes one axis of an operator that of the coarse grid.
  template <int Axis>
  void halve(Classes& a) const;

  Extents fine_, coarse_;
  std::array<std::array<double, 3>, 3> line_[3];  ///< weights by axis, place of the fine point and step
  const Classes& rows_;
};

}  // namespace ostinato::multigrid
