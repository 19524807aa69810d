// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/solvers/methods/gmres_definition.hpp>

#include <ostinato/solvers/methods/instantiate.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato {

Reason Gmres::breakdown(int cause, double, const std::string& when) {
  const char* const other = cause == gmres_loop::singular_a ? "" : "or the preconditioner ";
  return {Cause::nearly_singular,
          "the Krylov space is complete " + when + " and holds no solution: A " + other + "is singular or nearly so"};
}

OSTINATO_INSTANTIATE_METHOD(Gmres);
OSTINATO_INSTANTIATE_COMPLEX_METHOD(Gmres);

}  // namespace ostinato
