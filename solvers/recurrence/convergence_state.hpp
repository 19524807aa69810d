// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include <ostinato/spmv/base/function.hpp>

namespace ostinato {

/// The state of a recurrence, kept in the memory of the space, so that the iteration goes on without waiting for the
/// host.
///
/// Each finished iteration records the norm of its residual. The iteration after which the recurrence has to stop
/// freezes the state: in later steps running() is false, and the steps change nothing. So x stays the iterate of the
/// last recorded iteration, however late the host reads the state.
struct ConvergenceState {
  enum State { going = 0, reached_goal, broke_down, not_a_number, grew, spent };
  static constexpr int ring = 256;  ///< number of residual norms that are kept for the host to read
  static constexpr double lost = 1e10;

  int iteration = 0;  ///< finished iterations of this recurrence
  int state = going;
  int x_is_behind = 0;  ///< 1 between the update of r and the update of x, for methods that split these updates
  int last = 0;         ///< iteration to stop after
  double goal = 0;      ///< residual norm at which to stop
  double limit = 0;     ///< residual norm above which the recurrence has diverged; 0: none
  /// Residual norm above which the recurrence has diverged if the norm was once `lost` times as small.
  double limit_of_return = HUGE_VAL;
  double least = HUGE_VAL;  ///< the smallest norm, that of the start included
  int cause = 0;            ///< after a breakdown: which number caused it, as the method counts them
  double number = 0;        ///< that number, for messages
  double norms[ring] = {};
  double alphas[ring] = {}, rzs[ring] = {};  ///< of CG: the step along p, and r . z, in each iteration

  OSTINATO_FUNCTION bool running() const { return state == going; }

  /// Ends the recurrence by a breakdown.
  OSTINATO_FUNCTION void break_down(int by, double value) {
    state = broke_down;
    cause = by;
    number = value;
  }

  /// Records one more iteration by its squared residual norm, and freezes the state if the recurrence has to stop.
  OSTINATO_FUNCTION void record(double squared_norm) {
    const double norm = sqrt(squared_norm);
    norms[iteration % ring] = norm;
    ++iteration;
    if (norm < least) least = norm;
    if (!(norm - norm == 0)) {
      state = not_a_number;
    } else if (norm <= goal) {
      state = reached_goal;
    } else if ((limit > 0 && norm > limit) || (norm > limit_of_return && norm > lost * least)) {
      state = grew;
    } else if (iteration == last) {
      state = spent;
    }
  }
};

}  // namespace ostinato
