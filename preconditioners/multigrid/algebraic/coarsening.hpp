// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <ostinato/spmv/matrix/csr.hpp>
#include <ostinato/spmv/matrix/csr_pattern.hpp>
#include <ostinato/spmv/space/vector.hpp>

namespace ostinato::algebraic {

/// Which rows of a matrix the coarse grid keeps.
template <class Space>
struct Coarsening {
  Vector<Space, std::uint8_t> strong;  ///< 1 for each strong entry of A, in the order of its entries
  Vector<Space, std::int32_t> split;   ///< coarse or fine (coarsening_steps.hpp), for each row
  Vector<Space, Offset>
      number;  ///< rows + 1: the number of each coarse row among the coarse rows; at the end their count
  Index coarse_rows = 0;
};

struct CoarseningOptions {
  double threshold = 0.25;   ///< an entry is strong above this part of the largest of its row
  double largest_sum = 0.9;  ///< a row whose sum is above this part of its diagonal has no strong entries
};

/// Chooses the coarse rows by PMIS: rows no two of which depend on each other, taken by the number of rows that depend
/// on them and a hash of their number; all rows that depend on a coarse row are fine. The same on every run and with
/// any number of threads, and on both spaces but for rows whose sum is within rounding of largest_sum times the
/// diagonal.
///
/// Exec      In parallel over rows in the memory of the space, some 5 to 10 rounds, each with a readback. Waits.
/// Requires  Canonical rows.
/// Source    De Sterck, Yang & Heys, SIAM J. Matrix Anal. Appl. 27 (2006) 1019 (PMIS); Ruge & Stueben 1987 (strength).
template <class Space, class T>
Coarsening<Space> coarsen(const Space& space, const CsrView<T>& a, const CoarseningOptions& options = {});

/// The same where each entry off the diagonal is strong, of a pattern with so many entries.
template <class Space>
Coarsening<Space> coarsen(const Space& space, const detail::CsrPattern& a, Offset entries);

/// Numbers the coarse rows of a splitting, for number and coarse_rows. Waits.
template <class Space>
void number_coarse(const Space& space, Coarsening<Space>& c);

}  // namespace ostinato::algebraic
