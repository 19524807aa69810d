// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/ilu/cholesky.hpp>

#include <ostinato/spmv/base/error.hpp>

namespace ostinato::detail {

void announce_cholesky(Offset below, Index rows, const FactorMemory& memory) {
  const Offset entries = 2 * below + rows;
  const bool too_many = entries > memory.most_entries;
  memory.announce(entries, too_many ? Certainty::at_least : Certainty::close);
  if (too_many) throw TooManyEntries();
}

void throw_not_definite() {
  throw NotDefinite("cholesky: a pivot isn't positive, so that the matrix isn't positive definite; take lu");
}

}  // namespace ostinato::detail
