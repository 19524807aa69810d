// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include <ostinato/solvers/options.hpp>
#include <ostinato/spmv/base/error.hpp>

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

/// What is said of an exception, and the exit code that goes with it.
struct Complaint {
  std::string reason;
  ExitCode code = exit_converged;

  /// The complaint of the exception that is being handled.
  static Complaint of_exception();
  void say() const;  ///< in one line on stderr
};

/// An invalid command line. The message says what would be valid.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Calls f(), whose invalid arguments are those of the command line.
/// Throws    UsageError for them; other exceptions of f, MemoryLimitError too.
template <class F>
auto with_usage_errors(F&& f) {
  try {
    return f();
  } catch (const MemoryLimitError&) {
    throw;
  } catch (const ArgumentError& e) {
    throw UsageError(e.what());
  }
}

/// Memory that ended, and what takes less of it.
class OutOfMemory : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

inline constexpr const char* out_of_memory = "out of memory";

/// The outputs at the end of a command. One that fails keeps no other from being written.
class Outputs {
 public:
  template <class F>
  void attempt(F&& write) {
    try {
      write();
    } catch (...) {
      failures_.push_back(Complaint::of_exception());
    }
  }

  /// Says what has failed. Returns the code of the first failure, or `otherwise`.
  ExitCode finish(ExitCode otherwise) const {
    for (const Complaint& failure : failures_) failure.say();
    return failures_.empty() ? otherwise : failures_.front().code;
  }

 private:
  std::vector<Complaint> failures_;
};

}  // namespace ostinato::cli
