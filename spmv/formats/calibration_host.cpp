// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/formats/calibration.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <limits>
#include <locale>
#include <mutex>
#include <new>
#include <sstream>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include <ostinato/spmv/base/disk_cache.hpp>
#include <ostinato/spmv/base/timing.hpp>
#include <ostinato/spmv/cost/host_cost.hpp>
#include <ostinato/spmv/formats/csr/csr_plan.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>
#include <ostinato/spmv/space/parallel.hpp>
#include <ostinato/spmv/version.hpp>

namespace ostinato {

namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;
constexpr std::size_t least_cache = mebibyte, most_cache = 1024 * mebibyte;

/// The least of the seconds that calls of f() take: other programs can only slow a call down.
template <class F>
double least_seconds(int batches, int calls, const F& f) {
  double least = std::numeric_limits<double>::infinity();
  for (int k = 0; k < batches; ++k) {
    const Stopwatch watch;
    for (int c = 0; c < calls; ++c) f();
    least = std::min(least, watch.seconds() / calls);
  }
  return least;
}

/// The last cache that Linux tells of, or `otherwise`. (In a virtual machine sysconf() may tell of the whole socket's.)
std::size_t last_cache(std::size_t otherwise) {
  std::size_t kibibytes = 0;
  for (const char* index : {"3", "2"}) {
    std::ifstream file(std::string("/sys/devices/system/cpu/cpu0/cache/index") + index + "/size");
    if (file >> kibibytes && kibibytes > 0) return std::clamp(kibibytes * 1024, least_cache, most_cache);
  }
  return otherwise;
}

/// Adds up a block of an array; eight sums keep enough loads in flight.
double block_sum(const double* v, std::size_t count) {
  double sum[8] = {};
  for (std::size_t i = 0; i + 8 <= count; i += 8) {
    __builtin_prefetch(v + i + 512);
#pragma omp simd
    for (std::size_t k = 0; k < 8; ++k) sum[k] += v[i + k];
  }
  return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
}

/// Bytes a second in which all threads read an array that is larger than the last cache; 0 where the system takes so
/// long to give the memory that such an array can't be had in time.
double read_bandwidth(const Host& space, std::size_t cache) {
  constexpr std::size_t block = 16384, slab = 64;  // doubles of a block, blocks of a slab: 128 KiB and 8 MiB
  constexpr double fill_limit = 12e-3, limit = 17e-3;
  const std::size_t most = std::clamp(cache * 3 / 2, 48 * mebibyte, 64 * mebibyte) / (block * sizeof(double));
  const Stopwatch watch;
  Vector<Host, double> v(space, block * most);
  std::vector<double> sums(most);
  std::size_t blocks = 0;
  for (; blocks < most && watch.seconds() < fill_limit; blocks = std::min(blocks + slab, most)) {
    parallel_for(space, std::min(slab, most - blocks),
                 [=, p = v.data()](std::size_t b) { std::fill_n(p + (blocks + b) * block, block, 1.0); });
  }
  if (blocks < most && blocks * block * sizeof(double) < cache) return 0;
  double seconds = std::numeric_limits<double>::infinity();
  for (int pass = 0; pass < 3 && (pass == 0 || watch.seconds() < limit); ++pass) {
    seconds = std::min(seconds, least_seconds(1, 1, [&] {
                         parallel_for(space, blocks, [p = v.data(), out = sums.data()](std::size_t b) {
                           out[b] = block_sum(p + b * block, block);
                         });
                       }));
  }
  return static_cast<double>(blocks * block * sizeof(double)) / seconds;
}

/// Seconds of a parallel step with next to no work.
double start_seconds(const Host& space) {
  std::vector<double> touched(static_cast<std::size_t>(8 * space.threads()));
  const auto step = [&, out = touched.data()] {
    parallel_for(space, static_cast<std::size_t>(space.threads()), [=](std::size_t k) { out[8 * k] += 1; });
  };
  return least_seconds(8, 16, step);
}

/// Seconds of an entry of csr in a matrix of 480 rows with 24 entries, which one thread multiplies.
double entry_seconds(const Host& space) {
  constexpr Index rows = 480, length = 24, stride = 5;
  Csr<double> a;
  a.rows = rows;
  a.cols = rows + stride * length;
  a.row_ptr.assign(std::size_t{rows} + 1, 0);
  for (Index i = 0; i < rows; ++i) {
    for (Index k = 0; k < length; ++k) {
      a.col.push_back(i + stride * k);
      a.val.push_back(1.0 / (1 + k));
    }
    a.row_ptr[static_cast<std::size_t>(i) + 1] = Offset{length} * (i + 1);
  }
  const formats::CsrPlan<Host> plan(space, a.view(), Structure{});
  const std::vector<double> x(static_cast<std::size_t>(a.cols), 1.0);
  std::vector<double> y(static_cast<std::size_t>(a.rows));
  const double seconds =
      least_seconds(8, 16, [&] { formats::csr_apply(space, plan, a.view(), 1.0, x.data(), 0.0, y.data()); });
  const double slot = formats::csr_host_kernel.slot, row = formats::csr_host_kernel.row;
  return seconds / (rows * (slot * length + row));
}

/// What the figures depend on.
std::string key_of(const Host& space) {
  return "machine, ostinato " + std::to_string(version.major) + '.' + std::to_string(version.minor) + '.' +
         std::to_string(version.patch) + '\n' + Host::build_description() + '\n' + space.description() + '\n';
}

}  // namespace

Machine measured_machine(const Host& space) {
  Machine m = machine_of(space);
  m.threads = space.threads();
  m.cache_bytes = last_cache(m.cache_bytes);
  try {
    if (const double found = read_bandwidth(space, m.cache_bytes); found > 0) m.bandwidth = found;
  } catch (const std::bad_alloc&) {  // the usual bandwidth will do
  }
  m.latency = start_seconds(space);
  m.entry_seconds = entry_seconds(space);
  return detail::completed(m);
}

namespace detail {

std::string text_of(const Machine& m) {
  std::ostringstream text;
  text.imbue(std::locale::classic());
  text.precision(17);
  text << m.bandwidth << ' ' << m.latency << ' ' << m.entry_seconds << ' ' << m.cache_bytes << '\n';
  return text.str();
}

bool threads_came(const Machine& m) {
  constexpr double least_start = 1.5e-7, most_start = 2e-5;
  if (m.threads == 1) return true;
  const bool have_processors = static_cast<unsigned>(m.threads) <= std::thread::hardware_concurrency();
  return m.latency >= least_start && (m.latency <= most_start || !have_processors);
}

Machine completed(Machine m) {
  const double slower = m.entry_seconds / usual_entry_seconds;
  m.term_seconds = 2.2e-10 * slower / m.threads;
  m.call_seconds = usual_call_seconds * slower;
  return m;
}

std::optional<Machine> machine_from(const std::string& text, int threads) {
  Machine m;
  m.threads = threads;
  const char* at = text.data();
  const char* const end = at + text.size();
  const auto blanks = [&] { at = std::find_if(at, end, [](char c) { return c != ' ' && c != '\n'; }); };
  // from_chars, because the first use of a stream for numbers takes some 20 us.
  const auto reads = [&](auto& v) {
    blanks();
    const auto [next, error] = std::from_chars(at, end, v);
    at = next;
    return error == std::errc();
  };
  if (!reads(m.bandwidth) || !reads(m.latency) || !reads(m.entry_seconds) || !reads(m.cache_bytes)) return {};
  blanks();
  if (at != end) return {};
  const auto between = [](double least, double v, double most) { return v >= least && v <= most; };
  if (!between(1e8, m.bandwidth, 1e14) || !between(0, m.latency, 1e-2) || !between(1e-12, m.entry_seconds, 1e-6) ||
      m.cache_bytes < least_cache || m.cache_bytes > most_cache)
    return {};
  return completed(m);
}

}  // namespace detail

Machine calibrated_machine(const Host& space, bool again) {
  static std::mutex mutex;
  static std::string kept_key;
  static Machine kept;
  const DiskCache cache = DiskCache::of_user();
  if (cache.directory().empty()) return machine_of(space);
  const std::string key = key_of(space);
  const std::lock_guard lock(mutex);
  if (!again && key == kept_key) return kept;
  const std::optional<std::string> stored = again ? std::nullopt : cache.load(key);
  std::optional<Machine> m = stored ? detail::machine_from(*stored, space.threads()) : std::nullopt;
  if (!m || !detail::threads_came(*m)) {
    m = measured_machine(space);
    if (detail::threads_came(*m)) {
      cache.store(key, detail::text_of(*m));
    } else {  // for this run only
      m->bandwidth = std::max(m->bandwidth, machine_of(space).bandwidth);
      m->latency = usual_start_seconds;
    }
  }
  kept = *m;
  kept_key = key;
  return kept;
}

Machine calibrated_machine(const Cuda& space, bool) { return machine_of(space); }

}  // namespace ostinato
