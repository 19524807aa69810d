// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/solvers/methods/lsmr_definition.hpp>

#include <ostinato/solvers/methods/instantiate.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato {

Reason Lsmr::least_squares(bool is_complete) {
  const std::string smallest =
      "each column of A is at right angles to b - A x within rtol: x makes ||b - A x|| smallest";
  const char* const limits = is_complete ? "" : ", for a matrix whose columns are within rtol of those of A";
  return {Cause::smallest_residual, smallest + limits};
}

Reason Lsmr::breakdown(int cause, double, const std::string& when) {
  if (cause == LsmrScalars::indefinite)
    return {Cause::indefinite_m, "the preconditioner isn't positive definite, " + when};
  return {Cause::division_by_zero, "the recurrence would have divided by 0 " + when};
}

OSTINATO_INSTANTIATE_METHOD(Lsmr);

}  // namespace ostinato
