// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
// Ostinato's "auto" against the incomplete factors of other libraries (peers.hpp), as contest.hpp says.
//
//   bench_real [--limit SECONDS] [--runs N] [--with NAME,NAME] [MATRIX.mtx ...]
//
// By default: 20 seconds, 3 runs, all of ostinato, superlu, superlu-match, eigen-bicgstab, eigen-gmres, petsc-ilu and
// petsc-ic. "ostinato:ilut" is Ostinato with that preconditioner instead of "auto". Sums and ratios are against the
// first of the two superlu that is asked for, otherwise the first name.

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include <ostinato/ostinato.hpp>
#include <ostinato/spmv/base/timing.hpp>

#include "contest.hpp"
#include "peers.hpp"

namespace {

using namespace ostinato;
using namespace ostinato::bench;

/// Analysis, format, preconditioner and solve as `ostinato solve --precond PRECONDITIONER` does them.
PeerSolve solve_with_ostinato(const Host& space, const Csr<double>& a, const std::vector<double>& b,
                              const std::string& preconditioner) {
  PeerSolve s;
  Stopwatch watch;
  const Analysis<Host, double> analysis(space, a);
  const double analyse = watch.lap();
  const Operator<Host, double> op(analysis);
  const double convert = watch.lap();
  const AnyPreconditioner<Host, double> m(analysis, preconditioner);
  const double precondition = watch.lap();
  Vector<Host, double> x(space, b.size(), 0.0);
  const SolveResult result = solve(space, op, Vector<Host, double>(space, b), x, m, "auto", {.history = false});
  s.solve = watch.lap();
  s.setup = analyse + convert + precondition;
  s.x = x.download();
  s.iterations = result.iterations;
  s.status = in_words(result.status);
  s.notes = "analysis " + milliseconds(analyse) + ", " + op.format() + " " + milliseconds(convert) + ", " + m.name() +
            " " + milliseconds(precondition) + ", solve " + milliseconds(s.solve) + " ms, ended by " + result.solver;
  for (const std::string& note : result.notes) s.notes += "; " + note;
  return s;
}

Solve ostinato_with(const std::string& preconditioner) {
  return [preconditioner](const Host& space, const Csr<double>& a, const std::vector<double>& b) {
    return solve_with_ostinato(space, a, b, preconditioner);
  };
}

Solve petsc(const std::string& options) {
  return [options](const Host&, const Csr<double>& a, const std::vector<double>& b) {
    return solve_with_petsc(a, b, options);
  };
}

/// Incomplete Cholesky factors are for positive definite matrices. Whether one is, CG finds out; the diagonal tells of
/// some.
Solve petsc_if_symmetric(const std::string& options) {
  return [options](const Host& space, const Csr<double>& a, const std::vector<double>& b) {
    PeerSolve not_for_this;
    not_for_this.status = "-";
    const Structure s = Analysis<Host, double>(space, a).structure();
    if (!s.symmetric || !s.positive_diagonal) return not_for_this;
    return solve_with_petsc(a, b, options);
  };
}

std::vector<Way> all_ways() {
  const std::string gmres = "-ksp_type gmres -ksp_gmres_restart " + std::to_string(peer_restart) + " ";
  const auto superlu = [](bool match) {
    return [match](const Host& space, const Csr<double>& a, const std::vector<double>& b) {
      return solve_with_superlu(space, a, b, match);
    };
  };
  const auto eigen = [](bool with_gmres) {
    return [with_gmres](const Host&, const Csr<double>& a, const std::vector<double>& b) {
      return solve_with_eigen(a, b, with_gmres);
    };
  };
  return {{"ostinato", ostinato_with("auto")},
          {"superlu", superlu(false)},
          {"superlu-match", superlu(true)},
          {"eigen-bicgstab", eigen(false)},
          {"eigen-gmres", eigen(true)},
          {"petsc-ilu", petsc(gmres + "-pc_type ilu")},
          {"petsc-ic", petsc_if_symmetric("-ksp_type cg -pc_type icc")}};
}

/// The ways with these names, in this order; without names all.
std::vector<Way> chosen_ways(const std::vector<std::string>& names) {
  const std::vector<Way> all = all_ways();
  if (names.empty()) return all;
  std::vector<Way> chosen;
  for (const std::string& name : names) {
    const auto known = std::find_if(all.begin(), all.end(), [&](const Way& way) { return way.name == name; });
    if (known != all.end()) {
      chosen.push_back(*known);
    } else if (name.rfind("ostinato:", 0) == 0) {
      check_preconditioner(name.substr(9));
      chosen.push_back({name, ostinato_with(name.substr(9))});
    } else {
      std::string known_names = "ostinato:PRECONDITIONER";
      for (const Way& way : all) known_names += ", " + way.name;
      throw ArgumentError("--with: '" + name + "' is unknown; known: " + known_names);
    }
  }
  return chosen;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const ContestSettings settings = read_contest_settings(argc, argv);
    const std::vector<Way> ways = chosen_ways(settings.with);
    const auto superlu =
        std::find_if(ways.begin(), ways.end(), [](const Way& w) { return w.name.find("superlu") == 0; });
    run_contest(ways, settings, superlu == ways.end() ? 0 : static_cast<std::size_t>(superlu - ways.begin()));
  } catch (const std::exception& e) {
    std::fprintf(stderr, "bench_real: %s\n", e.what());
    return 1;
  }
}
