// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0

// What takes the place of LAPACK in builds without it.

#include <ostinato/preconditioners/ilu/band.hpp>

namespace ostinato {

const bool has_band_factors = false;

std::optional<Factors> factor_band(const CsrView<double>&, const Bandwidth&, double) { return {}; }

}  // namespace ostinato
