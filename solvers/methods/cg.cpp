// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/solvers/methods/cg_definition.hpp>

#include <ostinato/solvers/methods/instantiate.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato {

Reason Cg::breakdown(int cause, double number, const std::string& when) {
  if (cause == Curvature::of_m) {
    const char* const wanted = number < 0 ? "positive definite" : number > 0 ? "negative definite" : "definite";
    return {Cause::indefinite_m,
            "r . M^-1 r = " + short_text(number) + " " + when + ": the preconditioner isn't " + wanted};
  }
  const char* const wanted = number > 0 ? "negative definite" : "positive definite";
  return {Cause::not_definite, "p . A p = " + short_text(number) + " " + when + ": A isn't " + wanted};
}

OSTINATO_INSTANTIATE_METHOD(Cg);
OSTINATO_INSTANTIATE_COMPLEX_METHOD(Cg);

}  // namespace ostinato
