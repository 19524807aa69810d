// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include <ostinato/preconditioners/triangular/factors.hpp>
#include <ostinato/spmv/ordering/bandwidth.hpp>

namespace ostinato {

/// Whether the build has LAPACK, with which factor_band() factors.
extern const bool has_band_factors;

/// Factors a square band matrix completely, with partial pivoting: the columns of A change places, as by factor_ilut().
/// Nothing where the numbers leave the range of double.
///
/// Memory    While the factors are made, (lower + 2 upper + 1) doubles a row and some 12 bytes for each entry of them.
/// Exec      On the calling thread, or as the system's LAPACK does; not to be stopped.
/// Requires  Canonical rows, finite values, entries within `band`. A build with LAPACK (has_band_factors).
/// Source    Golub & Van Loan, Matrix Computations, 4th edition, section 4.3: dgbtrf of LAPACK, for A^T.
std::optional<Factors> factor_band(const CsrView<double>& a, const Bandwidth& band, double boost);

}  // namespace ostinato
