// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>

// What a space is: a kind of memory, and a way to run loops over what is in it. Host and Cuda are the library's; a
// program may bring its own. It then includes the bodies of what it uses (definitions.hpp of spmv, solvers and
// preconditioners), because the library is compiled for Host and Cuda only.
//
// A space is a class whose copies are equivalent, with what is listed here. Functions beside the class are found in its
// namespace. What has a default may be left out: the default is written with the functions above it.
//
// Memory: members of the class, all const
//   static constexpr bool has_host_memory   host code may read and write what pointers into the memory point to
//   static constexpr bool has_streams       work is enqueued, and the host goes on meanwhile; it costs time to wait
//   void* allocate(bytes)                   aligned to 64 bytes; throws std::bad_alloc or DeviceMemoryError
//   void release(p) noexcept                in the order of the work
//   void upload(to, from, bytes)            from host memory, which may change afterwards
//   void download(to, from, bytes)          to host memory; waits
//   void copy(to, from, bytes), void zero(p, bytes)
//   void wait()                             until all work is done
//   bool is_same_place(other)               whether both work on the same memory, in one order
//   void trim()                             gives freed memory back to the system
//   std::size_t free_bytes()                of the memory, pooled_bytes() among it
//   std::size_t pooled_bytes()              that were freed and not given back
//
// Loops: functions beside the class; the headers have their contracts
//   for_each(space, n, f), sum(space, n, f, slots)                        for_each.hpp; distributed.hpp has those of a
//                                                                         space whose vectors lie in parts
//   for_grid(space, grid, f), sum_grid(space, grid, f, slots)             for_each.hpp; default: by points
//   for_each_row(space, rows, entries, f), sum_rows(.., slots)            for_each_row.hpp; default: a row at a time
//   exclusive_scan(space, counts)                                         scan.hpp; default: on the host
//   sort_by_key(space, keys, largest, values)                             sort_by_key.hpp; default: on the host
//   Atomic<Space>, SlotAtomic<Space>                                      atomic.hpp; default: for threads of a CPU
//
// Streams: defaults do at once what could be done later
//   GraphCapture<Space>                     graph_capture.hpp: runs blocks of iterations
//   Readback<Space, T>, DownloadBehind<Space>   readback.hpp: copies to the host behind the work
//   SideStream<Space>                       side_stream.hpp: work beside that of the space
//   download(space, arrays), settle(space)  together.hpp: one wait for several copies, or for several objects
//
// Machine
//   double bandwidth() const                a member where has_streams: bytes per second
//   Machine machine_of(space)               cost/machine.hpp: speeds, by which formats are chosen

namespace ostinato {

class Host;
class Cuda;

/// Whether work runs as NVIDIA kernels, for which there are tuned bodies and libraries.
template <class S>
inline constexpr bool is_cuda = std::is_same_v<S, Cuda>;

/// Whether work runs on the library's pool of threads.
template <class S>
inline constexpr bool is_host = std::is_same_v<S, Host>;

/// What every space has: the members under Memory.
template <class S>
concept IsSpace = std::copyable<S> && requires(const S& s, void* p, const void* q, std::size_t bytes) {
  { S::has_host_memory } -> std::convertible_to<bool>;
  { S::has_streams } -> std::convertible_to<bool>;
  { s.allocate(bytes) } -> std::same_as<void*>;
  { s.release(p) }
  noexcept;
  s.upload(p, q, bytes);
  s.download(p, q, bytes);
  s.copy(p, q, bytes);
  s.zero(p, bytes);
  s.wait();
  { s.is_same_place(s) } -> std::same_as<bool>;
  s.trim();
  { s.free_bytes() } -> std::same_as<std::size_t>;
  { s.pooled_bytes() } -> std::same_as<std::size_t>;
};

namespace detail {

/// A functor as for_each() takes it.
struct AnyElement {
  void operator()(std::size_t) const {}
};

/// A functor as sum() takes it, with Result = Sums<1>.
template <class Result>
struct AnyTerm {
  Result operator()(std::size_t) const { return {}; }
};

}  // namespace detail

/// A space with the two loops that all other work can be written with. Result: Sums<1>.
template <class S, class Result>
concept HasLoops = IsSpace<S> && requires(const S& s, std::size_t n, double* slots) {
  for_each(s, n, detail::AnyElement{});
  sum(s, n, detail::AnyTerm<Result>{}, slots);
};

}  // namespace ostinato
