// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <ostinato/solvers/options.hpp>

namespace ostinato {

/// Foresees how many iterations CG needs from the Ritz values of its Lanczos process (Iteration::lanczos), long before
/// the residual tells: each Krylov space reaches the small eigenvalues only a little better than the one before.
///
/// Model     To reduce the residual by a factor, CG takes some log(2 / factor) / 2 times the square root of the ratio
///           of the largest eigenvalue to the smallest that counts. The smallest of all doesn't, nor do a few that lie
///           apart, a power of ten below the others: CG gets over these one by one. The ratio of the Ritz values grows
///           with the iterations; as it grew over the latest doubling of their number, it is taken to grow once more,
///           and a part of the whole is left out for the clusters and gaps that help CG. Of what CG with Jacobi still
///           took on nine matrices (five of them real, 98 to 5,202 iterations, 2026-11), 0.05 to 1.5 was foreseen after
///           48 iterations, and 0.06 to 2.7 later: less where CG takes very long. On eight that fall into weakly joined
///           pieces it was 0.02 to 1.3 until 128.
/// Limits    Far too much is foreseen where A has few different eigenvalues, because CG then ends all at once: small
///           matrices (4.2 times what was left on nos3 after 128 iterations, 3.7 on bcsstk09), many pieces that are
///           alike, grids of few points across. To leave CG there is needless, and costs the time of what takes its
///           place.
class RitzForecast {
 public:
  static constexpr std::size_t fewest_rows = 1000;

  /// Looks anew at 32, 48, 64, 96, ..., 256 iterations. Returns the iterations that are left, or 0 where there is
  /// nothing new or too little to go by.
  double operator()(const Iteration& now, double goal);

 private:
  std::size_t next_ = 32, seen_ = 0;  ///< iterations of a look
};

}  // namespace ostinato
