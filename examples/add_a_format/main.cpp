// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
//
// Adds a user's format to the formats of the library. The user writes:
//
//   on the CPU    one file, padded_rows.hpp, and the marked line in main()
//   on GPUs       two files, padded_columns.hpp and its kernels padded_columns.cu, the marked line in on_cuda.cpp, and
//                 what CMake needs to compile the kernels: six lines of examples/CMakeLists.txt
//
// The format then takes part in the automatic selection, can be chosen by its name, and is timed by the tuner. A format
// of the library itself has the same header and kernels in a folder of spmv/formats/. It also needs a line DO(NAME) in
// spmv/formats/list.cpp and a file NAME.cpp with the line OSTINATO_DEFINE_ENTRY(NAME, CLASS). CMake finds the files;
// --help, `inspect`, tests and benchmarks follow the list.
//
//   $ build/release/examples/add_a_format
//   random: padded-rows ranks before csr
//   powerlaw: csr ranks before padded-rows, of which the ranking says: the longest row has 279 entries
//   gmres in format padded-rows: converged after 17 iterations
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include <ostinato/ostinato.hpp>
#include <ostinato/spmv/formats/list.hpp>

#include "on_cuda.hpp"
#include "padded_rows.hpp"

using ostinato::Host;
using Formats = ostinato::FormatList<Host, double>;

// The candidate of a format in a ranking. An earlier candidate is better.
auto place(const ostinato::Choice& choice, const char* name) {
  return std::find_if(choice.candidates.begin(), choice.candidates.end(),
                      [&](const auto& c) { return c.name == name; });
}

int main() {
  const Host space(1);  // one thread: the predicted times don't depend on the machine then
  const Formats formats = ostinato::format_list<Host, double>().with<PaddedRows<double>>();  // the marked line

  // padded-rows ranks before CSR when all rows have about the same length. It doesn't apply when a row is much longer.
  const auto even = ostinato::generate<double>("random", {.n = 50000, .entries_per_row = 8});
  const auto uneven = ostinato::generate<double>("powerlaw", {.n = 50000});
  const ostinato::Choice on_even = ostinato::Operator(ostinato::Analysis(space, even), {}, formats).choice();
  const ostinato::Choice on_uneven = ostinato::Operator(ostinato::Analysis(space, uneven), {}, formats).choice();
  const bool before = place(on_even, "padded-rows") < place(on_even, "csr");
  const bool behind = place(on_uneven, "csr") < place(on_uneven, "padded-rows");
  std::printf("random: padded-rows ranks %s csr\n", before ? "before" : "behind");
  std::printf("powerlaw: csr ranks %s padded-rows, of which the ranking says: %s\n", behind ? "before" : "behind",
              place(on_uneven, "padded-rows")->verdict.c_str());

  // The format chosen by its name, like any other format.
  const ostinato::Operator A(ostinato::Analysis(space, even), {.format = "padded-rows"}, formats);
  const std::vector<double> b(static_cast<std::size_t>(A.rows()), 1.0);
  std::vector<double> x(b.size(), 0.0);
  const ostinato::SolveResult result = ostinato::gmres(space, A, b, x, ostinato::Jacobi(space, even));
  std::printf("%s in format %s: %s after %d iterations\n", result.solver.c_str(), A.format().c_str(),
              in_words(result.status).c_str(), result.iterations);
  const bool solved = result && A.format() == "padded-rows";
  return before && behind && solved && show_on_cuda(even) ? 0 : 1;
}
