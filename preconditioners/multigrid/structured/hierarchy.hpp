// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <ostinato/preconditioners/contract/memory_budget.hpp>
#include <ostinato/preconditioners/multigrid/structured/classes.hpp>
#include <ostinato/preconditioners/multigrid/structured/hierarchy_steps.hpp>
#include <ostinato/preconditioners/multigrid/structured/plain_star.hpp>
#include <ostinato/preconditioners/multigrid/structured/stencil.hpp>
#include <ostinato/spmv/analysis/analysis.hpp>
#include <ostinato/spmv/analysis/grid.hpp>
#include <ostinato/spmv/base/stop.hpp>
#include <ostinato/spmv/space/vector.hpp>
#include <ostinato/spmv/stencil/stencil_operator.hpp>

namespace ostinato::multigrid {

/// So many floats in whole cache lines of 128 bytes.
constexpr std::size_t in_whole_lines(std::size_t floats) { return (floats + 31) / 32 * 32; }

/// An array, or a part of one that several share: to allocate and to fill a small array takes longer than to use it.
template <class Space>
class Part {
 public:
  Part() = default;
  Part(Vector<Space, float> whole)
      : size_(whole.size()), whole_(std::make_shared<Vector<Space, float>>(std::move(whole))), data_(whole_->data()) {}
  Part(std::shared_ptr<Vector<Space, float>> whole, std::size_t first, std::size_t size)
      : size_(size), whole_(std::move(whole)), data_(whole_->data() + first) {}

  float* data() { return data_; }
  const float* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::size_t bytes() const { return size_ * sizeof(float); }
  std::vector<float> download() const {
    const std::vector<float> all = whole_ ? whole_->download() : std::vector<float>();
    const float* const first = whole_ ? all.data() + (data_ - whole_->data()) : nullptr;
    return {first, first + size_};
  }

 private:
  std::size_t size_ = 0;
  std::shared_ptr<Vector<Space, float>> whole_;
  float* data_ = nullptr;
};

/// A vector of a grid, with room before and behind that is 0.
template <class Space>
class Field {
 public:
  Field() = default;
  /// `dimensions`: of the stencils that are applied to it, also where the grid has a single plane or line left.
  Field(const Space& space, const Extents& grid, int dimensions);

  float* data() const { return data_; }
  static std::size_t elements_of(const Extents& grid, int dimensions) {
    return grid.points() + 2 * margin(grid, dimensions);
  }
  static std::size_t bytes_of(const Extents& grid, int dimensions) {
    return elements_of(grid, dimensions) * sizeof(float);
  }
  /// The elements before the grid, and behind it: up to a neighbour of the first point, in whole cache lines.
  static std::size_t margin(const Extents& grid, int dimensions) {
    return in_whole_lines(grid.number(1, dimensions > 1 ? 1 : 0, dimensions > 2 ? 1 : 0));
  }

 private:
  Vector<Space, float> room_;
  float* data_ = nullptr;
};

/// One grid of a hierarchy. The operator is scaled to A(i, i) = 1.
template <class Space>
struct Level {
  Extents grid;
  int dimensions = 0;
  bool star = false;
  bool by_class = false;
  bool plain = false;  ///< whether passes by planes may take the level: all axes are halved, and plain_star is set
  double omega = 0;    ///< damping of Jacobi
  double largest = 0;  ///< bound of the eigenvalues
  Part<Space> a = {};
  Part<Space> p = {};  ///< interpolation from the next grid; empty on the coarsest
  int axes = 0;        ///< that the next grid halves: 1 for x, 2 for y, 4 for z
  Extents next = {};
  Periodic periodic = {};
  EvenPart even_a = {}, even_p = {};  ///< by class: what most rows, and most weights, have in common
  PlainStar plain_star = {};

  Around around() const { return {dimensions, star, periodic}; }
  Coefficients operator_view() const { return {grid, a.data(), by_class, around()}; }
  Coefficients weights_view() const { return {next, p.data(), by_class}; }
  WeightsOf<const float> weights() const;  ///< of coefficients by point
  std::size_t nonzeros() const;  ///< coefficients of the operator, those that are classes counted at each point
  std::size_t bytes() const { return a.bytes() + p.bytes(); }
  std::size_t predicted_bytes() const;  ///< the same, before there are arrays
};

/// Tables of classes one behind the other: those of each level's operator and of its weights in turn, then others.
struct ClassTables {
  struct Place {
    std::size_t first, size;
  };
  std::vector<float> values = {};
  std::vector<Place> places = {};

  void add(const std::vector<float>& table) {
    values.resize(in_whole_lines(values.size()));
    places.push_back({values.size(), table.size()});
    values.insert(values.end(), table.begin(), table.end());
  }
};

/// How strongly each axis couples the points of a grid, and the largest row.
struct Couplings {
  double strength[3];
  float largest_row;
};

/// Measures the couplings of one grid after the other.
template <class Space>
class CouplingMeter {
 public:
  explicit CouplingMeter(const Space& space) : strengths_(space, 3), largest_(space, 1) {}

  Couplings measure(const Space& space, const Stencil& a);

 private:
  Vector<Space, double> strengths_;
  Vector<Space, int> largest_;
};

/// A level whose operator isn't scaled yet.
template <class Space>
struct UnscaledLevel {
  Level<Space> level;
  Stencil a;                          ///< level.a, unset
  int slots;                          ///< coefficients of a point
  Vector<Space, float> inverse = {};  ///< 1 / the square root of the diagonal

  UnscaledLevel(const Space& space, const Extents& grid, int dimensions, bool star, const Periodic& periodic);
  void find_roots(const Space& space);
};

/// The grids of a hierarchy before their arrays are made, and what these are made of. A caller may look at the memory
/// that they take before it makes them.
///
/// With constant coefficients the plan is final. With others it has the fewest grids that there may be, with all axes
/// halved on each of them, until measure() has found how strongly the axes couple points.
template <class Space>
class GridPlan {
 public:
  /// Of the entries that couple an unknown of each point with itself.
  /// Requires  The grid was found in this matrix; the diagonal is positive. The analysis outlives the plan.
  template <class T>
  GridPlan(const Analysis<Space, T>& analysis, const Grid& grid, int unknown = 0);
  /// Requires  A positive diagonal. The stencil outlives the plan.
  template <class T>
  explicit GridPlan(const StencilOperator<Space, T>& stencil);

  /// Of constant coefficients, by the table of a StencilOperator. norm: of the matrix.
  GridPlan(const Space& space, const Grid& grid, const std::vector<double>& table, double norm);

  const std::vector<Level<Space>>& grids() const { return grids_; }  ///< without arrays
  const Grid& grid() const { return grid_; }
  /// close, at_least before measure(), or rough: a guess on small grids and where an axis couples weakly or little more
  /// than that, if coefficients vary from point to point.
  Certainty certainty() const { return certainty_; }
  /// Makes the operator of the finest grid, and plans by its couplings. Returns whether the plan is another one.
  bool measure();

 private:
  template <class>
  friend class Hierarchy;

  /// The finest grid by point.
  struct Finest {
    UnscaledLevel<Space> level;
    CouplingMeter<Space> meter;
    Couplings couplings;
    Periodic keep;  ///< axes that keep 2 points
  };

  /// are_its_rows() is asked once the tables are made: whether the rows of all points are those of their classes. If
  /// not, the object stays as it is, and the function returns false.
  bool plan_by_class(const std::vector<double>& table, const std::function<bool()>& are_its_rows);
  void plan_by_point(std::function<void(const Stencil& a)> fill);
  void scale_by(double norm);

  Space space_;
  Grid grid_;
  double power_ = 1;
  std::vector<Level<Space>> grids_;
  Certainty certainty_ = Certainty::close;
  std::function<bool()> constants_vanish_;  ///< whether constants solve A x = 0, in the precision of A
  ClassTables tables_;
  std::size_t coarsest_points_ = 0;  ///< by class: of a grid that is solved by a dense inverse, at most
  EvenPart even_inverse_root_;
  std::vector<float> coarsest_root_, coarsest_a_;  ///< by class: as those of the hierarchy
  std::function<void(const Stencil& a)> fill_;     ///< by point: writes the operator of the finest grid, times power
  std::optional<Finest> finest_;
};

/// A grid, the grids that halve it again and again, and their operators P^T A P (or stars, see StarByAxes), in float.
///
/// A matrix of constant coefficients (all points with the same place along each axis have the same row) keeps them on
/// every grid: the coefficients of all grids are made on the host from small model grids, and nothing is stored by
/// point. Interpolation is then linear, by the 1-D operator along each axis. The weights of other matrices follow the
/// operator (SolveWeights) and are stored: 13.5 bytes a fine point in three dimensions, less than the operator's row
/// that would be read to make them again.
///
/// A periodic axis of an odd number of points n gets (n + 1) / 2 coarse ones, two of which lie beside each other; one
/// of two points gets one, and is periodic no more, where other axes couple enough. Grids with periodic axes are always
/// kept by point.
///
/// Axes that couple points less than half as strongly as the strongest axis aren't halved; by point in 3-D those that
/// couple them less than a quarter as strongly.
///
/// Memory    By point, in 3-D: 28 bytes (7-point) to 108 bytes (27-point) a row for the operator, 13.5 for weights; an
///           eighth of it again on each coarser grid, whose operators have 27 points; half or a quarter where not all
///           axes are halved.
/// Source    Dendy (see SolveWeights).
template <class Space>
class Hierarchy {
 public:
  /// Throws    Stopped once `stop` is made, which is looked at before each level that is made by point.
  explicit Hierarchy(GridPlan<Space> plan, const StopRequest& stop = {});

  const std::vector<Level<Space>>& levels() const { return levels_; }
  bool by_class() const { return levels_.front().by_class; }
  /// 1 / the square root of the diagonal of A, scaled by `power`: of a point or class of the finest grid.
  Coefficients inverse_root() const { return {levels_.front().grid, inverse_root_.data(), by_class()}; }
  const EvenPart& even_inverse_root() const { return even_inverse_root_; }
  const float* ones() const { return ones_.data(); }  ///< a root of 1 for each class: the scale of inner levels
  double power() const { return power_; }             ///< A times this power of two has a diagonal of about 1
  const Vector<Space, float>& inverse() const { return inverse_; }  ///< of the coarsest operator, dense
  std::size_t inverse_root_bytes() const { return inverse_root_.bytes(); }

 private:
  using Unscaled = UnscaledLevel<Space>;
  void take_classes(GridPlan<Space>& plan);
  template <bool Wraps>
  void make_levels_by_point(GridPlan<Space>& plan, const StopRequest& stop);
  template <bool Wraps>
  void add_coarsest(Unscaled last);
  // The steps from a grid to the next one. halves_all: whether all axes are halved, and none is periodic.
  template <bool Wraps>
  Unscaled halve(Unscaled& fine) const;
  template <bool Wraps>
  void solve_weights(const Stencil& a, const Weights& p, const Level<Space>& level, bool halves_all) const;
  template <bool Wraps>
  void make_coarse_operator(const Stencil& a, const Weights& p, const Stencil& coarse, int slots) const;
  template <bool Wraps>
  void scale_weights(const Weights& p, const Vector<Space, float>& inverse, const Vector<Space, float>& coarse_inverse,
                     const Level<Space>& level, bool halves_all) const;
  void invert_coarsest(const std::function<bool()>& constants_vanish);

  Space space_;
  double power_ = 1;
  std::vector<Level<Space>> levels_;
  Part<Space> inverse_root_, ones_;
  EvenPart even_inverse_root_;
  std::vector<float> coarsest_root_, coarsest_a_;  ///< of the last level, on the host
  Vector<Space, float> inverse_;
};

}  // namespace ostinato::multigrid
