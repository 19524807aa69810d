// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace ostinato {

class Cuda;

/// The CPU. Its pool of threads is Kokkos' host execution space or, in a build without Kokkos, OpenMP's threads.
///
/// The first Host of a program initialises Kokkos, unless the program has already initialised Kokkos itself. A Kokkos
/// that the library initialised is finalised when the program exits. Copies of a Host are equivalent.
///
/// Exec      Functions return when their work is done. Several host threads may work at once, with one Host or several,
///           and apply one const Operator. One of them at a time has the pool of threads; the others work alone. Before
///           main, for objects at namespace scope, all work runs on one thread: the pool is made by the first use
///           of a Host after that.
/// Requires  With Kokkos: a program that finalises Kokkos itself uses no Host afterwards; from Kokkos 4 on, Kokkos
///           can't be initialised again.
class Host {
 public:
  static constexpr bool has_host_memory = true;
  static constexpr bool has_streams = false;

  /// Work with this object and its copies runs on `threads` threads. 0: as many as the Host(n) before it, n > 0; if
  /// there was none, all of the pool.
  ///
  /// The first work of a program makes the pool, which then keeps its size: reading, generating or assembling a matrix
  /// makes one, too, of as many threads as OMP_NUM_THREADS or the machine says, but at most 512. A Host(n) that comes
  /// first makes a pool of n threads; a later one takes n of the pool.
  /// Throws    ArgumentError when `threads` is negative, over 512, or more than the pool has; when KOKKOS_NUM_THREADS
  ///           is over 512 or contradicts the first Host; and when the program has finalised Kokkos 4 or later.
  explicit Host(int threads = 0);

  static std::string build_description();  ///< "Kokkos 3.4, AVX2" or "OpenMP threads, AVX-512"

  int threads() const { return threads_ > 0 ? threads_ : threads_by_now(); }
  std::string description() const;  ///< "AMD EPYC 9554, 16 threads"

  bool is_same_place(const Host&) const { return true; }  ///< as Cuda::is_same_place()
  bool is_same_place(const Cuda&) const { return false; }

  void wait() const {}
  void* allocate(std::size_t bytes) const;  ///< aligned to 64 bytes; throws std::bad_alloc
  void release(void* p) const noexcept;
  void upload(void* to, const void* from, std::size_t bytes) const { copy(to, from, bytes); }
  void download(void* to, const void* from, std::size_t bytes) const { copy(to, from, bytes); }
  void copy(void* to, const void* from, std::size_t bytes) const;  ///< in parallel from 1 MiB on
  void zero(void* p, std::size_t bytes) const;
  void trim() const {}                            ///< as Cuda::trim(); a CPU needs none
  std::size_t free_bytes() const;                 ///< of memory: free_host_memory()
  std::size_t pooled_bytes() const { return 0; }  ///< as Cuda::pooled_bytes()

 private:
  static int threads_by_now();

  int threads_;  ///< 0 when the object was made before main
};

namespace detail {

/// Calls chunk(f, begin, end) on each thread. The chunks divide 0 .. count - 1 evenly, in the order of the threads.
/// Throws    What a chunk throws; when several do, the exception of the first one. The others run to their end.
void run_chunks(const Host& host, std::size_t count, void (*chunk)(const void* f, std::size_t begin, std::size_t end),
                const void* f);

}  // namespace detail

/// Calls f(k) for k = 0 .. count - 1, distributed statically over the threads; on the calling thread when count is 1.
/// Exec      Returns when all calls are done.
/// Throws    What f throws, such as std::bad_alloc. Each thread gives its calls up at its first exception; the
///           exception of the first thread that has one is thrown.
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
