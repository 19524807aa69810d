// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include <ostinato/spmv/space/function.hpp>

namespace ostinato {

/// Where a recurrence stands, kept in the memory of the space, so that the loop runs on without asking the host.
///
/// Each finished iteration records its residual. The iteration after which the recurrence is to stop freezes it: later
/// steps see running() false and change nothing, so that x stays the iterate of that very iteration however late the
/// host looks.
struct ConvergenceState {
  enum State { going = 0, reached_goal, broke_down, not_a_number, grew, spent };
  static constexpr int ring = 256;  ///< residuals that are kept until the host takes them

  int iteration = 0;  ///< finished iterations of this recurrence
  int state = going;
  int x_is_behind = 0;   ///< 1 between the update of r and that of x, for methods that split them
  int last = 0;      ///< iteration to stop after
  double goal = 0;   ///< norm at which to stop
  double limit = 0;  ///< norm past which the recurrence has diverged; 0: none
  double norms[ring] = {};

  OSTINATO_FUNCTION bool running() const { return state == going; }

  /// Takes the squared residual norm of one more iteration.
  OSTINATO_FUNCTION void record(double squared_norm) {
    const double norm = sqrt(squared_norm);
    norms[iteration % ring] = norm;
    ++iteration;
    if (!(norm - norm == 0)) {
      state = not_a_number;
    } else if (norm <= goal) {
      state = reached_goal;
    } else if (limit > 0 && norm > limit) {
      state = grew;
    } else if (iteration == last) {
      state = spent;
    }
  }
};

}  // namespace ostinato
