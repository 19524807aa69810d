// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <ostinato/spmv/analysis/facts.hpp>
#include <ostinato/spmv/analysis/grid.hpp>
#include <ostinato/spmv/matrix/csr.hpp>
#include <ostinato/spmv/team/partition.hpp>

namespace ostinato::multigrid {

/// A matrix of constant coefficients on a grid, of which each rank has some rows.
struct ConstantGrid {
  Grid grid = {};                  ///< none where the matrix isn't such a one; dominant isn't set
  std::vector<double> table = {};  ///< as that of StencilOperator: 27 classes of 27 coefficients
};

/// Finds the grid, which has one unknown a point and no periodic axis (find_grid()).
/// Traffic   Reads the matrix once for each grid that the offsets of its diagonals allow.
/// Exec      Collective.
template <class T>
ConstantGrid find_constant_grid(const Team& team, const Facts& facts, const Partition& rows, const CsrView<T>& mine);

}  // namespace ostinato::multigrid
