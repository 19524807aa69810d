// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
// What new numbers cost, and what they bring on the CPU: the orders of breadth_first_order() and of reverse
// Cuthill-McKee, the matrix in the new order, its analysis; a product with csr before and after, and where 32 entries
// in a row read x from. Median of 15 products. choose_numbering() has its figures from here.
//
//   bench_numbering [CASE...]      without: grids and a mesh, numbered at random

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include <ostinato/ostinato.hpp>
#include <ostinato/spmv/analysis/profile.hpp>
#include <ostinato/spmv/base/timing.hpp>
#include <ostinato/spmv/ordering/rcm.hpp>

#include "cases.hpp"

namespace {

using namespace ostinato;

double product_seconds(const Operator<Host, double>& a) {
  const std::vector<double> x(static_cast<std::size_t>(a.cols()), 1.0);
  std::vector<double> y(static_cast<std::size_t>(a.rows())), times;
  for (int k = 0; k < 15; ++k) {
    const Stopwatch watch;
    a.apply(1, x, 0, y);
    times.push_back(watch.seconds());
  }
  std::sort(times.begin(), times.end());
  return times[7];
}

struct Numbered {
  double analysis, product, places;
};

Numbered measure(const Host& host, const Csr<double>& a) {
  const Analysis<Host, double> analysis(host, a.view());
  const Operator<Host, double> op(analysis, {.format = "csr"});
  return {analysis.seconds(), product_seconds(op), analysis.structure().profile->sectors};
}

void run(const std::string& name) {
  const Host host;
  const Csr<double> a = bench::load_case(name).matrix;
  const Numbered before = measure(host, a);
  const double per_entry = 1e9 / static_cast<double>(std::max<Offset>(1, a.nonzeros()));
  const auto row = [&](const char* order, double ordering, double renumbering, const Numbered& n) {
    const double setup = ordering + renumbering + n.analysis;
    std::printf("%-28s %-14s %8.1f %8.1f %8.1f %8.1f %8.2f %6.2f %6.1f %10.0f\n", name.c_str(), order, ordering * 1e3,
                renumbering * 1e3, n.analysis * 1e3, setup * per_entry, n.product * 1e3, before.product / n.product,
                n.places, n.product < before.product ? setup / (before.product - n.product) : 0.0);
  };
  row("as it is", 0, 0, before);
  const auto with = [&](const char* order, auto find) {
    Stopwatch watch;
    const std::vector<Index> found = find();
    const double ordering = watch.lap();
    const Csr<double> b = renumber<double>(host, a, found);
    const double renumbering = watch.lap();
    row(order, ordering, renumbering, measure(host, b));
  };
  with("breadth first", [&] { return breadth_first_order(a.row_ptr, a.col); });
  with("rcm", [&] { return reverse_cuthill_mckee(symmetric_graph(a.row_ptr, a.col)); });
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> names(argv + 1, argv + argc);
  if (names.empty()) {
    for (const char* name : {"poisson2d:512", "poisson2d:1024", "poisson3d:64", "poisson3d:100", "mesh3d:60"})
      names.push_back(std::string(name) + ":renumbered=1");
  }
  std::printf("%s\n%-28s %-14s %8s %8s %8s %8s %8s %6s %6s %10s\n", Host().description().c_str(), "matrix", "order",
              "order ms", "matrix", "analyse", "ns/entry", "csr ms", "faster", "places", "repaid by");
  for (const std::string& name : names) run(name);
}
