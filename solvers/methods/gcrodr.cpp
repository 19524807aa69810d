// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/solvers/methods/gcrodr_definition.hpp>

#include <ostinato/solvers/methods/instantiate.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato {

Reason Gcrodr::breakdown(int cause, double number, const std::string& when) {
  return Gmres::breakdown(cause, number, when);
}

OSTINATO_INSTANTIATE_METHOD(Gcrodr);

}  // namespace ostinato
