// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace ostinato {

/// Which polynomial p stands for what is left of an error. The preconditioner is M^-1 = (I - p(D^-1 A)) A^-1.
enum class ChebyshevKind {
  first,   ///< smallest on an interval away from 0: best for CG where the interval is right
  fourth,  ///< smallest for t p(t)^2 on 0 .. largest: needs no lower end, and leaves the small eigenvalues to CG
};

/// A step of the polynomial: direction = keep direction + add D^-1 residual, and z = z + direction.
struct ChebyshevCoefficients {
  double keep, add;
};

/// The steps of a polynomial in D^-1 A, whose eigenvalues are in smallest .. largest. `smallest` matters to the first
/// kind only. Between 0 and `largest` |p| < 1, so that M is positive definite when A is.
/// Source    Saad, Iterative Methods for Sparse Linear Systems, section 12.3; Lottes, arXiv:2202.08830.
inline std::vector<ChebyshevCoefficients> chebyshev_coefficients(ChebyshevKind kind, int degree, double smallest,
                                                                 double largest) {
  std::vector<ChebyshevCoefficients> steps;
  if (kind == ChebyshevKind::fourth) {
    for (int i = 1; i <= degree; ++i)
      steps.push_back({(2.0 * i - 3) / (2 * i + 1), (8.0 * i - 4) / ((2 * i + 1) * largest)});
    return steps;
  }
  const double centre = (largest + smallest) / 2, radius = (largest - smallest) / 2;
  double rho = radius / centre;
  steps.push_back({0, 1 / centre});
  for (int i = 2; i <= degree; ++i) {
    const double next = 1 / (2 * centre / radius - rho);
    steps.push_back({next * rho, 2 * next / radius});
    rho = next;
  }
  return steps;
}

}  // namespace ostinato
