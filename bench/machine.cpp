// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
// Measures the constants of the cost model: the memory bandwidth of the CPU and, if there is a GPU, all constants of
// GPU 0 but the seconds per term. The last line goes into the table of spmv/cost/machine.cpp.
//
//   bench_machine

#include <cstdio>
#include <ctime>
#include <exception>
#include <string>

#include "machine.hpp"
#include "triad.hpp"

namespace {

using namespace ostinato;

void begin_table(const std::string& machine) {
  std::printf("%s\n\n| constant | measured | the library's |\n|---|---|---|\n", machine.c_str());
}

void print_row(const char* constant, double measured, double known) {
  std::printf("| %s | %.3g | %.3g |\n", constant, measured, known);
}

std::string today() {
  char text[16];
  const std::time_t now = std::time(nullptr);
  std::strftime(text, sizeof text, "%Y-%m-%d", std::gmtime(&now));
  return text;
}

void report(const Host& host) {
  begin_table(host.description());
  print_row("triad, GB/s", bench::triad_bandwidth(host) / 1e9, machine_of(host).bandwidth / 1e9);
}

void report(const Cuda& space) {
  const std::string name = device_name(space);
  const Calibration known = calibration_of(name, space.bandwidth()), now = bench::measure(space);
  begin_table("\n" + space.description() + ", memory clocked for " +
              std::to_string(static_cast<int>(now.clocked_bandwidth / 1e9)) + " GB/s, " + Cuda::build_description());
  print_row("copy of 1 GiB, of the clocked bandwidth", now.copy_share, known.copy_share);
  print_row("empty kernel, us", now.latency * 1e6, known.latency * 1e6);
  print_row("load that waits for its address, from 4 MiB, us", now.load_latency * 1e6, known.load_latency * 1e6);
  print_row("random sector from 8 MiB, ps", now.sector_seconds * 1e12, known.sector_seconds * 1e12);
  std::printf("| term, ps | not measured | %.3g |\n", known.term_seconds * 1e12);
  print_row("copy within 8 MiB, over that of 1 GiB", now.cache_gain, known.cache_gain);
  std::printf("\nThe library's are of %s, %s%s.\n\n", std::string(known.device).c_str(),
              std::string(known.measured).c_str(), known.device == name ? "" : ", scaled by the clocked bandwidth");
  std::printf("    {\"%s\", \"%s\", %.4g, %.3g, %.3g, %.3g, %.3g, %.3g, %.3g},\n", name.c_str(), today().c_str(),
              now.clocked_bandwidth, now.copy_share, now.latency, now.load_latency, now.sector_seconds,
              now.term_seconds, now.cache_gain);
}

}  // namespace

int main() {
  try {
    report(Host());
    if (Cuda::device_count() > 0) {
      report(Cuda());
    } else {
      std::printf("\nno GPU: %s\n", Cuda::why_absent().c_str());
    }
  } catch (const std::exception& e) {
    std::fprintf(stderr, "bench_machine: %s\n", e.what());
    return 1;
  }
  return 0;
}
