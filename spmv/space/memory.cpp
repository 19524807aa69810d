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
#include <sstream>
#include <string>
#include <vector>

namespace ostinato {

namespace {

constexpr std::size_t cache_line = 64;
constexpr std::size_t huge_page = std::size_t{2} << 20;
constexpr std::size_t large = 2 * huge_page;

/// Large arrays begin at 16 different positions within a page, in turn. If all arrays began at the same position, the
/// loads of x in later rows would have the same low address bits as a store to y(i), and the processor would delay the
/// loads until the store (4K aliasing). A CSR product with 5 entries per row then takes 8.3 ms instead of 6.0 ms (EPYC,
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

/// The number behind `key` in a file of lines "key number", or "key: number kB"; `otherwise` where there is none.
std::size_t number_in(const std::string& path, const std::string& key, std::size_t otherwise) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string name, unit;
    std::uint64_t number = 0;
    if (!(words >> name >> number) || name != key) continue;
    words >> unit;
    return static_cast<std::size_t>(number) * (unit == "kB" ? 1024 : 1);
  }
  return otherwise;
}

std::size_t less(std::size_t all, std::size_t taken) { return all - std::min(all, taken); }

/// What the limit of the process leaves.
std::size_t free_of_process() {
  const std::size_t limit = process_limit();
  return limit == no_limit ? no_limit : less(limit, number_in("/proc/self/status", "VmSize:", 0));
}

/// The number in a file of a control group. "max" and a file that isn't there are no limit.
std::size_t limit_in(const std::string& path) {
  std::ifstream file(path);
  std::uint64_t bytes = 0;
  return file >> bytes ? static_cast<std::size_t>(bytes) : no_limit;
}

/// A control group, version 2 or 1, by its files.
struct Group {
  std::string limit, used, stat, file_key;  ///< file_key: in stat, of what the system keeps of files

  static Group second(const std::string& path) {
    return {path + "/memory.max", path + "/memory.current", path + "/memory.stat", "file"};
  }
  static Group first(const std::string& path) {
    return {path + "/memory.limit_in_bytes", path + "/memory.usage_in_bytes", path + "/memory.stat", "total_cache"};
  }

  std::size_t most() const { return limit_in(limit); }
  std::size_t left() const {
    const std::size_t all = most();
    if (all == no_limit) return no_limit;
    return less(all, less(limit_in(used), number_in(stat, file_key, 0)));
  }
};

/// The control groups that limit this process. A parent's limit counts as well; in a container the root of the tree is
/// the container's own group.
std::vector<Group> groups() {
  const std::string root = "/sys/fs/cgroup";
  std::vector<Group> all = {Group::first(root + "/memory"), Group::second(root)};
  std::ifstream file("/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("0::")) continue;
    for (std::string group = line.substr(3); !group.empty(); group.erase(group.rfind('/')))
      all.push_back(Group::second(root + group));
  }
  return all;
}

/// What the control groups leave, as the first call finds: each takes some tens of microseconds to look up.
std::size_t limit_of_groups() {
  static const std::size_t limit = [] {
    std::size_t most = no_limit;
    for (const Group& group : groups()) most = std::min(most, group.most());
    return most;
  }();
  return limit;
}

}  // namespace

std::size_t host_memory() {
  const long pages = ::sysconf(_SC_PHYS_PAGES), page = ::sysconf(_SC_PAGESIZE);
  const std::size_t machine =
      pages > 0 && page > 0 ? static_cast<std::size_t>(pages) * static_cast<std::size_t>(page) : no_limit;
  return std::min({machine, process_limit(), limit_of_groups()});
}

std::size_t free_host_memory() {
  std::size_t most = std::min(number_in("/proc/meminfo", "MemAvailable:", host_memory()), free_of_process());
  for (const Group& group : groups()) most = std::min(most, group.left());
  return most;
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
