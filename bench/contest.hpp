// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
// Real systems on the CPU, solved in several ways: b = A * ones, x0 = 0, until ||b - A x|| <= 1e-8 ||b||, which is
// recomputed. A time is everything from an assembled matrix until x is there. Every solve has a process of its own,
// which ends at the time limit. The best of some runs counts; what fails is run once, and no run begins after two
// seconds of runs.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <ostinato/spmv/matrix/csr.hpp>
#include <ostinato/spmv/space/host.hpp>

#include "peers.hpp"

namespace ostinato::bench {

using Solve = std::function<PeerSolve(const Host&, const Csr<double>&, const std::vector<double>&)>;

struct Way {
  std::string name;
  Solve solve;
};

struct ContestSettings {
  double limit = 20;
  int runs = 3;
  std::vector<std::string> with;
  std::vector<std::string> matrices;
};

std::string milliseconds(double seconds);

/// Reads [--limit SECONDS] [--runs N] [--with NAME,NAME] [MATRIX.mtx ...]. Without matrices the square real ones with
/// at most 50,000 rows in OSTINATO_SHARED_DIR/matrices or ../shared/matrices.
ContestSettings read_contest_settings(int argc, char** argv);

/// Prints a row a matrix and, for each way, what it takes beside that of `base`.
void run_contest(const std::vector<Way>& ways, const ContestSettings& settings, std::size_t base);

/// The same, and what the first way takes beside the fastest of all others that solves a system.
void run_contest_against_all(const std::vector<Way>& ways, const ContestSettings& settings);

}  // namespace ostinato::bench
