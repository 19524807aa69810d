// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/solvers/methods/lsmr_definition.hpp>

#include <ostinato/solvers/methods/instantiate.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato {

std::string Lsmr::least_squares_text(bool is_complete) {
  const std::string smallest =
      "each column of A is at right angles to b - A x within rtol: x makes ||b - A x|| smallest";
  return is_complete ? smallest : smallest + ", for a matrix whose columns are within rtol of those of A";
}

std::string Lsmr::breakdown_text(int cause, double, const std::string& when) {
  if (cause == LsmrScalars::indefinite) return "the preconditioner isn't positive definite, " + when;
  return "the recurrence would have divided by 0 " + when;
}

OSTINATO_INSTANTIATE_METHOD(Lsmr);

}  // namespace ostinato
