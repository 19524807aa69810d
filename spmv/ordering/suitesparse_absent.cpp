// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/ordering/minimum_degree.hpp>

namespace ostinato {

const bool has_minimum_degree = false;

namespace {

constexpr const char* absent = "minimum_degree: this build has no SuiteSparse; take another order";

}  // namespace

std::vector<Index> minimum_degree(const Graph&) { throw ArgumentError(absent); }

RowOrder minimum_degree_of_rows(std::span<const Offset>, std::span<const Index>) { throw ArgumentError(absent); }

}  // namespace ostinato
