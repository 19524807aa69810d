// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// How kernels meet those of other ranks (rendezvous.hpp). Numbers go one by one, each with the number of the meeting
// beside it: who finds that has the number, and nobody needs a fence (the LL protocol of NCCL). For anything else:
//
//   met = times_met(at);                     at the top of the kernel
//   ...                                      writes for the last thread block, or into room_of(at, met, rank)
//   if (!is_last_to_leave(at)) return;       all thread blocks
//   ...                                      the last one writes into room_of(at, met, rank)
//   is_written_for_ranks();
//   say(at, met, rank);                      each rank by a thread of its own
//   hear(at, met, rank);
//   ...                                      reads its own room
//   part(at, met);                           one thread

#include <cstddef>
#include <cstdint>

#include <ostinato/spmv/space/cuda/reduction.cuh>
#include <ostinato/spmv/space/rendezvous.hpp>

namespace ostinato::cuda {

/// Nanoseconds after which a rank is given up. Its kernel has been launched, so that nothing but a fault keeps it.
inline constexpr std::uint64_t patience = 10'000'000'000;

__device__ inline std::uint64_t now_in_ns() {
  std::uint64_t t;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(t));
  return t;
}

__device__ inline std::uint64_t times_met(const detail::RendezvousView& at) {
  return __ldcg(reinterpret_cast<const unsigned long long*>(at.met));
}

/// What this rank writes for another one.
__device__ inline std::byte* room_of(const detail::RendezvousView& at, std::uint64_t met, int rank) {
  const auto turn = static_cast<std::size_t>(met & 1), ranks = static_cast<std::size_t>(at.ranks);
  return at.room[rank] + (turn * ranks + static_cast<std::size_t>(at.rank)) * at.bytes;
}

/// What a rank has written for this one.
__device__ inline const std::byte* room_from(const detail::RendezvousView& at, std::uint64_t met, int rank) {
  const auto turn = static_cast<std::size_t>(met & 1), ranks = static_cast<std::size_t>(at.ranks);
  return at.room[at.rank] + (turn * ranks + static_cast<std::size_t>(rank)) * at.bytes;
}

/// Called by all threads of all blocks: true in the last one, after the writes of all.
__device__ inline bool is_last_to_leave(const detail::RendezvousView& at) {
  __shared__ bool last;
  __syncthreads();
  if (threadIdx.x == 0) last = arrives_last(at.arrived, gridDim.x * gridDim.y);
  __syncthreads();
  return last;
}

/// Called by all threads of the block that speaks for all, before say().
__device__ inline void is_written_for_ranks() {
  __threadfence_system();
  __syncthreads();
}

/// Counts the time that a thread waits for another rank.
class Patience {
 public:
  /// Whether to try again.
  __device__ bool lasts(const detail::RendezvousView& at) {
    if (++tries_ % 256 != 0) return true;
    if (until_ == 0) until_ = now_in_ns() + patience;
    if (*static_cast<volatile int*>(at.is_late) == 0 && now_in_ns() < until_) return true;
    *static_cast<volatile int*>(at.is_late) = 1;
    *static_cast<volatile int*>(at.is_late_for_host) = 1;
    return false;
  }

 private:
  unsigned tries_ = 0;
  std::uint64_t until_ = 0;
};

/// A number in a room, and twice the meeting that it belongs to: the two halves may arrive apart.
struct alignas(16) Numbered {
  std::uint32_t low, of_low, high, of_high;
};

__device__ inline void put(Numbered* to, double value, std::uint64_t met) {
  const auto meeting = static_cast<std::uint32_t>(met + 1);
  asm volatile("st.volatile.global.v4.u32 [%0], {%1, %2, %3, %2};" ::"l"(to), "r"(__double2loint(value)), "r"(meeting),
               "r"(__double2hiint(value))
               : "memory");
}

__device__ inline Numbered look(const Numbered* from) {
  Numbered n;
  asm volatile("ld.volatile.global.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(n.low), "=r"(n.of_low), "=r"(n.high), "=r"(n.of_high)
               : "l"(from)
               : "memory");
  return n;
}

/// What is put there, of which `seen` was an early look.
__device__ inline double get(const detail::RendezvousView& at, std::uint64_t met, const Numbered* from, Numbered seen) {
  const auto meeting = static_cast<std::uint32_t>(met + 1);
  for (Patience wait; seen.of_low != meeting || seen.of_high != meeting; seen = look(from))
    if (!wait.lasts(at)) break;
  return __hiloint2double(static_cast<int>(seen.high), static_cast<int>(seen.low));
}

/// Tells another rank that what is written for it is complete.
__device__ inline void say(const detail::RendezvousView& at, std::uint64_t met, int rank) {
  std::uint64_t* const to =
      at.said[rank] + (met & 1) * static_cast<unsigned>(at.ranks) + static_cast<unsigned>(at.rank);
  const std::uint64_t text = met + 1;
  asm volatile("st.release.sys.global.u64 [%0], %1;" ::"l"(to), "l"(text) : "memory");
}

/// Waits until another rank has said so.
__device__ inline void hear(const detail::RendezvousView& at, std::uint64_t met, int rank) {
  const std::uint64_t* const from =
      at.said[at.rank] + (met & 1) * static_cast<unsigned>(at.ranks) + static_cast<unsigned>(rank);
  std::uint64_t text = 0;
  for (Patience wait;;) {
    asm volatile("ld.acquire.sys.global.u64 %0, [%1];" : "=l"(text) : "l"(from) : "memory");
    if (text == met + 1 || !wait.lasts(at)) break;
  }
}

__device__ inline bool is_partner(const detail::RendezvousView& at, int rank) {
  return (at.partners >> rank & 1u) != 0;
}

/// Tells the partners where x is.
template <class T>
__device__ void say_where(const detail::RendezvousView& at, std::uint64_t met, const T* x) {
  const int rank = static_cast<int>(threadIdx.x);
  if (rank >= at.ranks || !is_partner(at, rank)) return;
  *reinterpret_cast<const T**>(room_of(at, met, rank)) = x;
  say(at, met, rank);
}

/// Where the x of each partner is, once it says so.
template <class T>
__device__ void hear_where(const detail::RendezvousView& at, std::uint64_t met, const T** of_rank) {
  const int rank = static_cast<int>(threadIdx.x);
  if (rank < at.ranks && is_partner(at, rank)) {
    hear(at, met, rank);
    of_rank[rank] = *reinterpret_cast<const T* const volatile*>(room_from(at, met, rank));
  }
  __syncthreads();
}

/// The next kernel begins the next meeting.
__device__ inline void part(const detail::RendezvousView& at, std::uint64_t met) {
  *at.arrived = 0;
  *at.met = met + 1;
}

}  // namespace ostinato::cuda
