// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Atomic and SlotAtomic for spaces whose loops run on threads of a CPU, such as Host.

#include <atomic>
#include <cstdint>

#include <ostinato/spmv/base/index.hpp>
#include <ostinato/spmv/space/for_each.hpp>

namespace ostinato {

template <class Space>
struct Atomic {
  template <class I>
  static I add(I* p, I v) {
    return std::atomic_ref<I>(*p).fetch_add(v, std::memory_order_relaxed);
  }
  template <class I>
  static void store(I* p, I v) {
    std::atomic_ref<I>(*p).store(v, std::memory_order_relaxed);
  }
  template <class I>
  static I load(const I* p) {
    return std::atomic_ref<I>(*const_cast<I*>(p)).load(std::memory_order_relaxed);
  }
  /// The same as load. On Cuda, peek may return an outdated value.
  template <class I>
  static I peek(const I* p) {
    return load(p);
  }
  template <class I>
  static void max(I* p, I v) {
    std::atomic_ref<I> shared(*p);
    for (I seen = shared.load(std::memory_order_relaxed); seen < v && !shared.compare_exchange_weak(seen, v);) {
    }
  }
  static void set_bit(std::uint32_t* word, std::uint32_t bit) {
    std::atomic_ref<std::uint32_t>(*word).fetch_or(bit, std::memory_order_relaxed);
  }
};

template <class Space>
struct SlotAtomic : Atomic<Space> {
  static Offset swap_if(Offset* p, Offset expected, Offset v) {
    std::atomic_ref<Offset>(*p).compare_exchange_strong(expected, v, std::memory_order_relaxed);
    return expected;
  }
  static void min(Offset* p, Offset v) {
    std::atomic_ref<Offset> shared(*p);
    for (Offset seen = shared.load(std::memory_order_relaxed); v < seen && !shared.compare_exchange_weak(seen, v);) {
    }
  }
};

}  // namespace ostinato
