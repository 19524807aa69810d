// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <ostinato/spmv/matrix/csr.hpp>
#include <ostinato/spmv/space/host.hpp>

namespace ostinato::generate_detail {

/// The numbers 0 .. n - 1 in a random order: the old number at each place. All orders are about equally likely.
/// Source    Fisher & Yates; Durstenfeld, Algorithm 235, Comm. ACM 7 (1964) 420.
Array<Index> random_order(Index n, std::uint64_t seed);

/// The matrix with rows and columns in another order, which begins with node order[0]. Rows `block` i to
/// `block` (i + 1) - 1 are node i and stay together.
///
/// Layout    Rows of the result are sorted if those of `a` have no duplicates.
/// Exec      In parallel on the host.
/// Requires  `order` holds each number below a.rows / block once.
template <class T>
Csr<T> renumbered(const Host& host, const Csr<T>& a, const Array<Index>& order, int block = 1);

}  // namespace ostinato::generate_detail
