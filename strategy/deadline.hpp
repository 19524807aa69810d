// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/solvers/options.hpp>
#include <ostinato/spmv/base/stop.hpp>
#include <ostinato/spmv/base/timing.hpp>

namespace ostinato::detail {

/// Asked while a preconditioner is made: whether the time is over, or the caller wants an end.
struct Deadline {
  double seconds;  ///< from now on; 0: none
  StopRequest stop;
  Stopwatch watch = {};

  bool is_over() const { return seconds > 0 && watch.seconds() >= seconds; }
  bool stop_requested() const { return stop.is_made() || is_over(); }
};

inline Deadline deadline_of(const SolveOptions& options) { return {options.time_limit, options.stop}; }

}  // namespace ostinato::detail
