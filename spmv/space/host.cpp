// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/space/host.hpp>

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <limits>
#include <memory>
#include <mutex>
#include <thread>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/space/busy_processors.hpp>
#include <ostinato/spmv/space/memory.hpp>
#include <ostinato/spmv/space/pool.hpp>

/// OpenMP's, where the program has OpenMP; otherwise null.
extern "C" [[gnu::weak]] int omp_get_max_threads();
extern "C" [[gnu::weak]] void omp_set_num_threads(int);
extern "C" [[gnu::weak]] int omp_get_thread_limit();

namespace ostinato {
namespace {

constexpr int most_threads = 512;  ///< Kokkos 3.4 has room for no more, and doesn't check the number

// Kokkos has static objects, and static libraries are initialised after the user's objects at namespace scope: a Host
// among these would find Kokkos unready. This file is initialised after such a Host and before Kokkos, and main begins
// after all. The flag is atomic so that no compiler sets it ahead.
constinit std::atomic<bool> is_pool_ready = false;
constinit std::atomic<int> asked_early = 0;  ///< threads that a Host before main has asked for; 0: any number
[[maybe_unused]] const bool set_ready = (is_pool_ready = true);

/// The vector instructions that the library was compiled for; a shared library has one build for each.
constexpr const char* vectors =
#if defined(__AVX512F__)
    "AVX-512";
#elif defined(__AVX2__)
    "AVX2";
#elif defined(__SSE2__)
    "SSE2";
#else
    "no x86 vectors";
#endif

// One thread copies fewer bytes than this, because starting the other threads would cost more than the copy.
constexpr std::size_t parallel_block = std::size_t{1} << 20;

/// The most threads that OpenMP gives: OMP_THREAD_LIMIT.
int thread_limit() {
  return omp_get_thread_limit != nullptr ? std::max(1, omp_get_thread_limit()) : std::numeric_limits<int>::max();
}

/// Whether OpenMP or the machine would give more than `most` threads. OpenMP's int overflows from 2^31 on.
bool has_more_threads(int most) {
  if (omp_get_max_threads == nullptr) return std::thread::hardware_concurrency() > static_cast<unsigned>(most);
  return omp_get_max_threads() < 1 || omp_get_max_threads() > most;
}

/// The threads that KOKKOS_NUM_THREADS or else the program asks for; 0: any number. Every pool heeds the variable, so
/// that a program runs alike with each.
int threads_asked_for(int threads) {
  const char* const told = std::getenv("KOKKOS_NUM_THREADS");
  if (told == nullptr) return threads;
  const long asked = std::atol(told);
  if (asked > most_threads || (threads > 0 && asked != threads)) {
    const std::string other = asked > most_threads ? std::to_string(most_threads) + " is the most"
                                                   : std::to_string(threads) + " threads are asked for";
    throw ArgumentError(std::string("Host: KOKKOS_NUM_THREADS is ") + told + "; " + other);
  }
  return static_cast<int>(asked);
}

/// Returns the threads asked for, or the most that there may be where OpenMP or the machine would give more than that.
/// Bounds OpenMP's own number, too: Kokkos opens a region of so many threads before it looks at any other number.
int bounded(int threads) {
  const int asked = threads_asked_for(threads);
  const int limit = thread_limit();
  if (asked > limit) {
    throw ArgumentError("Host: " + std::to_string(asked) + " threads asked for, but OMP_THREAD_LIMIT is " +
                        std::to_string(limit));
  }
  const int most = std::min(most_threads, limit);
  if (!has_more_threads(most)) return asked;
  const int threads_then = asked > 0 ? asked : most;
  if (omp_set_num_threads != nullptr) omp_set_num_threads(threads_then);
  return threads_then;
}

/// Notes what a Host before main asks for.
int start_later(int threads) {
  if (threads == 0) return 0;
  const int before = asked_early.exchange(threads);
  if (before == 0 || before == threads) return 0;
  throw ArgumentError("Host: objects at namespace scope ask for " + std::to_string(before) + " and for " +
                      std::to_string(threads) + " threads");
}

/// Makes the pool with `threads` threads, unless there is one. Returns the number of threads that a Host works with, or
/// 0 before main.
int start(int threads) {
  if (threads < 0 || threads > most_threads) {
    throw ArgumentError("Host: the number of threads is " + std::to_string(threads) + "; 0 means all, " +
                        std::to_string(most_threads) + " is the most");
  }
  if (!is_pool_ready) return start_later(threads);
  static std::mutex mutex;
  static int last_asked = 0;
  const std::lock_guard lock(mutex);
  if (detail::pool_size() == 0) detail::make_pool(bounded(asked_early > 0 ? asked_early.load() : threads));
  const int pool = detail::pool_size();
  if (threads > pool) {
    throw ArgumentError("Host: " + std::to_string(threads) + " threads asked for, but the pool has " +
                        std::to_string(pool) + ", which the first work of the program has made; make the Host before " +
                        "that (reading or making a matrix is work, too), or set OMP_NUM_THREADS");
  }
  if (threads > 0) last_asked = threads;
  return last_asked > 0 ? last_asked : pool;
}

/// The number of running tasks of the machine, or 0 where the system doesn't tell.
int running_tasks() {
  const int file = ::open("/proc/loadavg", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  char text[128] = {};
  const bool read = ::read(file, text, sizeof text - 1) > 0;
  ::close(file);
  int running = 0;
  return read && std::sscanf(text, "%*s %*s %*s %d/", &running) == 1 ? running : 0;
}

/// The number of processors, or 0 where this thread may not run on all of them: then the tasks of the machine don't
/// tell how busy its processors are.
int all_processors() {
  const long online = ::sysconf(_SC_NPROCESSORS_ONLN);
  cpu_set_t mine;
  const bool known = ::sched_getaffinity(0, sizeof mine, &mine) == 0;
  return known && CPU_COUNT(&mine) == online ? static_cast<int>(online) : 0;
}

/// Whether other programs leave the caller of a loop one processor at most.
bool processors_are_taken(detail::BusyProcessors& busy, int threads, detail::BusyProcessors::Clock::time_point now) {
  static const int processors = all_processors();
  return processors > 0 && busy.are_taken(processors, threads, now, running_tasks);
}

std::string find_model_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("model name", 0) != 0) continue;
    const std::size_t from = line.find_first_not_of(" \t", line.find(':') + 1);
    if (from != std::string::npos) return line.substr(from);
  }
  return "CPU";  // on some architectures /proc/cpuinfo has no model name
}

const std::string& model_name() {
  static const std::string name = find_model_name();
  return name;
}

/// Calls f(offset, length) for blocks that cover 0 .. bytes - 1.
template <class F>
void for_blocks(const Host& host, std::size_t bytes, F f) {
  parallel_for(host, (bytes + parallel_block - 1) / parallel_block,
               [=](std::size_t k) { f(k * parallel_block, std::min(parallel_block, bytes - k * parallel_block)); });
}

/// The exception of the chunk with the lowest number, because an exception must not leave a parallel region.
class FirstFailure {
 public:
  void take(std::size_t chunk) noexcept {
    const std::lock_guard lock(mutex_);
    if (what_ != nullptr && chunk_ < chunk) return;
    chunk_ = chunk;
    what_ = std::current_exception();
  }
  void rethrow() const {
    if (what_ != nullptr) std::rethrow_exception(what_);
  }

 private:
  std::mutex mutex_;
  std::size_t chunk_ = 0;
  std::exception_ptr what_;
};

}  // namespace

namespace detail {

/// The pool of threads serves one caller: a Kokkos before 4.2 keeps the share of each thread in one place for all
/// callers. A thread that finds the pool taken does its work alone, and so does work within other work.
void run_chunks(const Host& host, std::size_t count, void (*chunk)(const void*, std::size_t, std::size_t),
                const void* f) {
  static std::atomic_flag taken;
  if (taken.test_and_set(std::memory_order_acquire)) return chunk(f, 0, count);
  const std::unique_ptr<std::atomic_flag, void (*)(std::atomic_flag*)> give_back(
      &taken, [](std::atomic_flag* flag) { flag->clear(std::memory_order_release); });
  static BusyProcessors busy;  // belongs to the caller that has taken the pool
  const std::size_t chunks = std::min(count, static_cast<std::size_t>(host.threads()));
  if (chunks == 1) return chunk(f, 0, count);
  if (processors_are_taken(busy, host.threads(), BusyProcessors::Clock::now())) return chunk(f, 0, count);
  const std::size_t length = count / chunks, longer = count % chunks;  // `longer` chunks have one element more
  const auto begin = [=](std::size_t t) { return t * length + std::min(t, longer); };
  FirstFailure failure;
  const auto run = [=, &failure](std::size_t t) {
    try {
      chunk(f, begin(t), begin(t + 1));
    } catch (...) {
      failure.take(t);
    }
  };
  run_on_pool(
      chunks, [](const void* g, std::size_t t) { (*static_cast<decltype(run)*>(g))(t); }, &run);
  failure.rethrow();
}

}  // namespace detail

Host::Host(int threads) : threads_(start(threads)) {}

int Host::threads_by_now() { return std::max(1, start(0)); }

std::string Host::build_description() { return detail::pool_name() + ", " + vectors; }

std::string Host::description() const {
  return model_name() + ", " + std::to_string(threads()) + (threads() == 1 ? " thread" : " threads");
}

void* Host::allocate(std::size_t bytes) const { return allocate_host(bytes); }

void Host::release(void* p) const noexcept { release_host(p); }
std::size_t Host::free_bytes() const { return free_host_memory(); }

void Host::copy(void* to, const void* from, std::size_t bytes) const {
  for_blocks(*this, bytes, [=](std::size_t at, std::size_t n) {
    std::memcpy(static_cast<char*>(to) + at, static_cast<const char*>(from) + at, n);
  });
}

void Host::zero(void* p, std::size_t bytes) const {
  for_blocks(*this, bytes, [=](std::size_t at, std::size_t n) { std::memset(static_cast<char*>(p) + at, 0, n); });
}

}  // namespace ostinato
