// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>

#include <ostinato/solvers/options.hpp>

namespace ostinato::cli {

/// The program's exit codes. Scripts rely on these numbers.
enum ExitCode : int {
  exit_converged = 0,      ///< also: a command other than solve succeeded
  exit_not_converged = 1,  ///< within the limits
  exit_usage = 2,
  exit_bad_input = 3,
  exit_failed = 4,  ///< breakdown, divergence, numbers that aren't finite
  exit_device = 5,  ///< memory or device
  exit_interrupted = 130,
};

ExitCode exit_code(Status status);

/// Says on stderr, in one line, what the exception is that is being handled, and returns its exit code. To be called
/// from a catch block.
ExitCode complain();

/// An invalid command line. The message says what would be valid.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The outputs at the end of a command. One that fails is complained of at once and keeps no other from being written.
class Outputs {
 public:
  template <class F>
  void attempt(F&& write) {
    try {
      write();
    } catch (...) {
      const ExitCode code = complain();
      if (code_ == exit_converged) code_ = code;
    }
  }

  /// The code of the first failure, or `otherwise`.
  ExitCode code(ExitCode otherwise) const { return code_ == exit_converged ? otherwise : code_; }

 private:
  ExitCode code_ = exit_converged;
};

}  // namespace ostinato::cli
