// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
// Compares GCRO-DR with GMRES on the CPU: one system, and sequences of right-hand sides or of slowly changing matrices.
//
//   bench_recycling FILE...        right-hand sides A x with random x, one after the other, Jacobi, to 1e-8
//   bench_recycling drift FILE...  the same, and after each system all values change by about a thousandth
//
// A line for a file: products with A (and applications of M) of the first system and of all later ones together, and
// seconds of processor time of all, for GMRES with a restart after 50 vectors, after the 72 that take the memory of
// GCRO-DR, by automatic restart, and for GCRO-DR without and with a RecycledSpace. "-": not all systems converged
// within 10,000 iterations.

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include <ostinato/ostinato.hpp>
#include <ostinato/solvers/methods/gcrodr.hpp>

namespace {

using namespace ostinato;

constexpr int systems = 10;

struct Way {
  const char* name;
  bool is_gcrodr;
  int restart;
  bool keeps;
};

constexpr Way ways[] = {{"gmres 50", false, 50, false},
                        {"gmres 72", false, 72, false},
                        {"gmres auto", false, automatic_restart, false},
                        {"gcrodr", true, automatic_restart, false},
                        {"recycled", true, automatic_restart, true}};

/// Products besides the iterations, of which a note tells.
int products_besides(const SolveResult& result) {
  for (const std::string& note : result.notes) {
    const std::size_t at = note.find("earlier solve; ");
    if (at != std::string::npos) return std::stoi(note.substr(at + 15));
  }
  return 0;
}

void print_way(const Csr<double>& matrix, const Way& way, bool drift) {
  const Host space;
  RecycledSpace kept;
  const SolveOptions options{
      .rtol = 1e-8, .restart = way.restart, .recycled = way.keeps ? &kept : nullptr, .history = false};
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  Csr<double> a = matrix;
  int first = 0, later = 0;
  double seconds = 0;
  for (int k = 0; k < systems; ++k) {
    const Operator<Host, double> op(space, a);
    const Jacobi<Host, double> m(space, a);
    std::vector<double> x(static_cast<std::size_t>(a.cols)), b(static_cast<std::size_t>(a.rows));
    for (double& value : x) value = normal(random);
    op.apply(1, x, 0, b);
    std::fill(x.begin(), x.end(), 0.0);
    const std::clock_t start = std::clock();
    const SolveResult result = way.is_gcrodr ? gcrodr(space, op, b, x, m, options) : gmres(space, op, b, x, m, options);
    seconds += static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    if (!result) return (void)std::printf(" %20s", "-");
    (k == 0 ? first : later) += result.iterations + products_besides(result);
    for (std::size_t i = 0; drift && i < a.val.size(); ++i) a.val[i] *= 1 + 0.001 * normal(random);
  }
  std::printf(" %5d %6d %7.3f", first, later, seconds);
}

}  // namespace

int main(int argc, char** argv) {
  const bool drift = argc > 1 && std::string(argv[1]) == "drift";
  std::printf("%-16s", "");
  for (const Way& way : ways) std::printf(" %20s", way.name);
  std::printf("\n");
  for (int k = drift ? 2 : 1; k < argc; ++k) {
    try {
      const Csr<double> a = read_matrix_market<double>(argv[k]);
      std::string name = std::filesystem::path(argv[k]).filename().string();
      std::printf("%-16s", name.substr(0, name.find('.')).c_str());
      for (const Way& way : ways) print_way(a, way, drift);
      std::printf("\n");
      std::fflush(stdout);
    } catch (const Error& e) {
      std::printf(" %s\n", e.what());
    }
  }
}
