// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/ilu/library_factors.hpp>

#include <ostinato/preconditioners/ilu/lu_order.hpp>
#include <ostinato/spmv/ordering/bandwidth.hpp>

namespace ostinato {

bool LibraryFactors::suits(Index rows, Offset nonzeros) {
  constexpr Index fewest_rows = 400;
  constexpr double fewest_entries_a_row = 4.9;
  return rows >= fewest_rows && static_cast<double>(nonzeros) >= fewest_entries_a_row * rows && !multifrontal().empty();
}

std::optional<LibraryFactors> LibraryFactors::make(const CsrView<double>& a, const Options& options,
                                                   const FactorMemory& memory, const StopRequest& stop) {
  constexpr double seconds_a_row = 1e-6;
  if (a.rows == 0) return {};
  if (!options.takes_bands && band_seconds(a.rows, bandwidth_of(a.row_ptr, a.col)) <= seconds_a_row * a.rows) return {};
  std::unique_ptr<FactorsInLibrary> kept;
  if (suits(a.rows, a.nonzeros())) kept = detail::factor_by_mumps(a, options, memory, stop);
  if (kept == nullptr && options.kind != Options::Kind::definite) kept = detail::factor_by_klu(a, options, memory);
  if (kept == nullptr) return {};
  return LibraryFactors(std::move(kept));
}

}  // namespace ostinato
