// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
// Solves with incomplete factors in each order, in time to solution: set-up, one application, iterations to 1e-8 and
// their time. Symmetric matrices with a positive diagonal take CG with IC(0), others BiCGSTAB with ILU(0). Set-up is
// the least of 2, an application the median of 20, a solve the least of 3, double precision. "cusparse": the solves
// alone, beside those of cuSPARSE (triangular_cusparse.cpp). "ilu0": the making of ILU(0) on a GPU, likewise. "ahead":
// the solves by how many levels a GPU has at work at once.
//
//   bench_triangular [cpu|cuda|cusparse|ilu0|ahead] [NAME ...]      NAME as in bench_spmv

#include "triangular.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <optional>
#include <string>
#include <vector>

#include <ostinato/ostinato.hpp>
#include <ostinato/spmv/base/timing.hpp>
#include <ostinato/spmv/ordering/nested_dissection.hpp>
#include <ostinato/strategy/any_preconditioner.hpp>

#include "baseline.hpp"
#include "cases.hpp"

namespace {

using namespace ostinato;
using namespace ostinato::bench;

template <class Space>
double seconds_since(const Space& space, const Stopwatch& watch) {
  space.wait();
  return watch.seconds();
}

template <class Space>
void measure(const Space& space, const std::string& name, const Analysis<Space, double>& analysis,
             const Operator<Space, double>& a, const std::string& preconditioner) {
  const auto n = static_cast<std::size_t>(a.rows());
  double setup = 0;
  std::optional<AnyPreconditioner<Space, double>> m;
  for (int run = 0; run < 2; ++run) {
    m.reset();
    space.wait();
    const Stopwatch watch;
    m.emplace(analysis, preconditioner);
    const double seconds = seconds_since(space, watch);
    setup = run == 0 ? seconds : std::min(setup, seconds);
  }
  const Vector<Space, double> b(space, random_vector(n, 2));
  Vector<Space, double> z(space, n);
  const double application = median_seconds(space, 20, [&] { m->apply(b.span(), z.span()); });
  SolveResult best;
  for (int run = 0; run < 3; ++run) {
    Vector<Space, double> x(space, n, 0.0);
    const SolveOptions options{.rtol = 1e-8, .max_iterations = 20000, .time_limit = 60, .history = false};
    const SolveResult result = m->symmetric() ? cg(space, a, b, x, *m, options) : bicgstab(space, a, b, x, *m, options);
    if (run == 0 || result.seconds < best.seconds) best = result;
    if (result.seconds > 5) break;
  }
  std::printf("| %s | %zu | %s | %.1f | %.3f | %d | %.1f | %.1f | %s | %s |\n", name.c_str(), n, preconditioner.c_str(),
              setup * 1e3, application * 1e3, best.iterations, best.seconds * 1e3, (setup + best.seconds) * 1e3,
              std::string(to_string(best.status)).c_str(), m->remarks().c_str());
  std::fflush(stdout);
}

template <class Space>
void run(const Space& space, const std::vector<std::string>& names) {
  std::printf(
      "%s\n\n| matrix | rows | preconditioner | set-up ms | application ms | iterations | solve ms | both ms | end | "
      "what was made |\n|---|---|---|---|---|---|---|---|---|---|\n",
      space.description().c_str());
  for (const std::string& name : names) {
    const Csr<double> matrix = canonical(load_case(name).matrix.view());
    const Analysis<Space, double> analysis(space, matrix);
    const Operator<Space, double> a(analysis);
    const Structure& s = analysis.structure();
    const std::string kind = s.symmetric && s.positive_diagonal ? "ic0:" : "ilu0:";
    for (const std::string order : {"natural", "rcm", "nd"}) {
      if (order == "nd" && !has_nested_dissection) continue;
      const std::string preconditioner = kind + "order=" + order;
      try {
        measure(space, name, analysis, a, preconditioner);
      } catch (const Error& e) {
        std::printf("| %s | | %s | | | | | | %s | |\n", name.c_str(), preconditioner.c_str(), e.what());
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string device = argc > 1 ? argv[1] : Cuda::device_count() > 0 ? "cuda" : "cpu";
  std::vector<std::string> names(argv + std::min(argc, 2), argv + argc);
  const std::vector<std::string> real = {"xenon1", "wang3", "c-62", "cage10", "bcsstk16", "sherman3", "memplus"};
  try {
    if (device == "cpu") {
      run(Host(), names.empty() ? with_real({"poisson2d:256", "poisson3d:48", "fem27:16:unknowns=3"}, real) : names);
      return 0;
    }
    if (names.empty())
      names = with_real({"poisson3d:64", "poisson3d:128", "fem27:32:unknowns=3", "poisson2d:1024"}, real);
    if (device == "cusparse") {
      compare_with_cusparse(names);
    } else if (device == "ilu0") {
      compare_ilu0_with_cusparse(names);
    } else if (device == "ahead") {
      time_look_aheads(names);
    } else {
      run(Cuda(), names);
    }
  } catch (const std::exception& e) {
    std::fprintf(stderr, "bench_triangular: %s\n", e.what());
    return 1;
  }
}
