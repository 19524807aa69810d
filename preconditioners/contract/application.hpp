// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include <ostinato/spmv/base/error.hpp>

namespace ostinato {

namespace detail {

[[noreturn, gnu::cold, gnu::noinline]] inline void refuse_lengths(std::string_view preconditioner, std::size_t rows,
                                                                  std::size_t r, std::size_t z) {
  throw DimensionError(std::string(preconditioner) + ": the matrix has " + std::to_string(rows) + " rows, but r has " +
                       std::to_string(r) + " and z " + std::to_string(z) + " elements");
}

[[noreturn, gnu::cold, gnu::noinline]] inline void refuse_second_thread(std::string_view preconditioner) {
  throw ArgumentError(std::string(preconditioner) +
                      ": another thread is at work with this preconditioner, which serves one thread at a time; make "
                      "an object for each thread (jacobi, block-jacobi and spai0 may be shared)");
}

}  // namespace detail

/// Throws DimensionError, which names the sizes, unless r and z have an element for each row of the matrix.
inline void require_lengths(std::string_view preconditioner, std::size_t rows, std::size_t r, std::size_t z) {
  if (r != rows || z != rows) detail::refuse_lengths(preconditioner, rows, r, z);
}

/// Keeps a second thread out of an object that serves one thread at a time, such as a preconditioner that works in
/// vectors of its own. On Cuda work ends here when it is enqueued. An object that was moved from, or to, is free.
class OneThread {
 public:
  OneThread() = default;
  OneThread(OneThread&&) noexcept {}
  OneThread& operator=(OneThread&&) noexcept { return *this; }

  /// Until the returned object ends, another call throws.
  /// Throws    ArgumentError naming the preconditioner, when another thread is within.
  [[nodiscard]] auto enter(std::string_view preconditioner) const {
    if (within_.exchange(true, std::memory_order_acquire)) detail::refuse_second_thread(preconditioner);
    return std::unique_ptr<std::atomic<bool>, Leave>(&within_);
  }

 private:
  struct Leave {
    void operator()(std::atomic<bool>* within) const { within->store(false, std::memory_order_release); }
  };

  mutable std::atomic<bool> within_ = false;
};

}  // namespace ostinato
