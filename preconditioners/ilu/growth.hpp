// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include <ostinato/preconditioners/triangular/factors.hpp>

namespace ostinato {

/// Pivots below this share of the largest value in their row are tiny: what they divide grows as much, and what several
/// of them divide leaves the range of the numbers.
inline constexpr double tiny_pivot = 1e-8;

/// Refuses factors of a matrix, in the order in which it was factored, with whose inverse vectors leave the range in
/// which they are computed: a fixed random vector is tried. `advice` says what to take instead.
///
/// Exec      On the calling thread: a pass over the factors and one over the matrix.
/// Throws    ArgumentError that says how many pivots are tiny beside their rows, and names the first row of the
///           caller's matrix, `whole`, whose diagonal entry is.
void require_bounded_growth(std::string_view name, const Factors& f, const CsrView<double>& factored,
                            const CsrView<double>& whole, Index tiny, bool in_float, std::string_view advice);

/// The rows whose diagonal entry is tiny beside the others.
Index count_tiny_diagonal(const CsrView<double>& a);

}  // namespace ostinato
