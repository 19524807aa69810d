// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <ostinato/spmv/linear_operator.hpp>

namespace ostinato {

/// "A * ones = 0: ...; so b would have to add up to 0, but adds up to 3".
std::string no_solution_text(double sum);

/// Says why no x solves the system: A is symmetric, A * ones = 0 up to rounding, and b adds up to so much that no
/// residual is below `goal` ||b||. Empty when that isn't so, or isn't known: for an operator without facts(), or
/// without memory.
/// Exec      One product, some more where A * ones is small, in vectors of its own; waits.
template <class Space, class T>
std::string why_no_solution(const Space& space, const OperatorRef<Space, T>& a, In<T> b, double goal);

}  // namespace ostinato
