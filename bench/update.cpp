// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
// Times new values on the same pattern: Operator::update_values against the first conversion to each format, on the
// CPU, or Multigrid::update_values with kept interpolations, for a pattern known to be the same, against the set-up.
//
//   bench_update [N]                  each format; the matrix is variable3d with N points a side, 60 without N.
//   bench_update multigrid [cpu|cuda] [MATRIX…]
//                                     classical and aggregation; matrices as mesh3d:40. Without any: poisson3d:64,
//                                     variable3d:64, mesh3d:40
//   bench_update drift                how many iterations kept interpolations cost, the more coefficients have changed

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include <ostinato/ostinato.hpp>
#include <ostinato/spmv/base/timing.hpp>
#include <ostinato/spmv/formats/list.hpp>

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
    const double known = best_ms([&] { return seconds_of([&] { lent.update_values(a.view(), same_pattern); }); });
    const double copy = best_ms([&] { return seconds_of([&] { owning.update_values(a); }); });
    std::printf("%-12s %10.2f %12.2f %12.2f %12.2f  %s\n", format.c_str(), convert, known, view, copy,
                did == Update::refilled ? "refilled" : "rebuilt");
  } catch (const ArgumentError&) {
  }
}

void time_formats(int n) {
  const Csr<double> a = generate<double>("variable3d", {.n = n});
  const Host space;
  const Analysis<Host, double> analysis(space, a.view(), AnalysisDepth::full);
  std::printf("variable3d:%d, %lld entries; best of %d, in ms\nanalysis %.2f\n", n,
              static_cast<long long>(a.nonzeros()), runs,
              best_ms([&] { return Operator<Host, double>(space, a.view(), {.format = "csr"}).analyse_seconds(); }));
  std::printf("%-12s %10s %12s %12s %12s\n", "format", "conversion", "same pattern", "update, view", "update, Csr");
  for (const auto& entry : format_list<Host, double>()) time_format(analysis, a, std::string(entry.name));
}

MultigridOptions keeping(MultigridKind kind) {
  MultigridOptions options{.kind = kind};
  options.reuse = MultigridReuse::interpolation;
  return options;
}

const char* name_of(MultigridKind kind) { return kind == MultigridKind::classical ? "classical" : "aggregation"; }

/// Prints a line. Set-ups and updates take turns, so that both meet the same other programs.
template <class Space>
void time_multigrid(const Space& space, const std::string& matrix, MultigridKind kind) {
  const auto colon = matrix.find(':');
  const Csr<double> a = generate<double>(matrix.substr(0, colon), {.n = std::stoi(matrix.substr(colon + 1))});
  const Analysis<Space, double> analysis(space, a.view());
  Multigrid<Space, double> m(analysis, keeping(kind));
  double anew = HUGE_VAL, with_plans = HUGE_VAL, update = HUGE_VAL;
  std::size_t bytes = 0;
  for (int k = 0; k < runs; ++k) {
    anew = std::min(anew, seconds_of([&] { bytes = Multigrid<Space, double>(analysis, {.kind = kind}).bytes(); }));
    with_plans = std::min(with_plans, seconds_of([&] { m = Multigrid<Space, double>(analysis, keeping(kind)); }));
    m.update_values(analysis, same_pattern);
    space.wait();
    update = std::min(update, seconds_of([&] {
                        m.update_values(analysis, same_pattern);
                        space.wait();
                      }));
  }
  std::printf("%-14s %-12s %8.2f %8.2f %8.3f %7.3f %8.1f %8.1f  %s\n", matrix.c_str(), name_of(kind), 1e3 * anew,
              1e3 * with_plans, 1e3 * update, update / anew, 1e-6 * static_cast<double>(bytes),
              1e-6 * static_cast<double>(m.bytes()), m.reused() ? "" : "made anew");
}

template <class Space>
void time_multigrids(const Space& space, std::vector<std::string> matrices) {
  if (matrices.empty()) matrices = {"poisson3d:64", "variable3d:64", "mesh3d:40"};
  std::printf("best of %d, in ms\n%-14s %-12s %8s %8s %8s %7s %8s %8s\n", runs, "matrix", "kind", "set-up", "reuse",
              "update", "part", "MB", "MB reuse");
  for (const std::string& matrix : matrices)
    for (const MultigridKind kind : {MultigridKind::classical, MultigridKind::aggregation})
      time_multigrid(space, matrix, kind);
}

/// Finite volumes on n x n x n cells. k(axis, x, y, z) is the coefficient between two cells.
template <class F>
Csr<double> diffusion(int n, F k) {
  std::vector<Triplet<double>> triplets;
  for (int i = 0; i < n * n * n; ++i) {
    const int at[3] = {i % n, i / n % n, i / n / n}, step[3] = {1, n, n * n};
    for (int axis = 0; axis < 3; ++axis) {
      for (const int side : {-1, 1}) {
        double x[3] = {at[0] + 0.5, at[1] + 0.5, at[2] + 0.5};
        x[axis] += 0.5 * side;
        const double w = k(axis, x[0] / n, x[1] / n, x[2] / n);
        triplets.push_back({i, i, w});
        const int next = at[axis] + side;
        if (next >= 0 && next < n) triplets.push_back({i, i + side * step[axis], -w});
      }
    }
  }
  return from_triplets<double>(n * n * n, n * n * n, triplets);
}

int iterations(const Csr<double>& a, const Multigrid<Host, double>& m) {
  const Host space;
  const Operator<Host, double> op(space, a.view());
  std::vector<double> b(static_cast<std::size_t>(a.rows)), x(b.size(), 0.0);
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = 1 + std::sin(1.3 * static_cast<double>(i));
  return cg(space, op, b, x, m, {.rtol = 1e-8}).iterations;
}

/// Prints a line: iterations after an update, and with a hierarchy of the new values.
template <class F, class G>
void follow(const char* change, F before, G after) {
  constexpr int n = 32;
  const Host space;
  const Csr<double> a = diffusion(n, before), c = diffusion(n, after);
  std::printf("%-36s", change);
  for (const MultigridKind kind : {MultigridKind::classical, MultigridKind::aggregation}) {
    Multigrid<Host, double> m(space, a, keeping(kind));
    m.update_values(Analysis<Host, double>(space, c));
    std::printf(" %12d %5d %-9s", iterations(c, m), iterations(c, Multigrid<Host, double>(space, c, {.kind = kind})),
                m.reused() ? "kept" : "made anew");
  }
  std::printf("\n");
}

void follow_coefficients() {
  const auto wave = [](double size, double moved) {
    return [=](int, double x, double y, double z) {
      return std::exp(size * std::sin(6 * x + moved) * std::sin(9 * y) * std::cos(5 * z));
    };
  };
  const auto along = [](int strong, double ratio) {
    return [=](int axis, double, double, double) { return axis == strong ? ratio : 1.0; };
  };
  const auto block = [](double from, double ratio) {
    return [=](int, double x, double y, double z) {
      return x > from && x < from + 0.4 && y < 0.5 && z < 0.7 ? ratio : 1.0;
    };
  };
  std::printf("diffusion on 32 x 32 x 32 cells, CG to 1e-8: iterations after the update, and anew\n%-36s %28s %28s\n",
              "", "classical", "aggregation");
  follow("all values times 3", wave(2, 0),
         [=](int, double x, double y, double z) { return 3 * wave(2, 0)(0, x, y, z); });
  follow("waves of e^2 move by 0.1", wave(2, 0), wave(2, 0.6));
  follow("waves of e^4 move by 0.1", wave(4, 0), wave(4, 0.6));
  follow("1 becomes waves of e^2", wave(0, 0), wave(2, 0));
  follow("1 becomes waves of e^4", wave(0, 0), wave(4, 0));
  follow("a block of 10 moves", block(0, 10), block(0.6, 10));
  follow("a block of 1000 moves", block(0, 1000), block(0.6, 1000));
  follow("the strong axis changes, 2", along(0, 2), along(1, 2));
  follow("the strong axis changes, 4", along(0, 4), along(1, 4));
  follow("the strong axis changes, 10", along(0, 10), along(1, 10));
  follow("the strong axis changes, 1000", along(0, 1000), along(1, 1000));
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "60";
  try {
    if (what == "multigrid") {
      const std::string device = argc > 2 ? argv[2] : "cpu";
      const bool is_named = device == "cpu" || device == "cuda";
      const std::vector<std::string> matrices(argv + std::min(argc, 2 + is_named), argv + argc);
      device == "cuda" ? time_multigrids(Cuda(), matrices) : time_multigrids(Host(), matrices);
    } else if (what == "drift") {
      follow_coefficients();
    } else {
      time_formats(std::stoi(what));
    }
  } catch (const std::exception& e) {
    std::fprintf(stderr, "bench_update: %s\n", e.what());
    return 1;
  }
}
