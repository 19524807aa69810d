// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include "exit_code.hpp"

#include <new>

#include <ostinato/spmv/base/error.hpp>

#include "text.hpp"

namespace ostinato::cli {

Complaint Complaint::of_exception() {
  try {
    throw;
  } catch (const UsageError& e) {
    return {e.what(), exit_usage};
  } catch (const DeviceError& e) {
    return {e.what(), exit_device};
  } catch (const MemoryLimitError& e) {
    return {e.what(), exit_device};
  } catch (const Error& e) {
    return {as_in_files(e.what()), exit_bad_input};
  } catch (const OutOfMemory& e) {
    return {e.what(), exit_device};
  } catch (const std::bad_alloc&) {
    return {out_of_memory, exit_device};
  } catch (const std::exception& e) {
    return {std::string("unexpected: ") + e.what(), exit_device};
  }
}

void Complaint::say() const { put(stderr, "ostinato: " + printable(reason) + "\n"); }

ExitCode exit_code(Status status) {
  switch (status) {
    case Status::converged:
    case Status::least_squares:
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
