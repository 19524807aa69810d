// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include "exit_code.hpp"

namespace ostinato::cli {

ExitCode exit_code(Status status) {
  switch (status) {
    case Status::converged:
      return exit_converged;
    case Status::iteration_limit:
    case Status::time_limit:
    case Status::stagnated:
      return exit_not_converged;
    case Status::breakdown:
    case Status::diverged:
    case Status::not_finite:
      return exit_failed;
    case Status::interrupted:
      return exit_interrupted;
  }
  return exit_failed;
}

}  // namespace ostinato::cli
