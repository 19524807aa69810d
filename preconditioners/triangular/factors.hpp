// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <new>
#include <vector>

#include <ostinato/preconditioners/contract/memory_budget.hpp>
#include <ostinato/spmv/base/stop.hpp>
#include <ostinato/spmv/matrix/csr.hpp>

namespace ostinato {

/// Triangular factors in host memory: L U = A Q, or nearly. L has ones on its diagonal, which aren't stored.
struct Factors {
  Csr<double> lower;          ///< strictly lower triangle, columns ascending
  Csr<double> upper;          ///< strictly upper triangle, columns ascending
  std::vector<double> pivot;  ///< the diagonal of U
  std::vector<Index> col;     ///< the column of A at each place; empty when columns stay in place
  double shift = 0;           ///< A + shift diag(A) was factored, because A itself could not be
  Index boosted = 0;          ///< pivots that were 0 or nearly so, and were raised or replaced
  Index null_pivots = 0;      ///< of them, those that were 0 but for rounding

  Offset nonzeros() const { return lower.nonzeros() + upper.nonzeros() + static_cast<Offset>(pivot.size()); }
};

/// Sorts the entries of each row by columns.
void sort_rows(Csr<double>& a);

/// What factors may take, and how their set-up says what they are going to take. Entries count as in
/// Factors::nonzeros(); of L D L^T in a library, those of one triangle.
struct FactorMemory {
  Offset most_entries = std::numeric_limits<Offset>::max();
  std::function<void(Offset entries, Certainty certainty)> announce = [](Offset, Certainty) {};
};

/// What Stopped says of factors that are being made.
inline constexpr const char* factoring_stopped = "the factorisation was stopped";

/// Throws    Stopped once `stop` is made.
inline void end_factoring_on(const StopRequest& stop) {
  if (stop.is_made()) throw Stopped(factoring_stopped);
}

/// The factors would take more entries than they may.
class TooManyEntries : public std::bad_alloc {
 public:
  const char* what() const noexcept override { return "the triangular factors take too many entries"; }
};

}  // namespace ostinato
