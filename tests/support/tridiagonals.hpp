// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include <ostinato/spmv/dense/tridiagonal.hpp>

namespace ostinato::test {

/// The matrix of a Lanczos process whose eigenvalues are spread as those of a line of points: 4 to (pi / size)^2.
inline Tridiagonal line(std::size_t size) { return {std::vector<double>(size, 2.0), std::vector<double>(size, 1.0)}; }

}  // namespace ostinato::test
