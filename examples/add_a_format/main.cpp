// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
//
// A new format is one file, padded_rows.hpp, and one line, marked below. (For a format of the library the line goes to
// spmv/formats/list.hpp, and tests, help and benchmarks follow.) It takes part in the selection at once: it ranks before
// CSR where all rows are equally long, and behind it, or not at all, where one is much longer.
//
//   $ build/release/examples/add_a_format
//   random
//     padded-rows      4.800 MB  chosen
//     csr              5.000 MB  11 % slower, predicted
//     bccoo            4.150 MB  12 % slower, predicted
//     sliced-ell       4.814 MB  39 % slower, predicted
//     ell              4.800 MB  66 % slower, predicted
//     bccoo-plus       6.550 MB  66 % slower, predicted
//     csr-scalar       5.200 MB  77 % slower, predicted
//     csr-vector       5.200 MB  77 % slower, predicted
//     hyb              4.800 MB  98 % slower, predicted
//     cmrs             4.850 MB  2.1 times slower, predicted
//     coo              6.400 MB  2.7 times slower, predicted
//   powerlaw
//     csr              1.893 MB  chosen
//     bccoo            1.747 MB  11 % slower, predicted
//     csr-scalar       2.093 MB  65 % slower, predicted
//     csr-vector       2.093 MB  65 % slower, predicted
//     cmrs             1.743 MB  78 % slower, predicted
//     hyb              1.857 MB  87 % slower, predicted
//     bccoo-plus       3.912 MB  2.1 times slower, predicted
//     coo              2.257 MB  2.4 times slower, predicted
//     bsr              3.928 MB  3.6 times slower, predicted
//     sliced-ell       7.235 MB  3.8 times slower, predicted
//     padded-rows    167.400 MB  the longest row has 279 entries
//   gmres in format padded-rows: converged after 17 iterations
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include <ostinato/ostinato.hpp>

#include "padded_rows.hpp"

using ostinato::Host;
using MyFormats = ostinato::Formats<Host, double>::with<PaddedRows<Host, double>>;  // the line
using MyOperator = ostinato::BasicOperator<Host, double, MyFormats>;

// Prints how the formats that can hold a matrix rank, and what is said of padded-rows. True when padded-rows ranks
// before csr.
bool padded_before_csr(const Host& space, const char* family, const ostinato::Csr<double>& matrix) {
  const MyOperator A(space, matrix);
  const std::vector<ostinato::Candidate>& ranking = A.choice().candidates;
  std::printf("%s\n", family);
  for (const ostinato::Candidate& c : ranking) {
    if (!c.cost.applies() && c.name != "padded-rows") continue;
    std::printf("  %-12s %9.3f MB  %s\n", c.name.c_str(), static_cast<double>(c.cost.bytes) / 1e6, c.verdict.c_str());
  }
  const auto place = [&](const char* name) {
    return std::find_if(ranking.begin(), ranking.end(), [&](const auto& c) { return c.name == name; });
  };
  return place("padded-rows") < place("csr");
}

int main() {
  const Host space(1);  // one thread: the predicted times don't depend on the machine then
  const auto even = ostinato::generate<double>("random", {.n = 50000, .entries_per_row = 8});
  const auto uneven = ostinato::generate<double>("powerlaw", {.n = 50000});
  const bool ranked = padded_before_csr(space, "random", even) && !padded_before_csr(space, "powerlaw", uneven);

  // By its name, as with any other format; the solvers take it as they take Operator.
  const MyOperator A(space, even, {.format = "padded-rows"});
  const std::vector<double> b(static_cast<std::size_t>(A.rows()), 1.0);
  std::vector<double> x(b.size(), 0.0);
  const ostinato::SolveResult result = ostinato::gmres(space, A, b, x, ostinato::Jacobi(space, even));
  std::printf("%s in format %s: %s after %d iterations\n", result.solver.c_str(), A.format().c_str(),
              std::string(to_string(result.status)).c_str(), result.iterations);
  return ranked && result && A.format() == "padded-rows" ? 0 : 1;
}
