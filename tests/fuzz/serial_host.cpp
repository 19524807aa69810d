// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include <ostinato/spmv/space/host.hpp>
#include <ostinato/spmv/space/memory.hpp>

// Host on one thread, so that run.sh compiles what it fuzzes by itself, with clang.

namespace ostinato {

Host::Host(int) : threads_(1) {}
std::string Host::build_description() { return "one thread"; }
std::string Host::description() const { return "CPU, 1 thread"; }
int Host::threads_by_now() { return 1; }
void* Host::allocate(std::size_t bytes) const { return allocate_host(bytes); }
void Host::release(void* p) const noexcept { release_host(p); }
void Host::copy(void* to, const void* from, std::size_t bytes) const { std::memcpy(to, from, bytes); }
void Host::zero(void* p, std::size_t bytes) const { std::memset(p, 0, bytes); }

void detail::run_chunks(const Host&, std::size_t count, void (*chunk)(const void*, std::size_t, std::size_t),
                        const void* f) {
  chunk(f, 0, count);
}

}  // namespace ostinato
