// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace ostinato {

/// A symmetric tridiagonal matrix and the element beside its last one, as the Lanczos method makes them.
struct Tridiagonal {
  std::vector<double> diagonal;
  std::vector<double> beside;  ///< as many as diagonal; the last one couples with what isn't there
};

/// The eigenvalue with number k, from the smallest (0) on, within some 1e-16 of the largest in size, or within the
/// share `relative` of itself, which is less than 1, in fewer steps.
///
/// Requires  k < diagonal.size(); finite elements.
/// Source    Barth, Martin & Wilkinson, Numer. Math. 9 (1967) 386: bisection by Sturm's sequence.
double eigenvalue(const Tridiagonal& t, std::size_t k, double relative = 0);

/// The number of eigenvalues below x, but for those within rounding of x.
std::size_t eigenvalues_below(const Tridiagonal& t, double x);

}  // namespace ostinato
