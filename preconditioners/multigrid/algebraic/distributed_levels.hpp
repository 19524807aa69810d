// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <ostinato/preconditioners/multigrid/algebraic/gathered_levels.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/hierarchy.hpp>
#include <ostinato/preconditioners/multigrid/multigrid.hpp>
#include <ostinato/spmv/space/concept.hpp>
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/team/distributed_operator.hpp>

namespace ostinato::algebraic {

/// The rows of this rank: its matrix is one of many ranks, its groups are its own.
template <class Local>
struct LevelParts<Distributed<Local>> {
  using Matrix = DistributedOperator<Local, float>;
  using Groups = algebraic::Groups<Local>;
};

/// A matrix of more rows is shared.
inline constexpr Index fewest_shared_rows = 8192;

/// Up to so many rows a lower level is gathered, and all ranks do the rest of the cycle. A product with a level of 8192
/// rows takes one core some 50 us, a halo or a gather between two ranks of a machine 5 to 20 us. One with 131072 rows
/// takes a GPU some 5 us, as long as a halo between two.
template <class Local>
inline constexpr Index most_gathered_rows = is_cuda<Local> ? Index{1} << 17 : fewest_shared_rows;

/// The levels of plain aggregation whose rows ranks share. Each rank groups its own rows (aggregate()), by the entries
/// in its own columns, so that no group crosses ranks and the rows of each level stay where they are; the entries of
/// all columns are added up for the next level. A level that has become small is gathered (GatheredLevels). Where the
/// groups of a level don't make it smaller, it is gathered if it isn't large, else its smoother does for it.
///
/// Exec      Collective. Waits. On GPUs they make the groups and the next level; the host joins the ghosts.
/// Throws    As AlgebraicHierarchy, on the ranks where that happens: RankError on the others. Stopped on all ranks once
///           `stop` is made on one.
template <class Local, class T>
class DistributedLevels {
 public:
  using Space = Distributed<Local>;

  /// `mine`: the rows of this rank, sorted. options: threshold is that of strong entries, smoother and sweeps those of
  /// the gathered level.
  DistributedLevels(const DistributedOperator<Local, T>& a, const CsrView<T>& mine, const MultigridOptions& options,
                    const StopRequest& stop, const MemoryBudget& memory);

  const std::vector<AlgebraicLevel<Space>>& levels() const { return levels_; }
  const GatheredLevels<Local, T>* rest() const { return rest_.get(); }  ///< from the last level on; or null
  double power() const { return power_; }
  std::size_t bytes() const;  ///< of this rank, with the vectors of a cycle

 private:
  /// The rows of this rank of a level. Columns are those of the whole level.
  struct Rows {
    Partition parts;
    CsrView<T> view;
    Csr<T> kept;  ///< what the view shows, but on the first level
  };
  /// Of the rows of this rank.
  struct Diagonal {
    std::vector<float> inverse;
    double largest = 0;  ///< a bound of the eigenvalues: the largest sum of a row of |D^-1 A|
  };
  void add_level(const Rows& rows, const Facts& facts, const std::string& format, const MemoryBudget& memory);
  /// Of the latest level. The finest one has more rows, or is taken elsewhere (GatheredMultigrid).
  bool is_to_be_gathered(const Facts& facts) const {
    return levels_.size() > 1 && facts.rows <= most_gathered_rows<Local>;
  }
  Diagonal inverse_diagonal(const CsrView<float>& a, Index begin) const;
  bool go_on(Rows& rows);
  Groups<Local> groups_of_own(const Rows& rows) const;
  void gather(const Rows& rows, const MultigridOptions& options, const MemoryBudget& memory);

  Space space_;
  double power_, factor_, threshold_;
  std::vector<double> sizes_;  ///< SumSizes for the latest level; empty for the first
  std::vector<AlgebraicLevel<Space>> levels_;
  std::unique_ptr<GatheredLevels<Local, T>> rest_;
};

OSTINATO_EXTERN_CLASS(DistributedLevels);

}  // namespace ostinato::algebraic
