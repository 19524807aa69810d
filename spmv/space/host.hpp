// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <string>

namespace ostinato {

/// The CPU, by way of Kokkos' host execution space (OpenMP where Kokkos has it).
///
/// A copy is the same space. The first Host of a program initialises Kokkos unless the program has done so, and then
/// finalises it when the program exits.
///
/// Exec      Calls return when their work is done.
class Host {
 public:
  using execution_space = Kokkos::DefaultHostExecutionSpace;
  static constexpr bool on_device = false;

  /// threads == 0 takes what OMP_NUM_THREADS or the machine gives. Only the first Host of a program can set the
  /// number, and reading, generating and assembling a matrix make one.
  /// Throws ArgumentError when threads is negative, over 512, or not the number that Kokkos runs with already.
  explicit Host(int threads = 0);

  int threads() const;
  std::string description() const;  ///< "AMD EPYC 9554, 16 threads"
  const execution_space& kokkos() const { return space_; }

  void wait() const {}
  void* allocate(std::size_t bytes) const;  ///< at 64-byte boundaries; throws std::bad_alloc
  void release(void* p) const noexcept;
  void upload(void* to, const void* from, std::size_t bytes) const { copy(to, from, bytes); }
  void download(void* to, const void* from, std::size_t bytes) const { copy(to, from, bytes); }
  void copy(void* to, const void* from, std::size_t bytes) const;  ///< in parallel when it is large
  void zero(void* p, std::size_t bytes) const;

 private:
  execution_space space_;
};

/// Calls f(k) for k = 0 .. count - 1, spread statically over the threads; on the calling thread when count is 1.
/// Exec      Returns when all calls are done. f must not throw.
template <class F>
void parallel_for(const Host& host, std::size_t count, F f) {
  if (count == 0) return;
  if (count == 1) return f(std::size_t{0});
  Kokkos::parallel_for(
      "ostinato", Kokkos::RangePolicy<Host::execution_space, Kokkos::Schedule<Kokkos::Static>>(host.kokkos(), 0, count),
      [=](const std::size_t k) { f(k); });
}

}  // namespace ostinato
