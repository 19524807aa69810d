// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
// Times Operator::update_values against the first conversion to each format, on the CPU.
//
//   bench_update [N]      the matrix is variable3d with N points a side; 60 without N.

#include <algorithm>
#include <cstdio>
#include <string>

#include <ostinato/ostinato.hpp>
#include <ostinato/spmv/formats/list.hpp>
#include <ostinato/spmv/space/timing.hpp>

namespace {

using namespace ostinato;

constexpr int runs = 10;

/// The shortest of some times, in milliseconds.
template <class F>
double best_ms(const F& seconds) {
  double best = seconds();
  for (int k = 1; k < runs; ++k) best = std::min(best, seconds());
  return 1e3 * best;
}

template <class F>
double seconds_of(const F& call) {
  const Stopwatch watch;
  call();
  return watch.seconds();
}

/// Prints a line for the format, or nothing when the format can't hold the matrix.
void time_format(const Analysis<Host, double>& analysis, const Csr<double>& a, const std::string& format) {
  const FormatOptions options{.format = format};
  try {
    const double convert = best_ms([&] { return Operator<Host, double>(analysis, options).convert_seconds(); });
    Operator<Host, double> lent(analysis, options), owning(Host(), a, options);
    Update did = Update::refilled;
    const double view = best_ms([&] { return seconds_of([&] { did = lent.update_values(a.view()); }); });
    const double copy = best_ms([&] { return seconds_of([&] { owning.update_values(a); }); });
    std::printf("%-12s %10.2f %12.2f %12.2f  %s\n", format.c_str(), convert, view, copy,
                did == Update::refilled ? "refilled" : "rebuilt");
  } catch (const ArgumentError&) {
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::stoi(argv[1]) : 60;
  const Csr<double> a = generate<double>("variable3d", {.n = n});
  const Host space;
  const Analysis<Host, double> analysis(space, a.view(), AnalysisDepth::full);
  std::printf("variable3d:%d, %lld entries; best of %d, in ms\nanalysis %.2f\n", n,
              static_cast<long long>(a.nonzeros()), runs,
              best_ms([&] { return Operator<Host, double>(space, a.view(), {.format = "csr"}).analyse_seconds(); }));
  std::printf("%-12s %10s %12s %12s\n", "format", "conversion", "update, view", "update, Csr");
  for (const auto& entry : format_list<Host, double>()) time_format(analysis, a, std::string(entry.name));
}
