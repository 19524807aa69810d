// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/dense/least_squares.hpp>

#include <ostinato/spmv/base/error.hpp>

namespace ostinato {

bool has_dense_least_squares() { return false; }

DenseSolution dense_least_squares(int, int, std::vector<double>, std::vector<double>, double) {
  throw ArgumentError("dense least squares: the library was built without LAPACK");
}

}  // namespace ostinato
