// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/preconditioners/contract/condition.hpp>
#include <ostinato/preconditioners/triangular/factors.hpp>
#include <ostinato/preconditioners/triangular/preparation.hpp>
#include <ostinato/spmv/matrix/csr.hpp>

namespace ostinato {

/// The condition number of A in the 1-norm, estimated from below by its complete factors: mostly more than a third of
/// it. Where it is 1 / unit or more, and that of the scaled matrix is smaller, that one. Nothing where pivots were
/// raised, so that the factors are those of another matrix.
///
/// Exec      On the calling thread: at most six solves with the factors, a third of them transposed; where it is
///           1 / unit or more, as many again.
/// Requires  Square A with finite values. f: complete factors of prepared(a, how).
/// Source    Higham, ACM Trans. Math. Softw. 14 (1988) 381-396, after Hager. Scaling: Ruiz, RAL-TR-2001-034.
Condition estimate_condition(const CsrView<double>& a, const Factors& f, const Preparation& how, double unit);

}  // namespace ostinato
