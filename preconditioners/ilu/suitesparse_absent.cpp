// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0

// What takes the place of SuiteSparse in builds without it.

#include <limits>

#include <ostinato/preconditioners/ilu/cholesky.hpp>
#include <ostinato/preconditioners/ilu/complete_entries.hpp>
#include <ostinato/preconditioners/ilu/ic.hpp>
#include <ostinato/preconditioners/ilu/library_factors.hpp>

namespace ostinato {

const char* const cholesky_library = "";
const bool has_klu = false;

Factors factor_cholesky(const CsrView<double>& a, const FactorMemory& memory, const StopRequest& stop) {
  const Offset predicted = count_complete_entries(a, memory.most_entries, stop).count;
  detail::announce_cholesky((predicted - a.rows) / 2, a.rows, memory);
  const IcOptions complete{.fill = true, .drop = 0, .most_fill = std::numeric_limits<double>::infinity()};
  std::optional<Factors> f = factor_ic_unshifted(a, complete, memory.most_entries, stop);
  if (!f) detail::throw_not_definite();
  return *std::move(f);
}

std::unique_ptr<FactorsInLibrary> detail::factor_by_klu(const CsrView<double>&, const LibraryFactorOptions&,
                                                        const FactorMemory&) {
  return nullptr;
}

}  // namespace ostinato
