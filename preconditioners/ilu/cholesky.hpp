// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/preconditioners/triangular/factors.hpp>
#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/stop.hpp>

namespace ostinato {

/// The library with which factor_cholesky() factors: "CHOLMOD" where the build has it, otherwise empty.
extern const char* const cholesky_library;

/// Factors a symmetric positive definite matrix completely: A = L D L^T, of which `upper` holds D L^T. Reads one
/// triangle. The order of the rows stays. CHOLMOD, where the build has it, takes a third to a sixth of the time of
/// factor_ic() without dropping, which does the same elsewhere (docs/performance.md).
///
/// Memory    While the factors are made, 28 bytes for each of their entries on one side of the diagonal.
/// Exec      On the calling thread.
/// Requires  Canonical rows, finite values, positive diagonal entries.
/// Throws    NotDefinite when the pivots aren't positive; TooManyEntries before the factors are made, when they would
///           have more entries than memory.most_entries; Stopped within a second after `stop` is made; std::bad_alloc.
/// Source    Chen, Davis, Hager & Rajamanickam, ACM Trans. Math. Softw. 35 (2008) article 22: CHOLMOD.
Factors factor_cholesky(const CsrView<double>& a, const FactorMemory& memory, const StopRequest& stop = {});

/// Reports a matrix that isn't positive definite, up to rounding.
class NotDefinite : public ArgumentError {
 public:
  using ArgumentError::ArgumentError;
};

namespace detail {

/// Announces the entries of complete factors whose L has so many beside its diagonal. Throws as factor_cholesky().
void announce_cholesky(Offset below, Index rows, const FactorMemory& memory);

[[noreturn]] void throw_not_definite();

}  // namespace detail

}  // namespace ostinato
