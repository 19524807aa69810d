// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
// Compares predicted with measured times of a product on the CPU, by format, over real and generated matrices.
//
//   bench_predictions [NAME...]   names as in the other benchmarks, or files; without any, 40 matrices of many kinds

#include <algorithm>
#include <cstdio>
#include <exception>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include <ostinato/bench/formats/list.hpp>
#include <ostinato/ostinato.hpp>
#include <ostinato/spmv/analysis/analysis.hpp>
#include <ostinato/spmv/base/timing.hpp>
#include <ostinato/spmv/cost/machine.hpp>
#include <ostinato/spmv/selection/candidates.hpp>

#include "cases.hpp"

namespace {

using namespace ostinato;

/// Predicted over measured seconds.
using Ratios = std::vector<double>;

std::vector<std::string> default_set() {
  return bench::with_real(
      {"poisson2d:512", "variable2d:512", "pde3d:64", "fem27:40", "rmat:131072", "random:200000", "poisson2d:1500",
       "pde2d:1000"},
      {"xenon1",   "c-62",       "NotreDame_www", "goodwin",  "Dubcova1",      "Groebner_id2003_aug",
       "bcsstk16", "lap3d_40",   "memplus",       "bcsstk18", "bcsstk33",      "cage10",
       "wang3",    "luxembourg", "nasa4704",      "fidapex6", "BentPipe2D100", "bcsstk14",
       "gemat11",  "mbeacxc",    "2dcyl1",        "add32",    "wathen_30_30",  "lnsp3937",
       "sherman5", "cryg2500",   "sherman3",      "bcsstm25", "rajat01",       "1138_bus",
       "nos3",     "zenios"});
}

/// The least of 15 batches of 0.5 ms: other programs can only slow a product down.
template <class F>
double least_seconds(const Host& host, const F& product) {
  int calls = 1;
  while (batch_seconds(host, calls, product) < 5e-4 && calls < 4096) calls *= 2;
  double least = std::numeric_limits<double>::infinity();
  for (int k = 0; k < 15; ++k) least = std::min(least, batch_seconds(host, calls, product) / calls);
  return least;
}

void compare(const Host& host, const bench::Case& c, std::map<std::string, Ratios>& by_format) {
  const Analysis<Host, double> analysis(host, c.matrix, AnalysisDepth::full);
  const Machine machine = machine_of(host);
  const bool compress = may_compress({}, analysis.structure().nonzeros, sizeof(double));
  const Vector<Host, double> x(host, static_cast<std::size_t>(c.matrix.cols), 1.0);
  Vector<Host, double> y(host, static_cast<std::size_t>(c.matrix.rows));
  const FormatList<Host, double>& list = bench_formats<Host, double>();
  for (const Candidate& p : candidates_of(list, {analysis.structure(), machine, compress})) {
    if (!p.cost.applies()) continue;
    const Operator<Host, double> op(analysis, {.format = p.full_name()}, list);
    const double seconds = least_seconds(host, [&] { op.apply(1.0, x, 0.0, y); });
    by_format[p.name].push_back(p.cost.seconds / seconds);
  }
}

/// "1.04, 93 %": the median, and the share between 1 / 1.5 and 1.5.
std::string summary(Ratios ratios) {
  const auto near = std::count_if(ratios.begin(), ratios.end(), [](double r) { return r >= 1 / 1.5 && r <= 1.5; });
  char text[64];
  std::snprintf(text, sizeof text, "%.2f, %.0f %%", median(ratios),
                100.0 * static_cast<double>(near) / static_cast<double>(ratios.size()));
  return text;
}

void print(const std::map<std::string, Ratios>& by_format) {
  std::printf("| format | matrices | predicted over measured, within 1.5 |\n|---|---|---|\n");
  Ratios all;
  for (const auto& [name, r] : by_format) {
    std::printf("| %s | %zu | %s |\n", name.c_str(), r.size(), summary(r).c_str());
    all.insert(all.end(), r.begin(), r.end());
  }
  std::printf("| all | %zu | %s |\n", all.size(), summary(all).c_str());
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const Host host;
    std::printf("%s\n\n", host.description().c_str());
    std::map<std::string, Ratios> by_format;
    const std::vector<std::string> names = argc > 1 ? std::vector<std::string>(argv + 1, argv + argc) : default_set();
    for (const std::string& name : names) compare(host, bench::load_case(name), by_format);
    if (!by_format.empty()) print(by_format);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "bench_predictions: %s\n", e.what());
    return 1;
  }
  return 0;
}
