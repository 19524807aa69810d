// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
// Set-up and solve with multigrid, for a random right-hand side, x0 = 0, to 1e-8. Set-up is from a CSR matrix in the
// memory of the space until everything is ready: analysis, format, hierarchy. The second of two runs counts.
//
//   bench_multigrid [cpu|cuda] [OPTIONS | NAME ...]
//
// "times A" are the entries of all levels over those of A, MB the memory of the hierarchy. NAME as in bench_spmv, or
// stencil:FAMILY:N for a stencil without a matrix, whose set-up is operator and hierarchy.
// OPTIONS as after `--precond multigrid:`, such as kind=classical, or precond=NAME for the preconditioner that
// `--precond NAME` takes in the place of multigrid on matrices; they hold for the names behind, as do mixed=off,
// mixed=on and mixed=automatic (SolveOptions::mixed), and renumber=on, for which rows get the numbers of
// cluster_order(): the order and the matrix in that order count as analysis, the vectors in that order with the solve.
// A matrix that is refused has a line with the reason.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include <ostinato/ostinato.hpp>
#include <ostinato/spmv/algebra/extract.hpp>
#include <ostinato/spmv/base/timing.hpp>
#include <ostinato/spmv/ordering/clusters.hpp>
#include <ostinato/spmv/ordering/renumber.hpp>

#include "baseline.hpp"
#include "cases.hpp"

namespace {

using namespace ostinato;
using namespace ostinato::bench;

/// How a system is solved.
struct How {
  MixedPrecision mixed = MixedPrecision::automatic;
  bool renumbers = false;
};

struct Figures {
  double analyse = 0, convert = 0, hierarchy = 0, cycle = 0;
  double setup_cpu = 0, solve_cpu = 0;  ///< seconds of all threads
  double complexity = 0;                ///< entries on all levels over those of the matrix
  std::size_t bytes = 0;                ///< of the hierarchy
  SolveResult result;
};

/// Returns the median of the seconds of one cycle.
template <class Space>
double cycle_seconds(const Space& space, const Multigrid<Space, double>& m, const Vector<Space, double>& r,
                     Vector<Space, double>& z) {
  Vector<Space, double> slot(space, 1);
  std::vector<double> times;
  constexpr int together = 20;
  const Stopwatch whole;
  for (int k = 0; k < 10 && (k == 0 || whole.seconds() < 0.5); ++k) {
    space.wait();
    const Stopwatch watch;
    for (int i = 0; i < together; ++i) m.apply_dot(r, z, slot.data());
    space.wait();
    times.push_back(watch.seconds() / together);
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

/// Takes the preconditioner and the solve; `watch` began with the preconditioner, `before` is the time of all threads
/// then.
template <class Space, class A, class M>
void measure_solve(Figures& f, const Space& space, const A& a, const M& m, Stopwatch& watch, double before,
                   const Vector<Space, double>& b, const SolveOptions& options) {
  space.wait();
  f.hierarchy = watch.lap();
  const double ready = cpu_seconds();
  f.setup_cpu = ready - before;
  Vector<Space, double> x(space, b.size(), 0.0);
  f.result = solve(space, a, b, x, m, options);
  f.solve_cpu = cpu_seconds() - ready;
  f.bytes = m.bytes();
}

/// Takes what only multigrid has. `entries`: of the matrix.
template <class Space>
void measure_cycle(Figures& f, const Space& space, const Multigrid<Space, double>& m, const Vector<Space, double>& b,
                   double entries) {
  Vector<Space, double> z(space, b.size());
  f.cycle = cycle_seconds(space, m, b, z);
  for (const PreconditionerLevel& level : m.levels()) f.complexity += static_cast<double>(level.nonzeros) / entries;
}

/// Measures analysis and conversion, and calls rest(f, analysis, a, b, watch, before) for the arguments of
/// measure_solve().
template <class Space, class F>
Figures measure_matrix(const Space& space, const SpaceCsr<Space, double>& given, const Vector<Space, double>& b,
                       const FormatOptions& options, bool renumbers, F rest) {
  Figures f;
  space.wait();
  const double before = cpu_seconds();
  Stopwatch watch;
  Vector<Space, Index> order;
  SpaceCsr<Space, double> matrix = given;
  if (renumbers) {
    order = cluster_order(space, given.view().row_ptr, given.view().col);
    matrix = permute(space, given, order.span(), order.span());
  }
  const Analysis<Space, double> analysis(space, matrix);
  f.analyse = watch.lap();
  const Operator<Space, double> a(analysis, options);
  space.wait();
  f.convert = watch.lap();
  if (!renumbers) {
    rest(f, analysis, a, b, watch, before);
    return f;
  }
  Vector<Space, double> numbered(space, b.size()), as_before(space, b.size());
  renumber<Space, double>(space, b.span(), order.span(), numbered.span());
  space.wait();
  const double there = watch.lap();
  rest(f, analysis, a, numbered, watch, before);
  watch.lap();
  number_as_before<Space, double>(space, numbered.span(), order.span(), as_before.span());
  space.wait();
  f.result.seconds += there + watch.lap();
  return f;
}

template <class Space>
Figures measure(const Space& space, const SpaceCsr<Space, double>& matrix, const Vector<Space, double>& given,
                Compress compress, const MultigridOptions& options, How how) {
  const FormatOptions format{.expected_products = 50, .compress = compress};
  return measure_matrix(
      space, matrix, given, format, how.renumbers,
      [&](Figures& f, const auto& analysis, const auto& a, const auto& b, auto& watch, double before) {
        const Multigrid<Space, double> m(analysis, options);
        measure_solve(f, space, a, m, watch, before, b, {.mixed = how.mixed});
        measure_cycle(f, space, m, b, static_cast<double>(matrix.view().nonzeros()));
      });
}

/// The same with the preconditioner of a name.
template <class Space>
Figures measure_named(const Space& space, const SpaceCsr<Space, double>& matrix, const Vector<Space, double>& given,
                      Compress compress, std::string_view precond, How how) {
  const FormatOptions format{.expected_products = 1000, .compress = compress};
  return measure_matrix(
      space, matrix, given, format, how.renumbers,
      [&](Figures& f, const auto& analysis, const auto& a, const auto& b, auto& watch, double before) {
        const AnyPreconditioner<Space, double> m(analysis, precond);
        measure_solve(f, space, a, m, watch, before, b, {.max_iterations = 100000, .mixed = how.mixed});
      });
}

/// The same with multigrid for a stencil.
template <class Space>
Figures measure(const Space& space, const Stencil& stencil, const Vector<Space, double>& b,
                const MultigridOptions& options, How how) {
  Figures f;
  space.wait();
  const double before = cpu_seconds();
  Stopwatch watch;
  const StencilOperator<Space, double> a(space, stencil);
  space.wait();
  f.convert = watch.lap();
  const Multigrid<Space, double> m(a, options);
  measure_solve(f, space, a, m, watch, before, b, {.mixed = how.mixed});
  measure_cycle(f, space, m, b, static_cast<double>(a.structure().nonzeros));
  return f;
}

/// Measures what `name` stands for; rows is set once that is known. `text`: the OPTIONS.
template <class Space>
Figures measure(const Space& space, const std::string& name, const std::string& text, How how, Index& rows) {
  constexpr std::string_view of_precond = "precond=";
  const bool is_named = text.starts_with(of_precond);
  MultigridOptions options;
  if (!is_named) options = Multigrid<Space, double>::parse_options(text);
  constexpr std::string_view of_stencil = "stencil:";
  if (name.starts_with(of_stencil)) {
    const std::string family = name.substr(of_stencil.size());
    const std::size_t colon = family.find(':');
    const auto n = static_cast<Index>(std::atof(family.substr(std::min(family.size(), colon + 1)).c_str()));
    if (is_named) throw ArgumentError(text + " is for matrices, not for stencil:" + family);
    const std::optional<Stencil> stencil = generate_stencil(family.substr(0, colon), {.n = n});
    if (!stencil) throw ArgumentError(family + " has no stencil of constant coefficients");
    rows = static_cast<Index>(stencil->extents.points());
    const Vector<Space, double> b(space, random_vector(stencil->extents.points(), 2));
    measure(space, *stencil, b, options, how);
    return measure(space, *stencil, b, options, how);
  }
  const auto [host, compress, points] = load_case(name);
  rows = host.rows;
  const SpaceCsr<Space, double> matrix(space, host.view());
  const Vector<Space, double> b(space, random_vector(static_cast<std::size_t>(host.rows), 2));
  if (is_named) {
    const std::string precond = text.substr(of_precond.size());
    measure_named(space, matrix, b, compress, precond, how);
    return measure_named(space, matrix, b, compress, precond, how);
  }
  if (options.kind == MultigridKind::aggregation && !points.empty()) options.coordinates = {3, points};
  measure(space, matrix, b, compress, options, how);
  return measure(space, matrix, b, compress, options, how);
}

template <class Space>
void run(const Space& space, const std::vector<std::string>& names) {
  std::printf("%s\n\n", space.description().c_str());
  std::printf(
      "| matrix | rows | analyse ms | convert ms | hierarchy ms | set-up ms | solver | iterations | solve ms | us an "
      "iteration | us a cycle, plain calls | residual | CPU ms of set-up | CPU ms of solve | times A | MB |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  std::string text;
  How how;
  for (const std::string& name : names) {
    if (name.starts_with("mixed=")) {
      how.mixed = name.ends_with("off")  ? MixedPrecision::off
                  : name.ends_with("on") ? MixedPrecision::on
                                         : MixedPrecision::automatic;
      continue;
    }
    if (name.starts_with("renumber=")) {
      how.renumbers = name.ends_with("on");
      continue;
    }
    if (name.find(':') == std::string::npos && name.find('=') != std::string::npos) {
      text = name;
      continue;
    }
    const std::string what = name + (text.empty() ? "" : ", " + text) + (how.renumbers ? ", renumber=on" : "");
    Index rows = 0;
    Figures f;
    try {
      f = measure(space, name, text, how, rows);
    } catch (const ArgumentError& e) {
      if (rows == 0) throw;  // no such matrix
      std::printf("| %s | %d | %s |\n", what.c_str(), rows, e.what());
      std::fflush(stdout);
      continue;
    }
    const SolveResult& r = f.result;
    std::printf(
        "| %s | %d | %.2f | %.2f | %.2f | %.2f | %s | %d%s | %.2f | %.1f | %.1f | %.1e | %.1f | %.1f | %.2f | %.1f |\n",
        what.c_str(), rows, f.analyse * 1e3, f.convert * 1e3, f.hierarchy * 1e3,
        (f.analyse + f.convert + f.hierarchy) * 1e3, r.solver.c_str(), r.iterations,
        r.status == Status::converged ? "" : (" " + std::string(to_string(r.status))).c_str(), r.seconds * 1e3,
        r.seconds / std::max(1, r.iterations) * 1e6, f.cycle * 1e6, r.relative_residual, f.setup_cpu * 1e3,
        f.solve_cpu * 1e3, f.complexity, static_cast<double>(f.bytes) / 1e6);
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string device = argc > 1 ? argv[1] : Cuda::device_count() > 0 ? "cuda" : "cpu";
  std::vector<std::string> names(argv + std::min(argc, 2), argv + argc);
  if (names.empty()) {
    names = {"poisson3d:64", "poisson2d:256", "variable3d:64", "variable2d:512"};
    if (device == "cuda") {
      names = {"poisson3d:256",  "poisson2d:4096",   "poisson3d:128",
               "variable3d:128", "variable2d:2048",  "poisson3d:64",
               "poisson2d:1024", "anisotropic:1024", "convection-diffusion3d:128"};
    }
  }
  try {
    device == "cuda" ? run(Cuda(), names) : run(Host(), names);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "bench_multigrid: %s\n", e.what());
    return 1;
  }
}
