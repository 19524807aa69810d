// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>

#include <ostinato/solvers/options.hpp>

namespace ostinato {

/// The options of a solve, with a callback that doesn't throw and returns false once a stop was requested. What the
/// caller's callback throws interrupts the solve, as if the callback had returned false. rethrow() throws it, once x is
/// the caller's again.
class CallbackGuard {
 public:
  explicit CallbackGuard(const SolveOptions& given) : options_(given) {
    if (!given.callback && !given.stop) return;
    options_.callback = [this, &given](const Iteration& now) {
      try {
        return !given.stop.is_made() && (!given.callback || given.callback(now));
      } catch (...) {
        thrown_ = std::current_exception();
        return false;
      }
    };
  }
  CallbackGuard(const CallbackGuard&) = delete;
  CallbackGuard& operator=(const CallbackGuard&) = delete;

  const SolveOptions& options() const { return options_; }
  void rethrow() const {
    if (thrown_ != nullptr) std::rethrow_exception(thrown_);
  }

 private:
  SolveOptions options_;
  std::exception_ptr thrown_;
};

}  // namespace ostinato
