// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>

#include <ostinato/solvers/options.hpp>

namespace ostinato::cli {

/// What the program exits with. Scripts rely on these numbers.
enum ExitCode : int {
  exit_converged = 0,      ///< also: a command other than solve did its work
  exit_not_converged = 1,  ///< within its limits
  exit_usage = 2,
  exit_bad_input = 3,
  exit_failed = 4,  ///< breakdown, divergence, numbers that aren't finite
  exit_device = 5,  ///< memory or device
  exit_interrupted = 130,
};

ExitCode exit_code(Status status);

/// A command line that can't be meant. The message says what would do.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace ostinato::cli
