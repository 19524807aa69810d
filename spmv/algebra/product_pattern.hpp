// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The phases of MatrixProduct on Cuda.

#include <span>

#include <ostinato/spmv/algebra/product.hpp>
#include <ostinato/spmv/matrix/csr_pattern.hpp>
#include <ostinato/spmv/space/vector.hpp>

namespace ostinato {

class Cuda;

namespace detail {

/// The pattern of A B, whose second factor has `cols` columns. `entries`: of A. Fills row_ptr, of a.rows + 1 elements,
/// and makes col. Waits.
Vector<Cuda, Index> product_pattern(const Cuda& space, const CsrPattern& a, Offset entries, const CsrPattern& b,
                                    Index cols, const ProductTerms& terms, std::span<Offset> row_ptr);

/// Counts the terms of A B. `entries`: of A. Waits.
ProductTerms product_terms(const Cuda& space, const CsrPattern& a, Offset entries, const CsrPattern& b);

/// The values of C = A B. `a_entries`, `b_entries` and `c_entries` are the numbers of entries of A, B and C.
template <class T>
void product_values(const Cuda& space, const CsrPattern& a, const T* a_val, Offset a_entries, const CsrPattern& b,
                    const T* b_val, Offset b_entries, const CsrPattern& c, Offset c_entries, T* c_val);

}  // namespace detail

}  // namespace ostinato
