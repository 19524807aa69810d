// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <utility>

#include <ostinato/spmv/matrix/csr.hpp>

namespace ostinato {

// Proofs that a symmetric matrix is positive definite, or that x . A x has both signs. Each holds in exact arithmetic:
// what rounding might have caused proves nothing.

/// sign S A S, where S holds powers of two so that the diagonal is in [1, 4). It is definite where sign A is: nothing
/// is rounded but what leaves the range of the numbers.
///
/// Requires  Canonical rows, finite values; sign A has a positive diagonal.
Csr<double> balanced(const CsrView<double>& a, int sign);

/// Whether the size of each diagonal entry is at least the sum of the sizes beside it: then A is semidefinite. False,
/// too, where a sum has too many digits to be known exactly.
///
/// Requires  Canonical rows, finite values.
bool is_dominant_for_certain(const CsrView<double>& a);

/// Two rows with a(i, j)^2 > a(i, i) a(j, j), so that x . A x < 0 for an x in these rows alone.
///
/// Requires  As balanced() returns it.
std::optional<std::pair<Index, Index>> negative_minor(const CsrView<double>& a);

/// Whether x . A x < 0, whatever the rounding of the sum.
bool is_negative_at(const CsrView<double>& a, std::span<const double> x);

/// What complete Cholesky factorisations say: of A - c diag(A), whose existence proves that A is positive definite, and
/// of A + c diag(A), whose failure proves that x . A x < 0 for some x. c is four times the rounding of a factorisation,
/// beside the diagonal.
enum class CholeskyProof { positive, negative, none, too_large };

/// Exec      On the calling thread, with up to `most_entries` entries in the factors.
/// Throws    std::bad_alloc.
/// Requires  As balanced() returns it, and no negative_minor(); an order of rows that keeps factors small.
/// Source    Rump, BIT 46 (2006) 433; Demmel, On floating point errors in Cholesky, LAPACK Working Note 14 (1989).
CholeskyProof prove_by_cholesky(const CsrView<double>& a, Offset most_entries);

}  // namespace ostinato
