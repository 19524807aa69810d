// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0

// What takes the place of MUMPS in builds without it.

#include <ostinato/preconditioners/ilu/library_factors.hpp>

namespace ostinato {

std::string LibraryFactors::multifrontal() { return {}; }

std::unique_ptr<FactorsInLibrary> detail::factor_by_mumps(const CsrView<double>&, const LibraryFactorOptions&,
                                                          const FactorMemory&, const StopRequest&) {
  return nullptr;
}

}  // namespace ostinato
