// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/solvers/equal_options.hpp>

#include <array>
#include <functional>
#include <string>
#include <vector>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/team/team.hpp>
#include <ostinato/spmv/version.hpp>

namespace ostinato::detail {

namespace {

constexpr const char* names[] = {"version of the library",
                                 "method",
                                 "precision",
                                 "preconditioner",
                                 "rtol",
                                 "atol",
                                 "max_iterations",
                                 "divergence_limit",
                                 "restart",
                                 "recycle",
                                 "recycled",
                                 "flexible",
                                 "shadow",
                                 "check_every",
                                 "mixed",
                                 "mem_limit"};
using Values = std::array<double, std::size(names)>;

/// What has to be equal, in the order of the names.
Values values_of(std::string_view method, std::size_t value_bytes, bool is_plain, const SolveOptions& o) {
  const auto number = [](auto value) { return static_cast<double>(value); };
  return {OSTINATO_VERSION_MAJOR * 1e6 + OSTINATO_VERSION_MINOR * 1e3 + OSTINATO_VERSION_PATCH,
          number(std::hash<std::string_view>()(method) >> 12),
          number(value_bytes),
          number(is_plain),
          o.rtol,
          o.atol,
          number(o.max_iterations),
          o.divergence_limit,
          number(o.restart),
          number(o.recycle),
          number(o.recycled != nullptr),
          number(o.flexible),
          number(o.shadow),
          number(o.check_every),
          number(o.mixed),
          number(o.mem_limit)};
}

bool are_equal(double a, double b) { return a == b || (a != a && b != b); }

}  // namespace

void require_equal_options(const Team& team, std::string_view method, std::size_t value_bytes, bool is_plain,
                           const SolveOptions& options) {
  const std::vector<Values> all = team.all_gather(values_of(method, value_bytes, is_plain, options));
  for (std::size_t r = 1; r < all.size(); ++r) {
    for (std::size_t k = 0; k < std::size(names); ++k) {
      if (!are_equal(all[r][k], all[0][k]))
        throw ArgumentError(std::string(method) + ": the ranks have different options: " + names[k] + " of rank " +
                            std::to_string(r) + " isn't that of rank 0");
    }
  }
}

}  // namespace ostinato::detail
