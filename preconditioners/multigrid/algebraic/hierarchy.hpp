// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include <ostinato/preconditioners/contract/memory_budget.hpp>
#include <ostinato/preconditioners/largest_eigenvalue.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/coarse_matrix.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/coarsening.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/groups.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/interpolation.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/level_smoother.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/near_null_space.hpp>
#include <ostinato/spmv/analysis/analysis.hpp>
#include <ostinato/spmv/base/stop.hpp>
#include <ostinato/spmv/operator.hpp>
#include <ostinato/spmv/space/side_stream.hpp>
#include <ostinato/spmv/space/vector.hpp>

namespace ostinato::algebraic {

struct AlgebraicOptions {
  CoarseningOptions coarsening;
  int entries = 4;          ///< of a row of the interpolation, at most; classical
  bool aggressive = false;  ///< the finest level is coarsened twice at once; classical
  /// Where there are near-null vectors, smoothed aggregation takes the place of classical interpolation.
  std::optional<NearNullSpace> near_null = {};
  double threshold = 0.15;    ///< of strong blocks, for smoothed and plain aggregation
  bool takes_values = false;  ///< the hierarchy keeps what update() needs
  /// Where that is a preconditioner, each level that is smoothed has its own.
  Smoother smoother = Smoother::chebyshev;
  /// How rows belong to points, for pairwise or for plain aggregation, which then takes the place of the other two.
  std::optional<Points> pairs = {}, plain = {};
};

/// What the levels in a space are made of.
template <class Space>
struct LevelParts {
  using Matrix = Operator<Space, float>;
  using Groups = algebraic::Groups<Space>;
};

/// A level: its matrix and how to get to the next level, each in the format that was chosen for it.
template <class Space>
struct AlgebraicLevel {
  using Matrix = typename LevelParts<Space>::Matrix;

  Matrix a;
  Offset nonzeros = 0;             ///< of `a`
  Vector<Space, float> inverse;    ///< of the diagonal
  double largest = 0;              ///< a bound of the eigenvalues of D^-1 A; 0 where A is inverted
  bool is_symmetric = false;       ///< but for rounding, which `a` alone doesn't know; as `largest`
  std::optional<Matrix> prolong;   ///< from the next level; none on the last level
  std::optional<Matrix> restrict;  ///< the transpose of `prolong`
  std::optional<typename LevelParts<Space>::Groups>
      groups;                                    ///< in the place of both: the interpolation is constant on groups
  std::optional<LevelSmoother<Space>> smoother;  ///< none where the diagonal smooths, and where A is inverted

  std::size_t bytes() const;
  /// The bytes of the vectors that a cycle works with on the level; a K-cycle has two more on some of its levels.
  std::size_t bytes_of_cycle() const { return ((groups ? 6u : 4u) + (smoother ? 1u : 0u)) * inverse.bytes(); }
};

/// The matrices of algebraic multigrid: an interpolation P, and A = P^T A P on the next level, until a level is small,
/// or no longer becomes smaller. Classical multigrid takes coarse rows by PMIS and extended+i interpolation; the other
/// kinds are smoothed aggregation (SmoothedAggregation), pairs (PairwiseAggregation) and plain aggregation
/// (PlainAggregation). The matrices are made in T and kept in float, times a power of two (power()) that keeps them in
/// its range; negative where the diagonal of A is.
///
/// Layout    With takes_values also, in T, the matrices of all levels but the first, A P, P and P^T, and in float the
///           matrix of each level in CSR.
/// Exec      In the memory of the space. Waits.
/// Throws    ArgumentError when the matrices leave the range of the numbers, or rows with many entries make the next
///           level too dense; std::bad_alloc; DeviceError.
template <class Space, class T>
class AlgebraicHierarchy {
 public:
  explicit AlgebraicHierarchy(const Analysis<Space, T>& analysis, const AlgebraicOptions& options = {})
      : AlgebraicHierarchy(analysis, options, {}, MemoryBudget(analysis.space(), "multigrid")) {}
  /// Announces the memory of the levels to the budget, each before it is made.
  /// Throws    Stopped once `stop` is made, which is looked at between the steps of a level.
  AlgebraicHierarchy(const Analysis<Space, T>& analysis, const AlgebraicOptions& options, const StopRequest& stop,
                     const MemoryBudget& memory);

  /// Takes new values of A, and keeps the interpolations: the values of all levels are those that a new hierarchy with
  /// the same interpolations would have. Formats stay, but where one can't hold the new values
  /// (Operator::update_values).
  ///
  /// Traffic   The products R A P, and what finding the largest eigenvalues takes. Allocates vectors for these, and
  ///           nothing that grows with the entries unless a format is built again.
  /// Exec      Has read the matrix at its end; other work may still be enqueued on Cuda.
  /// Requires  The options had takes_values; the pattern of A is as before.
  /// Throws    As the constructor. After an exception the values are those of neither matrix, until the next update.
  void update(const SpaceCsr<Space, T>& a, double power);

  const std::vector<AlgebraicLevel<Space>>& levels() const { return levels_; }
  /// The inverse of the last level's matrix, full; none where the last level is too large for that.
  const std::optional<Operator<Space, float>>& coarse_inverse() const { return coarse_inverse_; }
  double power() const { return power_; }
  std::size_t bytes() const;  ///< with the vectors of a cycle
  /// The power of two that brings the norm of a matrix to 1 .. 2, with the sign of its diagonal.
  static double power_for(const Facts& s);
  double complexity() const;  ///< entries of all levels in those of A
  std::size_t bytes_for_updates() const;

 private:
  /// What update() needs of a level.
  struct Source {
    std::shared_ptr<CsrStorage<Space, float>> a;  ///< as in the level's format, which may share the arrays
    std::optional<CoarseMatrix<Space, T>> next;   ///< none on the last level
  };

  /// Makes levels whose interpolation is constant on groups.
  template <class Aggregation>
  void add_grouped_levels(const Analysis<Space, T>& analysis, Aggregation aggregation, const StopRequest& stop,
                          const MemoryBudget& memory);
  void add_smoothed_levels(const Analysis<Space, T>& analysis, const AlgebraicOptions& options, const StopRequest& stop,
                           const MemoryBudget& memory);
  void add_classical_levels(const Analysis<Space, T>& analysis, const AlgebraicOptions& options,
                            const StopRequest& stop, const MemoryBudget& memory);
  /// Makes levels until next(A) gives no matrix.
  template <class F>
  void add_levels(const Analysis<Space, T>& analysis, bool takes_values, F next, const StopRequest& stop,
                  const MemoryBudget& memory);
  std::optional<SpaceCsr<Space, T>> interpolated(const Space& space, const SpaceCsr<Space, T>& a,
                                                 const std::optional<SpaceCsr<Space, T>>& p, Offset vectors,
                                                 const StopRequest& stop, const MemoryBudget& memory);
  /// of_given: the structure of the matrix, where it is known.
  void add_level(const Space& space, const CsrView<T>& a, bool takes_values, const StopRequest& stop,
                 const MemoryBudget& memory, const Structure* of_given = nullptr);
  void add_smoother(const Analysis<Space, float>& analysis, const StopRequest& stop, const MemoryBudget& memory);
  /// The matrix, whose plan is kept where update() needs it.
  SpaceCsr<Space, T> next_matrix(CoarseMatrix<Space, T> made);
  /// Puts an operator into a format, within the budget that the levels so far and their cycle leave.
  Operator<Space, float> within(const MemoryBudget& memory, const Analysis<Space, float>& analysis) const;
  Operator<Space, float> within(const MemoryBudget& memory, const Space& space, SpaceCsr<Space, float> a,
                                const std::optional<Structure>& known = {}) const {
    return within(memory, analysed(space, std::move(a), known, false));
  }
  /// for_smoother: a preconditioner is going to look at the matrix, too.
  Analysis<Space, float> analysed(const Space& space, SpaceCsr<Space, float> a, const std::optional<Structure>& known,
                                  bool for_smoother) const;
  bool takes_smoother(Index rows) const;
  /// Whether a matrix of a coarser level, or of a transfer, is stored in CSR without an analysis: on a GPU where it is
  /// small, on a CPU where the finest one is.
  bool takes_csr(const CsrView<float>& a) const;
  void announce_rest(const MemoryBudget& memory) const;
  void announce(const MemoryBudget& memory, const MemoryPrediction& prediction) const;
  /// Finds what the diagonal of the next level is summed from: `w` takes the rows of a level together.
  /// entries: of the pattern w.
  void find_sizes(const Space& space, const AlgebraicLevel<Space>& level, const detail::CsrPattern& w,
                  std::size_t entries, const T* weight);
  void invert_diagonal(const Space& space, const CsrView<float>& a, AlgebraicLevel<Space>& level);
  void start_searches();
  void find_spectra();
  void update_level(std::size_t k, SpaceCsr<Space, T>& a, SideStream<Space>& side, double* bad);
  void update_smoothers();

  double power_ = 1;
  bool is_grouped_;  ///< interpolation is constant on groups
  Smoother smoother_;
  mutable std::size_t announced_ = 0;  ///< the most bytes so far
  mutable bool is_predicted_ = false;  ///< a close prediction was announced
  Vector<Space, double> sizes_;        ///< SumSizes for the latest level; empty for the first
  std::vector<AlgebraicLevel<Space>> levels_;
  /// Of levels one after the other, whose largest eigenvalues are found later: a GPU then waits once for all of them.
  std::vector<EigenvalueSearch<Space, float>> searches_;
  std::size_t first_searched_ = 0;  ///< the level of the first search
  std::vector<Source> sources_;     ///< of each level; empty where update() isn't wanted
  std::optional<Operator<Space, float>> coarse_inverse_;
  std::shared_ptr<CsrStorage<Space, float>> inverse_;  ///< of coarse_inverse_, where update() is wanted
};

}  // namespace ostinato::algebraic
