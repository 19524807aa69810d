// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/strategy/leaving_jacobi.hpp>

#include <algorithm>
#include <array>
#include <cmath>

#include <ostinato/preconditioners/fsai/approximate_factor.hpp>

namespace ostinato {

namespace {

struct OneLevel {
  std::string_view name;
  double setup;  ///< seconds
  double share;  ///< of the time of a solve with Jacobi

  double seconds(double with_jacobi) const { return setup + share * with_jacobi; }
  double pays_from() const { return setup / (1 - share); }
};

std::array<OneLevel, 2> candidates(double entries) {
  constexpr double new_start = 0.8e-3;
  return {{{"fsai", new_start + 0.5e-3 + 1e-9 * entries, 0.53},
           {"chebyshev", new_start + 0.2e-3 + 0.5e-9 * entries, 0.63}}};
}

}  // namespace

std::string_view faster_than_jacobi_on_gpu(double entries, double seconds) {
  constexpr double endless = 1e6;  // for residuals that don't fall yet
  constexpr double rather = 1.5;   // forecasts are low where CG takes long, which is where the choice matters most
  const double with_jacobi = std::min(seconds, endless);
  std::string_view best;
  double least = HUGE_VAL;
  for (const OneLevel& m : candidates(entries)) {
    if (m.seconds(with_jacobi) >= with_jacobi || m.seconds(rather * with_jacobi) >= least) continue;
    best = m.name;
    least = m.seconds(rather * with_jacobi);
  }
  return best;
}

bool begins_with_fsai_on_gpu(const Structure& s) {
  constexpr Index fewest_rows = 500;
  constexpr double most_entries = 100;
  return s.rows >= fewest_rows && s.rows < fewest_rows_of_hierarchy && s.finite && s.symmetric && s.positive_diagonal &&
         !s.constant_diagonal && s.mean_row <= most_entries && s.longest_row <= longest_row_of_fsai_on_gpu;
}

double least_seconds_to_leave_jacobi(double entries) {
  const auto both = candidates(entries);
  return std::min(both[0].pays_from(), both[1].pays_from());
}

}  // namespace ostinato
