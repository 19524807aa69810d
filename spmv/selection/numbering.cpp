// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/selection/numbering.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>

#include <ostinato/spmv/analysis/profile.hpp>
#include <ostinato/spmv/formats/csr/csr_format.hpp>

namespace ostinato {

namespace {

/// Sectors of Profile::sectors in a good numbering of a mesh, that of breadth_first_order() or of cluster_order().
double near(const Machine& machine) { return machine.device ? 23 : 12; }
/// Of the sectors before, those that a new numbering has at most if it is taken.
constexpr double worth_it = 0.85;
/// What the order, the matrix in that order and its analysis take.
double seconds_of(const Structure& s, const Machine& machine) {
  const auto entries = static_cast<double>(s.nonzeros), rows = static_cast<double>(s.rows);
  return machine.device ? 5e-3 + 0.3e-9 * entries + 4e-9 * rows : 55e-9 * entries;
}
constexpr double mostly_blocks = 0.8;  // Profile::square_fill of matrices with several unknowns a point

double csr_seconds(const Structure& s, const Machine& machine, std::size_t value_bytes) {
  return formats::csr_cost({s, machine}, value_bytes).seconds;
}

/// What elements of x take on a GPU whose second-level cache doesn't hold x: a product with poisson3d:256, numbered at
/// random, takes 1.5 ms less with new numbers (H200, 2026-11). Columns are taken to be all over the matrix; a profile
/// doesn't tell how far from each other they are.
double seconds_beyond_cache(const Structure& s, const Machine& machine, std::size_t value_bytes) {
  const double x = static_cast<double>(s.cols) * static_cast<double>(value_bytes);
  return 18e-12 * static_cast<double>(s.nonzeros) *
         std::max(0.0, 1 - static_cast<double>(machine.cache_bytes) / std::max(x, 1.0));
}

/// Seconds that a product would take less if the columns of neighbouring rows were near each other.
double gain_of(const Structure& s, const Machine& machine, std::size_t value_bytes) {
  Structure ideal = s;
  auto profile = std::make_shared<Profile>(*s.profile);
  profile->sectors = std::min(profile->sectors, near(machine));
  ideal.profile = profile;
  const double gain = csr_seconds(s, machine, value_bytes) - csr_seconds(ideal, machine, value_bytes);
  return gain + (machine.device ? seconds_beyond_cache(s, machine, value_bytes) : 0);
}

std::string why_numbers_stay(const Structure& s) {
  if (s.rows != s.cols) return "the matrix isn't square";
  if (s.nonzeros == 0 || s.profile == nullptr) return "the matrix is empty";
  if (!s.finite || s.missing_diagonal > 0) return "messages about single rows need the numbers of the file";
  if (!s.pattern_symmetric) return "the pattern isn't symmetric";
  const double blocks = *std::max_element(std::begin(s.profile->square_fill), std::end(s.profile->square_fill));
  return blocks > mostly_blocks ? "rows come in blocks" : "";
}

}  // namespace

NumberingChoice choose_numbering(const Structure& s, const Machine& machine, std::size_t value_bytes,
                                 double expected_products) {
  if (std::string why = why_numbers_stay(s); !why.empty()) return {false, std::move(why)};
  if (near(machine) >= worth_it * s.profile->sectors) return {false, "too little to gain"};
  const double saved = expected_products * gain_of(s, machine, value_bytes);
  if (saved > seconds_of(s, machine)) return {true, "neighbours are far from each other"};
  return {false, "too little to gain"};
}

bool is_better_numbered(const Structure& now, const Structure& before) {
  return now.profile->sectors < worth_it * before.profile->sectors;
}

}  // namespace ostinato
