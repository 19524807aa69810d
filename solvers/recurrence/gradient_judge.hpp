// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <ostinato/solvers/recurrence/scaled_system.hpp>

namespace ostinato {

/// Judges how far a residual is from that of the least squares problem.
template <class Space, class T>
class GradientJudge {
 public:
  /// `of_rows`, `of_columns`: vectors of rows() and cols() elements, which the functions overwrite; `other_of_columns`:
  /// the same, where there is a preconditioner of A^T A.
  struct Rooms {
    Out<T> of_rows, of_columns, other_of_columns;
  };

  GradientJudge(const ScaledSystem<Space, T>& system, Rooms rooms, Workspace<Space>& workspace)
      : system_(system), rooms_(rooms), slot_(workspace.emplace(0.0)) {}

  /// max_j |a_j . r| / (||a_j|| ||r||) over the columns a_j of A that aren't 0, where ||r|| = norm. A small column
  /// counts as much as a large one, and its product with r doesn't underflow. The first call takes the norms from the
  /// operator, or estimates them from products with random signs.
  double largest_cosine(In<T> r, double norm);

  /// ||A^T r||_{M^-1} / (||A||_M ||r||) for a preconditioner M of A^T A, 0 without one. ||A||_M, the norm of A with the
  /// lengths of x by M, is estimated from below by the first call. With M = A^T A that is the share of r that another x
  /// would take away: ||r|| is 1 / sqrt(1 - share^2) times the smallest.
  double share(In<T> r, double norm);

  /// ||A^T r||_{M^-1}, without a preconditioner of A^T A ||A^T r||.
  double length(In<T> r);

 private:
  void find_norms();
  void estimate_norms();
  double length_by_m();
  double norm_of_a_by_m();

  const ScaledSystem<Space, T>& system_;
  Rooms rooms_;
  Slot<T> slot_;
  std::vector<double> norms_;  ///< of the columns of system_.a(), on the host
  bool has_norms_ = false;
  double least_norm_ = 0, most_norm_ = 0;  ///< of those that aren't 0
  std::vector<T> products_;                ///< A^T r, on the host
  double a_norm_ = 0;                      ///< ||A||_M; 0 until it is known
};

}  // namespace ostinato
