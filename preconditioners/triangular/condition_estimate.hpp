// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>

#include <ostinato/preconditioners/contract/condition.hpp>
#include <ostinato/preconditioners/triangular/factors.hpp>
#include <ostinato/preconditioners/triangular/preparation.hpp>
#include <ostinato/spmv/matrix/csr.hpp>

namespace ostinato {

/// The inverse of a matrix: v := A^-1 v, and v := A^-T v.
struct InverseMap {
  std::function<void(std::span<double> v)> apply, apply_transposed;
};

/// The condition number of A in the 1-norm, estimated from below by its inverse: mostly more than a third of it. Where
/// it is 1 / unit or more, and that of the scaled matrix is smaller, that one.
///
/// Exec      On the calling thread: at most six applications of the inverse, a third of them transposed; where it is
///           1 / unit or more, as many again.
/// Requires  Square A with finite values.
/// Source    Higham, ACM Trans. Math. Softw. 14 (1988) 381-396, after Hager. Scaling: Ruiz, RAL-TR-2001-034.
Condition estimate_condition(const CsrView<double>& a, const InverseMap& inverse, double unit);

/// The same by f, the complete factors of prepared(a, how). Nothing where pivots were raised, so that the factors are
/// those of another matrix.
Condition estimate_condition(const CsrView<double>& a, const Factors& f, const Preparation& how, double unit);

}  // namespace ostinato
