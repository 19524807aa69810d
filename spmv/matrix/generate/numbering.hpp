// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <ostinato/spmv/matrix/csr.hpp>

namespace ostinato::generate_detail {

/// The rows of a matrix in a random order, for renumber(). Rows `block` i to `block` (i + 1) - 1 are node i and stay
/// together; all orders of the nodes are about equally likely.
/// Requires  block >= 1 divides rows.
/// Source    Durstenfeld, Algorithm 235, Comm. ACM 7 (1964) 420.
Array<Index> random_order(Index rows, std::uint64_t seed, int block = 1);

}  // namespace ostinato::generate_detail
