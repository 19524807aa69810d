// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/spmv/matrix/space_csr.hpp>

namespace ostinato {

/// Which entries filter() leaves out.
struct FilterOptions {
  /// Entries whose magnitude is less than this multiple of the largest magnitude off the diagonal of their row are left
  /// out; with 0 only zeros are. Entries on the diagonal and NaN stay.
  double tolerance = 0;

  /// The entries that are left out are added to the diagonal entry of their row, in their order, so that the sums of
  /// the rows stay what they were but for rounding. A row without a diagonal entry keeps all its entries.
  bool lump = false;
};

/// A without its small entries.
///
/// Shapes    A and the result: m x n.
/// Traffic   Reads A three times.
/// Exec      Waits on Cuda. The same bits on every run, with any number of threads, on either space. On Cuda a thread
///           filters a row: a long row takes some 20 ns an entry.
/// Throws    ArgumentError for a tolerance that is negative or NaN; DeviceError; std::bad_alloc.
template <class Space, class T>
SpaceCsr<Space, T> filter(const Space& space, const SpaceCsr<Space, T>& a, const FilterOptions& options);

}  // namespace ostinato
