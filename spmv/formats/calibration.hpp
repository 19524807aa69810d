// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include <ostinato/spmv/cost/machine.hpp>

namespace ostinato {

/// Measures the CPU: the bandwidth of its memory with all threads, the start of a parallel step, an entry of csr from a
/// cache on one thread, and the size of the last cache as the system tells it.
///
/// Exec      Takes some 15 ms, at most about 20 ms, and 48 to 64 MiB of memory for that time. On a CPU with a last
///           cache of more than 42 MiB the array doesn't exceed the cache, so that the bandwidth is that of the cache.
Machine measured_machine(const Host& space);

/// The machine at hand as measured_machine() finds it, once for each machine, number of threads and version of the
/// library: the figures are kept in the user's cache (base/disk_cache.hpp), and in memory while the program runs.
/// `again` measures anew. Without a cache, where OSTINATO_CACHE_DIR is empty, this is machine_of(space); a cache that
/// can't be written or a file that is damaged costs another measurement and is no error. What was measured while other
/// programs kept threads waiting is used for this run with the usual time to start a step, and isn't kept.
///
/// Exec      Threads may call at once; one measures, the others wait.
Machine calibrated_machine(const Host& space, bool again = false);
/// GPUs have a table, see calibrations().
Machine calibrated_machine(const Cuda& space, bool again = false);
/// Other spaces aren't measured.
template <class Space>
Machine calibrated_machine(const Space& space, bool = false) {
  return machine_of(space);
}

namespace detail {

/// The figures as a line of text, and back. Nothing for a text with anything but figures that a machine can have.
std::string text_of(const Machine& m);
std::optional<Machine> machine_from(const std::string& text, int threads);

/// Whether all threads took part, and in time. While other programs keep the processors busy, either one thread does
/// all the work: it has nothing to start, and no thread starts another in less time than the least. Or the threads wait
/// for a processor: those that have one each start in less than the most.
bool threads_came(const Machine& m);

/// The machine with the members that follow from the measured ones.
Machine completed(Machine m);

}  // namespace detail

}  // namespace ostinato
