// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>

#include "table.hpp"

namespace ostinato::cli {

/// Explains the parameters of formats below a table that shows them, each once.
class ParameterLegend {
 public:
  /// Notes that the table shows a format with parameters such as "height=8,version=2"; does nothing without parameters.
  void saw(const std::string& format, const std::string& parameters);

  /// Adds a row for each parameter that was seen.
  void add_to(Facts& facts) const;
  bool empty() const { return seen_.empty(); }

 private:
  std::set<std::size_t> seen_;  ///< places in the list of parameters
};

}  // namespace ostinato::cli
