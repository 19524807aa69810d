// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The kernels of product.hpp that need no shared memory.

#include <cstddef>
#include <vector>

#include <ostinato/spmv/algebra/product.hpp>
#include <ostinato/spmv/matrix/csr_pattern.hpp>
#include <ostinato/spmv/space/for_each.hpp>
#include <ostinato/spmv/space/sums.hpp>

namespace ostinato::detail {

/// The number of terms of row i of A B.
OSTINATO_FUNCTION inline Offset terms_of_row(const CsrPattern& a, const CsrPattern& b, std::size_t i) {
  Offset count = 0;
  for (Offset k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) count += b.length(static_cast<std::size_t>(a.col[k]));
  return count;
}

/// terms[i] := number of terms of row i of A B.
struct CountTerms {
  CsrPattern a, b;
  Offset* terms;

  OSTINATO_FUNCTION void operator()(std::size_t i) const { terms[i] = terms_of_row(a, b, i); }
};

/// The terms of A B, and the rows with more terms than each of the limits.
using TermSums = Sums<1 + ProductTerms::limits>;

/// What a row with so many terms adds to the sums.
OSTINATO_FUNCTION inline TermSums sums_of_terms(Offset terms) {
  TermSums found{};
  found.v[0] = static_cast<double>(terms);
  for (int k = 0; k < ProductTerms::limits; ++k) found.v[1 + k] = terms > ProductTerms::limit(k) ? 1.0 : 0.0;
  return found;
}

inline ProductTerms terms_of_sums(const std::vector<double>& sums) {
  ProductTerms terms;
  terms.all = static_cast<Offset>(sums[0]);
  for (std::size_t k = 0; k < ProductTerms::limits; ++k) terms.above[k] = static_cast<Offset>(sums[1 + k]);
  return terms;
}

struct SumTerms {
  CsrPattern a, b;

  OSTINATO_FUNCTION TermSums operator()(std::size_t i) const { return sums_of_terms(terms_of_row(a, b, i)); }
};

/// lengths[i] := length of row i.
struct CopyLengths {
  const Offset* row_ptr;
  Offset* lengths;

  OSTINATO_FUNCTION void operator()(std::size_t i) const { lengths[i] = row_ptr[i + 1] - row_ptr[i]; }
};

}  // namespace ostinato::detail
