// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ostinato {

/// A condition number, as far as a solve has come to know it: an estimate from below.
struct Condition {
  /// Of which matrix.
  enum class Of {
    nothing,         ///< none is known
    matrix,          ///< A: in the 1-norm by complete factors, in the 2-norm by CG without a preconditioner
    scaled,          ///< A, with rows and columns scaled to one size
    preconditioned,  ///< M^-1 A: in the norm of M, by CG
  };
  double value = 0;
  Of of = Of::nothing;

  bool is_known() const { return of != Of::nothing; }
};

}  // namespace ostinato
