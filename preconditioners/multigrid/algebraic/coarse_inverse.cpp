// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/algebraic/coarse_inverse_definition.hpp>

#include <utility>

#include <ostinato/spmv/dense/dense_inverse.hpp>
#include <ostinato/spmv/space/list.hpp>

namespace ostinato::algebraic {

std::vector<double> coarse_inverse(const Csr<double>& a, double rounding) {
  const auto n = static_cast<std::size_t>(a.rows);
  std::vector<double> full(n * n);
  for (std::size_t i = 0; i < n; ++i) {
    for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k)
      full[i * n + static_cast<std::size_t>(a.col[k])] += a.val[k];
  }
  return pseudo_inverse(std::move(full), n, rounding);
}

OSTINATO_CLASS(CoarseInverse);

}  // namespace ostinato::algebraic
