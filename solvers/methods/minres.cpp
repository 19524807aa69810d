// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/solvers/methods/minres_definition.hpp>

#include <ostinato/solvers/methods/instantiate.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato {

Reason Minres::breakdown(int cause, double, const std::string& when) {
  switch (cause) {
    case MinresScalars::indefinite_m:
      return {Cause::indefinite_m, "r . M^-1 r isn't positive " + when +
                                       ": the preconditioner isn't positive definite, and minres needs that"};
    case MinresScalars::no_gain:
      return {Cause::nearly_singular,
              "A r is as small as rounding " + when + ": A is singular or nearly so, and b isn't in its range"};
    default:
      return {Cause::stalled, "rounding adds as much to the residual as a step takes away " + when};
  }
}

OSTINATO_INSTANTIATE_METHOD(Minres);

}  // namespace ostinato
