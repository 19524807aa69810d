// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

#include <ostinato/spmv/space/index.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato {

template <>
struct SlotAtomic<Host> : Atomic<Host> {
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
