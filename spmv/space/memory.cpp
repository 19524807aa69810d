// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/space/memory.hpp>

#include <sys/mman.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace ostinato {

namespace {

constexpr std::size_t cache_line = 64;
constexpr std::size_t huge_page = std::size_t{2} << 20;
constexpr std::size_t large = 2 * huge_page;

/// Large arrays begin at 16 different positions within a page, in turn. If all arrays began at the same position, the
/// loads of x in later rows would have the same low address bits as a store to y(i), and the processor would delay the
/// loads until the store (4K aliasing). A CSR product with 5 entries per row then took 8.3 ms instead of 6.0 ms (EPYC,
/// 2026-11).
std::size_t next_shift() {
  static std::atomic<std::size_t> count{0};
  constexpr std::size_t places = 16, step = 5 * 4 * cache_line;  // consecutive arrays are 1280 bytes apart
  return count.fetch_add(1, std::memory_order_relaxed) % places * step % 4096 + cache_line;
}

/// The address to free for the array at p. allocate_host() stores this address just before the array.
void** block_of(void* p) { return static_cast<void**>(p) - 1; }

}  // namespace

void* allocate_host(std::size_t bytes) {
  const bool huge = bytes >= large;
  const std::size_t alignment = huge ? huge_page : cache_line, shift = huge ? next_shift() : cache_line;
  if (bytes > static_cast<std::size_t>(-1) - shift - alignment) throw std::bad_alloc();
  void* block = nullptr;
  if (posix_memalign(&block, alignment, shift + bytes) != 0) throw std::bad_alloc();
  // The result is ignored, because the memory also works without huge pages.
  if (huge) (void)madvise(block, shift + bytes, MADV_HUGEPAGE);
  void* p = static_cast<char*>(block) + shift;
  *block_of(p) = block;
  return p;
}

void release_host(void* p) noexcept {
  if (p != nullptr) std::free(*block_of(p));
}

}  // namespace ostinato
