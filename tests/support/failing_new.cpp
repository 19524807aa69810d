// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include "support/failing_new.hpp"

#include <cstdlib>
#include <new>

namespace {

constexpr int never = -1;
thread_local int left = never;

}  // namespace

void* operator new(std::size_t bytes) {
  if (left >= 0 && left-- == 0) throw std::bad_alloc();
  if (void* const memory = std::malloc(bytes > 0 ? bytes : 1)) return memory;
  throw std::bad_alloc();
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  if (left >= 0 && left-- == 0) return nullptr;
  return std::malloc(bytes > 0 ? bytes : 1);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace ostinato::test {

FailingNew::FailingNew(int which) { left = which; }
FailingNew::~FailingNew() { left = never; }

}  // namespace ostinato::test
