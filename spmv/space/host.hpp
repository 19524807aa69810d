// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
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
  static constexpr bool on_device = false;

  /// threads == 0 takes what OMP_NUM_THREADS or the machine gives. Only the first Host of a program can set the
  /// number, and reading, generating and assembling a matrix make one.
  /// Throws ArgumentError when threads is negative, over 512, or not the number that Kokkos runs with already.
  explicit Host(int threads = 0);

  static std::string build_description();  ///< "Kokkos 3.4"

  int threads() const { return threads_; }
  std::string description() const;  ///< "AMD EPYC 9554, 16 threads"

  void wait() const {}
  void* allocate(std::size_t bytes) const;  ///< at 64-byte boundaries; throws std::bad_alloc
  void release(void* p) const noexcept;
  void upload(void* to, const void* from, std::size_t bytes) const { copy(to, from, bytes); }
  void download(void* to, const void* from, std::size_t bytes) const { copy(to, from, bytes); }
  void copy(void* to, const void* from, std::size_t bytes) const;  ///< in parallel when it is large
  void zero(void* p, std::size_t bytes) const;

 private:
  int threads_;
};

namespace detail {

/// Calls chunk(f, begin, end) on each thread with an equal share of 0 .. count - 1, in order of the threads.
void run_chunks(const Host& host, std::size_t count, void (*chunk)(const void* f, std::size_t begin, std::size_t end),
                const void* f);

}  // namespace detail

/// Calls f(k) for k = 0 .. count - 1, spread statically over the threads; on the calling thread when count is 1.
/// Exec      Returns when all calls are done. f must not throw.
template <class F>
void parallel_for(const Host& host, std::size_t count, F f) {
  if (count == 0) return;
  if (count == 1) return f(std::size_t{0});
  const auto chunk = [](const void* g, std::size_t begin, std::size_t end) {
    const F& call = *static_cast<const F*>(g);
    for (std::size_t k = begin; k < end; ++k) call(k);
  };
  detail::run_chunks(host, count, chunk, &f);
}

}  // namespace ostinato
