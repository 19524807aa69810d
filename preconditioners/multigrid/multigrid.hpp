// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ostinato/preconditioners/contract/level.hpp>
#include <ostinato/preconditioners/contract/memory_budget.hpp>
#include <ostinato/preconditioners/contract/preconditioner.hpp>
#include <ostinato/preconditioners/contract/rows_named.hpp>
#include <ostinato/preconditioners/multigrid/damping.hpp>
#include <ostinato/spmv/analysis/analysis.hpp>
#include <ostinato/spmv/base/revision.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/base/stop.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/stencil/stencil_operator.hpp>

namespace ostinato {

/// Where the coarser grids come from.
enum class MultigridKind {
  automatic,    ///< structured where there is a grid, else classical
  structured,   ///< the grid that the diagonals of a matrix show
  classical,    ///< the strong entries of any matrix
  aggregation,  ///< points in groups, and vectors that the matrix makes nearly 0
  pairwise,     ///< points in pairs of pairs of pairs; little set-up, and a cycle that varies
  plain,        ///< the groups of aggregation, with constant interpolation; the least set-up, and a cycle that varies
};

/// Where the points of a matrix are.
struct PointCoordinates {
  int dimensions = 0;          ///< 2 or 3; 0: unknown
  std::vector<double> values;  ///< points x dimensions, point by point, in any unit
};

/// What update_values() keeps of an algebraic hierarchy.
enum class MultigridReuse {
  none,           ///< nothing: the hierarchy is made anew
  interpolation,  ///< the interpolations, and so the patterns of all levels; their values are computed anew
};

struct MultigridOptions {
  MultigridKind kind = MultigridKind::automatic;
  /// Steps of the smoother before the coarse grid and after it, at most 8; 0: one for kind=pairwise and kind=plain, and
  /// one of Jacobi for a symmetric matrix on a grid, one of fsai, ilu0 and ic0; otherwise two.
  int sweeps = 0;
  /// By default Jacobi on a grid and for a matrix that isn't symmetric, else Chebyshev. fsai, ilu0 and ic0 smooth
  /// each level with the preconditioner of that name for its matrix, for kinds other than structured: `automatic` is
  /// `classical` with one of these. They take more time and memory at set-up and in a cycle, and fewer iterations on
  /// matrices that a diagonal hardly smooths. fsai and ic0 are for symmetric positive definite matrices.
  std::optional<Smoother> smoother = {};

  /// For classical: the rows of the finest level are coarsened twice at once, which takes about half of the time and of
  /// the memory of the set-up, and about half as many iterations more.
  bool aggressive = false;

  /// For classical and aggregation. With MultigridReuse::interpolation, update_values() takes a fifth to a quarter of
  /// the time of the set-up, and the object about 3 to 4 times the memory.
  MultigridReuse reuse = MultigridReuse::none;

  /// For aggregation, pairwise and plain: of each point, numbered point by point; 0: as many as coordinates have
  /// dimensions, otherwise what the grid of the matrix says, otherwise 1.
  int unknowns = 0;

  /// For aggregation and plain: two points are strongly coupled when the square of their block's norm is above
  /// threshold^2 times the largest norms of a block beside the diagonal for either point; for aggregation halved on
  /// each level. 0 .. 1; 0: wherever there are entries.
  double threshold = 0.15;

  // For aggregation:
  /// For displacements: the motions of a rigid body are the near-null vectors.
  PointCoordinates coordinates = {};
  /// Near-null vectors, rows elements each, one after the other; they go before coordinates. Without both: a vector for
  /// each unknown, constant over the points.
  std::vector<double> near_null = {};
};

/// One cycle of multigrid.
///
/// Structured  Geometric multigrid on the grid that the diagonals of a matrix show (Analysis::grid()). Nobody has to
///             name the grid: any matrix with a 3-, 5-, 7-, 9- or 27-point stencil will do, with constant or variable
///             coefficients, with periodic axes or not.
///
/// Classical   Algebraic multigrid on any matrix (algebraic/hierarchy.hpp): for discretised elliptic equations on
///             unstructured meshes, and for convection and diffusion.
///
/// Aggregation Smoothed aggregation (algebraic/smoothed_aggregation.hpp): points in groups, which interpolate
///             near-null vectors exactly. With the motions of a rigid body, for elasticity on any mesh.
///
/// Pairwise    Algebraic multigrid whose set-up takes little time and memory (algebraic/pairwise_aggregation.hpp): rows
///             in groups of about eight, on which interpolation is constant, so that a coarse matrix is made by adding
///             up entries. The cycle is a K-cycle (algebraic/cycle.hpp), which isn't a linear function of r: varies().
///             CG and GMRES are made for that, and BiCGSTAB and IDR mostly bear it, but BiCGSTAB may never reach the
///             goal (choose_solver()); MINRES, BiCGSTAB(2) and LSMR refuse it.
///
/// Plain       The same with the groups of aggregation instead of pairs (algebraic/plain_aggregation.hpp), which takes
///             0.5 to 0.9 of the set-up, and in three dimensions less time for a cycle. Where couplings of very
///             different strength meet in one row the iterations may be several times those of pairs (1138_bus 154
///             instead of 19), and it isn't for stiffness matrices.
///
/// Where a point of a grid has several unknowns, M is block diagonal: a cycle for each unknown, made from the entries
/// that couple it with itself. That does for elasticity and for reactions that are weak beside the diffusion.
///
/// M has damped Jacobi or, by entries and with two sweeps and more on a grid, Chebyshev as smoother, or a
/// preconditioner that was asked for, the same before and after the coarse grid. Kinds other than pairwise and plain
/// have a V-cycle, so that M is symmetric positive definite when A is, but with smoother=ilu0. The hierarchy and the
/// cycle are in float; the solver around them keeps its precision.
///
/// Traffic   3-D 7-point, for each unknown: some 56 bytes with constant coefficients, some 150 with variable ones.
/// Exec      The constructor works in the memory of the space and waits. apply and apply_dot are enqueued, allocate
///           nothing, and may be captured. One thread at a time applies an object; a second one gets an
///           ArgumentError.
/// Requires  The elements of r are in the range of float, squared: the solvers scale b where they aren't.
/// Throws    ArgumentError when the matrix isn't on a grid, when the diagonal isn't positive,
///           when the operator of a coarser grid leaves the range of float, or when a cycle doesn't make a random
///           error smaller.
/// Source    Briggs, Henson & McCormick, A Multigrid Tutorial; Dendy, J. Comput. Phys. 48 (1982) 366.
template <class Space, class T>
class Multigrid {
 public:
  using space_type = Space;
  using value_type = T;
  using is_capturable = void;
  static constexpr std::string_view name = "multigrid";
  static constexpr std::string_view description = "a cycle over coarser grids, which are found in the matrix";

  using Options = MultigridOptions;

  static std::string why_not(const Structure& s);
  static std::string known_options();  ///< for help: "KEY=VALUES, KEY=VALUES"
  /// Throws    ArgumentError for a text with other options.
  static MultigridOptions parse_options(std::string_view text);
  static RowsNamed rows_named(const MultigridOptions& options) {
    return options.unknowns > 1 ? RowsNamed::points : RowsNamed::none;
  }
  /// What the levels keep, roughly, where the matrix isn't on a grid.
  static std::optional<MemoryPrediction> guess(const Analysis<Space, T>& analysis);

  explicit Multigrid(const Analysis<Space, T>& analysis, MultigridOptions options = {});
  /// Classical multigrid coarsens aggressively where it doesn't fit into the budget otherwise; remarks() says so then.
  /// Throws    MemoryLimitError; Stopped once `stop` is made, which is looked at before each level, and several times
  ///           on those of an algebraic hierarchy; as the other constructors.
  Multigrid(const Analysis<Space, T>& analysis, MultigridOptions options, const StopRequest& stop,
            const MemoryBudget& memory);
  Multigrid(const Space& space, const Csr<T>& a, MultigridOptions options = {})
      : Multigrid(Analysis<Space, T>(space, a), options) {}
  /// The same cycle without a matrix. The preconditioner doesn't keep the stencil.
  explicit Multigrid(const StencilOperator<Space, T>& stencil, MultigridOptions options = {});
  Multigrid(const StencilOperator<Space, T>& stencil, MultigridOptions options, const MemoryBudget& memory);
  /// Requires  An object that was moved from throws ArgumentError from all functions, until another one is assigned to
  ///           it.
  Multigrid(Multigrid&&) noexcept;
  Multigrid& operator=(Multigrid&&) noexcept;
  ~Multigrid();

  /// Makes the hierarchy of a matrix with new values, with the same options: anew, so that both are in memory for a
  /// while. With MultigridReuse::interpolation the interpolations are kept, and the values of all levels computed; the
  /// hierarchy is made anew only where entries are in other places, or where cycles on a random error show that solves
  /// would take over some 1.5 times as many iterations as when the interpolations were made. A second copy of the
  /// values is there for a while. After an exception the object is as before. Where memory or
  /// device don't allow that, apply() throws ArgumentError until a later update_values() has succeeded.
  /// Throws    DimensionError for another number of rows; as the constructor.
  void update_values(const Analysis<Space, T>& analysis);
  /// The same where the caller knows that the pattern is the old one, which isn't read to find that out (but to find
  /// the grid, with kind=automatic). With another number of entries the hierarchy is made anew.
  /// Requires  The pattern of the matrix before. That isn't checked, and with another one anything may happen, also
  ///           writes beyond the end of arrays.
  void update_values(const Analysis<Space, T>& analysis, SamePattern);

  std::size_t rows() const;
  const Space& space() const;
  /// Changes with update_values(), and when another one is assigned.
  int revision() const { return revision_.number(); }

  /// z = M^-1 r
  void apply(std::span<const T> r, std::span<T> z) const;
  /// z = M^-1 r;  *slot = r . z
  void apply_dot(std::span<const T> r, std::span<T> z, Slot<T> slot) const;

  /// For vectors in float, where T is double and the grids are structured; null otherwise.
  const PreconditionerBase<Space, float>* lower() const;

  std::size_t bytes() const;
  double seconds() const;  ///< predicted time of a cycle
  bool works_in_float() const { return true; }
  bool varies() const;                              ///< whether M is a K-cycle
  bool symmetric() const;                           ///< M is symmetric when A is: not with smoother=ilu0
  std::vector<PreconditionerLevel> levels() const;  ///< the finest first
  /// By what a cycle shrank a random error at set-up, or after the last update. Where a smoother alone is the coarsest
  /// level, and with near-null vectors of the caller, the last of 20 cycles.
  double rate() const;
  bool reused() const;          ///< the last update_values() kept the interpolations
  std::string remarks() const;  ///< for reports: "6 grids, 2.61 times the entries of A"

 private:
  struct State;
  State& state() const;
  void update_values(const Analysis<Space, T>& analysis, bool known);

  std::unique_ptr<State> state_;
  Revision revision_;
};

template <class Space, class T>
Multigrid(const Space&, const Csr<T>&) -> Multigrid<Space, T>;

OSTINATO_EXTERN_CLASS(Multigrid);

}  // namespace ostinato
