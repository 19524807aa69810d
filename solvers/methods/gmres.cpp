// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/solvers/methods/gmres_definition.hpp>

#include <ostinato/solvers/methods/instantiate.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato {

std::string Gmres::breakdown_text(int cause, double, const std::string& when) {
  return "the Krylov space is complete " + when + " and holds no solution: A " +
         (cause == gmres_loop::singular_a ? "" : "or the preconditioner ") + "is singular or nearly so";
}

OSTINATO_INSTANTIATE_METHOD(Gmres);
OSTINATO_INSTANTIATE_COMPLEX_METHOD(Gmres);

}  // namespace ostinato
