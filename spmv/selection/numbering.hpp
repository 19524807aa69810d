// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include <ostinato/spmv/analysis/structure.hpp>
#include <ostinato/spmv/cost/machine.hpp>

namespace ostinato {

/// Whether the rows of a system get new numbers before it is solved: those of breadth_first_order() on a CPU, of
/// cluster_order() on a GPU.
struct NumberingChoice {
  bool renumber = false;
  std::string reason;  ///< "neighbours are far from each other", or why the numbers stay
};

/// Chooses by predicted time: the expected products would take so much less time with neighbours near each other that
/// the order, the new matrix and its analysis are repaid. Numbers stay where rows come in blocks, which the order might
/// take apart, where the diagonal isn't complete or values aren't finite, which messages name by row, and where the
/// pattern isn't symmetric.
///
/// Costs     55 ns an entry for order, matrix and analysis: 46 to 92 on two cores of an EPYC, 2026-11, with 262,144
///           to 1,048,576 rows numbered at random (bench/numbering.cpp). There a product of csr takes 1.5 to 2.3 times
///           the time that it takes in the new order, on a mesh 1.05 times. On a GPU 0.3 ns an entry (1.0 ms for
///           poisson3d:64, 28 for :256; H200, 2026-11, bench/multigrid.cpp with renumber=on), 4 ns a row for order
///           and vectors on the host, and 5 ms of the 10 to 20 that kernels take which a program uses for the first
///           time; later phases use some of them, too.
NumberingChoice choose_numbering(const Structure& s, const Machine& machine, std::size_t value_bytes,
                                 double expected_products);

/// Whether new numbers have brought what they were chosen for.
bool is_better_numbered(const Structure& now, const Structure& before);

}  // namespace ostinato
