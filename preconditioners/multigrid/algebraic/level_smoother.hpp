// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include <ostinato/preconditioners/list.hpp>
#include <ostinato/preconditioners/multigrid/damping.hpp>
#include <ostinato/spmv/operator.hpp>
#include <ostinato/spmv/space/list.hpp>

namespace ostinato::algebraic {

/// The preconditioner M that smooths a level of an algebraic hierarchy, where that isn't the diagonal: one from the
/// list of preconditioners, in float.
///
/// Exec      apply() is enqueued, allocates nothing, and may be captured. One thread at a time applies an object.
template <class Space>
class LevelSmoother {
 public:
  /// What a preconditioner is made for.
  struct Level {
    const Operator<Space, float>& a;
    const Analysis<Space, float>& analysis;  ///< of the matrix of `a`
    const Vector<Space, float>&
        inverse;        ///< of its diagonal; rows where that is 0 are left out, and have no correction
    bool is_symmetric;  ///< but for rounding, which may have left the analysis in doubt
  };

  /// Exec      Waits.
  /// Throws    ArgumentError where the preconditioner can't be made, or overflows; MemoryLimitError; Stopped.
  LevelSmoother(Smoother smoother, const Level& level, const StopRequest& stop, const MemoryBudget& memory);

  /// Takes a matrix with new values.
  /// Exec      Waits.
  /// Throws    ArgumentError as the constructor; what smooths is that of either matrix then.
  void update(const Level& level);

  void apply(std::span<const float> r, std::span<float> z) const { made_->apply(r, z); }  ///< z = M^-1 r
  double largest() const { return largest_; }  ///< an estimate of the largest eigenvalue of M^-1 A; for ilu0 a guess
  std::size_t bytes() const { return made_->bytes(); }
  double seconds() const { return made_->seconds(); }  ///< predicted time of apply(); 0: not predicted

 private:
  void estimate_largest(const Level& level);

  std::unique_ptr<PreconditionerBase<Space, float>> made_;
  double largest_ = 0;
};

#define OSTINATO_EXTERN(Space) extern template class LevelSmoother<Space>
OSTINATO_DECLARED_SPACES(OSTINATO_EXTERN);
#undef OSTINATO_EXTERN

}  // namespace ostinato::algebraic
