// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
// Products of every format against the vendor's best and the byte floor.
//
//   bench_spmv [cpu|cuda] [NAME ...]     NAME: a .mtx file, or FAMILY:N[:KEY=VALUE ...] of the generators, such as
//                                        fem27:56:unknowns=3. Without names, the set of docs/performance.md.

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <map>
#include <string>

#include <ostinato/ostinato.hpp>
#include <ostinato/solvers/steps.hpp>
#include <ostinato/spmv/parallel.hpp>

#include "baseline.hpp"
#include "cases.hpp"

namespace {

using namespace ostinato;
using namespace ostinato::bench;

/// a = b + s c, as STREAM has it.
struct Triad {
  double* a;
  const double *b, *c;
  void operator()(std::size_t i) const { a[i] = b[i] + 3.0 * c[i]; }
};

/// Bytes a second that the memory gives: the triad on the host, a read-only kernel on the device.
double peak_bandwidth(const Host& host) {
  const std::size_t n = std::size_t{1} << 25;
  Vector<Host, double> a(host, n), b(host, n), c(host, n);
  for_each(host, n, [a = a.data(), b = b.data(), c = c.data()](std::size_t i) { a[i] = 0, b[i] = 1, c[i] = 2; });
  return 3.0 * n * sizeof(double) / median_seconds(host, 15, [&] {
           for_each(host, n, Triad{a.data(), b.data(), c.data()});
         });
}

double peak_bandwidth(const Cuda& space) {
  const std::size_t n = std::size_t{1} << 27;
  Vector<Cuda, double> a(space, n), b(space, n), slot(space, 1);
  space.zero(a.data(), a.bytes());
  space.zero(b.data(), b.bytes());
  const double copy =
      2.0 * n * sizeof(double) / median_seconds(space, 15, [&] { space.copy(b.data(), a.data(), a.bytes()); });
  const double read =
      2.0 * n * sizeof(double) / median_seconds(space, 15, [&] { dot<double>(space, a, b, slot.data()); });
  return std::max(copy, read);
}

/// Largest error of y against a long double product, in units of eps sum |a||x| of the row.
double worst_error(const CsrView<double>& a, const std::vector<double>& x, const std::vector<double>& y) {
  double worst = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    long double sum = 0, size = 0;
    for (Offset k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) {
      const long double term = static_cast<long double>(a.val[static_cast<std::size_t>(k)]) *
                               x[static_cast<std::size_t>(a.col[static_cast<std::size_t>(k)])];
      sum += term;
      size += std::abs(term);
    }
    const double error = static_cast<double>(std::abs(sum - static_cast<long double>(y[i])));
    if (error > 0)
      worst = std::max(worst, error / (std::numeric_limits<double>::epsilon() * static_cast<double>(size)));
  }
  return worst;
}

struct Time {
  std::string format;
  double seconds, bytes, moved, setup, error;
};

template <class Space>
std::vector<Time> our_products(const Space& space, const CsrView<double>& a, const std::vector<double>& x) {
  std::vector<Time> all;
  const Vector<Space, double> in(space, x);
  Vector<Space, double> out(space, static_cast<std::size_t>(a.rows), std::numeric_limits<double>::quiet_NaN());
  for (const FormatInfo& format : format_infos) {
    try {
      const Operator<Space, double> op(space, a, FormatOptions{std::string(format.name)});
      const Cost& cost = op.choice().candidates.front().cost;
      if (cost.padding > 3) continue;
      op.apply(1, in, 0, out);
      const double error = worst_error(a, x, out.download());
      const double seconds = median_seconds(space, 30, [&] { op.apply(1, in, 0, out); });
      all.push_back({std::string(format.name), seconds, static_cast<double>(op.bytes()), cost.moved,
                     op.analyse_seconds() + op.convert_seconds(), error});
    } catch (const ArgumentError&) {  // the format can't hold this matrix
    }
  }
  return all;
}

double best(const std::vector<Baseline>& all, const char* only = "") {
  double seconds = 0;
  for (const Baseline& b : all) {
    if (b.name.find(only) == std::string::npos) continue;
    if (seconds == 0 || b.seconds < seconds) seconds = b.seconds;
  }
  return seconds;
}

std::vector<Baseline> baselines(const Host& host, const CsrView<double>& a, const std::vector<double>& x) {
  return {eigen_product(host, a, x)};
}
std::vector<Baseline> baselines(const Cuda& space, const CsrView<double>& a, const std::vector<double>& x) {
  return cusparse_products(space, a, x);
}

template <class Space>
void run(const Space& space, const std::vector<std::string>& names) {
  std::printf("%s\n", space.description().c_str());
  std::printf("medians, hot caches; peak: %s, measured anew for each matrix\n\n",
              Space::on_device ? "copy or read, the faster" : "triad");
  std::printf(
      "| matrix | rows | entries | product | us | GB/s stored | of peak | error / eps | set-up, products | vendor best "
      "| x vendor | x vendor CSR |\n");
  std::printf("|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  std::map<std::string, std::pair<double, int>> logs;
  for (const std::string& name : names) {
    const Csr<double> a = load_case(name);
    const double peak = peak_bandwidth(space);
    const std::vector<double> x = random_vector(static_cast<std::size_t>(a.cols), 1);
    const std::vector<Baseline> vendor = baselines(space, a, x);
    const double csr = best(vendor, Space::on_device ? "CSR" : ""), fastest = best(vendor);
    std::printf("| %s | %d | %lld | peak %.1f GB/s | | | | | | | | |\n", name.c_str(), a.rows,
                static_cast<long long>(a.nonzeros()), peak / 1e9);
    for (const Baseline& b : vendor) {
      std::printf("| %s | %d | %lld | %s | %.2f | | | | | | | |\n", name.c_str(), a.rows,
                  static_cast<long long>(a.nonzeros()), b.name.c_str(), b.seconds * 1e6);
    }
    for (const Time& t : our_products(space, a, x)) {
      std::printf("| %s | %d | %lld | **%s** | %.2f | %.0f | %.2f | %.1f | %.1f | %.2f | %.2f | %.2f |\n", name.c_str(),
                  a.rows, static_cast<long long>(a.nonzeros()), t.format.c_str(), t.seconds * 1e6,
                  t.moved / t.seconds / 1e9, t.moved / t.seconds / peak, t.error, csr > 0 ? t.setup / csr : 0,
                  fastest * 1e6, fastest / t.seconds, csr / t.seconds);
      auto& [log, count] = logs[t.format];
      log += std::log(csr / t.seconds);
      ++count;
    }
    std::fflush(stdout);
  }
  std::printf("\n");
  for (const auto& [format, sum] : logs) {
    std::printf("%s: geometric mean %.3f x the vendor's CSR over %d matrices\n", format.c_str(),
                std::exp(sum.first / sum.second), sum.second);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string device = argc > 1 ? argv[1] : Cuda::device_count() > 0 ? "cuda" : "cpu";
  std::vector<std::string> names(argv + std::min(argc, 2), argv + argc);
  try {
    if (device == "cuda") {
      run(Cuda(), names.empty() ? gpu_set() : names);
    } else {
      run(Host(), names.empty() ? host_set() : names);
    }
  } catch (const std::exception& e) {
    std::fprintf(stderr, "bench_spmv: %s\n", e.what());
    return 1;
  }
}
