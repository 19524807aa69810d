// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace ostinato {

/// Allocates at cache lines and leaves elements unset when no value is given, so that a page is first touched by the
/// thread that fills it and large arrays are not written twice.
template <class T>
struct UnsetAllocator {
  using value_type = T;
  static constexpr std::align_val_t alignment{64};

  UnsetAllocator() = default;
  template <class U>
  UnsetAllocator(const UnsetAllocator<U>&) noexcept {}

  T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), alignment)); }
  void deallocate(T* p, std::size_t) noexcept { ::operator delete(p, alignment); }

  template <class U>
  void construct(U* p) noexcept {
    ::new (static_cast<void*>(p)) U;
  }
  template <class U, class... Args>
  void construct(U* p, Args&&... args) {
    ::new (static_cast<void*>(p)) U(std::forward<Args>(args)...);
  }

  template <class U>
  bool operator==(const UnsetAllocator<U>&) const noexcept {
    return true;
  }
};

/// A std::vector whose elements stay unset after Array<T>(n) and resize(n): write before reading.
template <class T>
using Array = std::vector<T, UnsetAllocator<T>>;

}  // namespace ostinato
