// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/space/memory.hpp>

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <new>
#include <string>

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

constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();

std::size_t process_limit() {
  rlimit limit{};
  return ::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY ? limit.rlim_cur : no_limit;
}

/// The number in a file of a control group. "max" and a file that isn't there are no limit.
std::size_t limit_in(const std::string& path) {
  std::ifstream file(path);
  std::uint64_t bytes = 0;
  return file >> bytes ? static_cast<std::size_t>(bytes) : no_limit;
}

/// The limit of the process's control group, version 2 or 1. A parent's limit counts as well; in a container the root
/// of the tree is the container's own group.
std::size_t group_limit() {
  const std::string root = "/sys/fs/cgroup";
  std::size_t least = limit_in(root + "/memory/memory.limit_in_bytes");
  std::ifstream file("/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("0::")) continue;
    for (std::string group = line.substr(3); !group.empty(); group.erase(group.rfind('/')))
      least = std::min(least, limit_in(root + group + "/memory.max"));
  }
  return std::min(least, limit_in(root + "/memory.max"));
}

}  // namespace

std::size_t host_memory() {
  const long pages = ::sysconf(_SC_PHYS_PAGES), page = ::sysconf(_SC_PAGESIZE);
  const std::size_t machine =
      pages > 0 && page > 0 ? static_cast<std::size_t>(pages) * static_cast<std::size_t>(page) : no_limit;
  return std::min({machine, process_limit(), group_limit()});
}

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
