// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include <ostinato/solvers/methods/gmres.hpp>
#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/units.hpp>

namespace ostinato {

/// Refuses vectors that the caller asks for and that take more than the limit of memory, where that isn't 0, or, with
/// their coefficients, than is free. `what` begins the message, "gmres: a basis of 3000 vectors"; `lower` names what to
/// lower, "restart".
/// Throws    MemoryLimitError.
template <class Space>
void require_room(const Space& space, double vectors, double coefficients, std::size_t limit, const std::string& what,
                  const std::string& lower) {
  if (limit > 0 && vectors > static_cast<double>(limit))
    throw MemoryLimitError(what + " takes " + bytes_text(vectors) + ", and the limit of memory leaves " +
                           bytes_text(static_cast<double>(limit)) + "; lower " + lower + ", or raise the limit");
  if (!is_free(space, vectors + coefficients))
    throw MemoryLimitError(what + " takes " + bytes_text(vectors + coefficients) + ", and " +
                           bytes_text(static_cast<double>(space.free_bytes())) + " are free; lower " + lower);
}

}  // namespace ostinato
