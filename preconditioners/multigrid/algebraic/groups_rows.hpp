// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The phases of collapse() (groups.hpp). On Cuda a row belongs to some lanes of a warp, so that these read and write
// neighbouring elements.

#include <cstddef>

#include <ostinato/preconditioners/multigrid/algebraic/groups_steps.hpp>

namespace ostinato {

class Cuda;

namespace algebraic {

/// Calls f for each of the rows. `terms`: of all rows. Enqueued on Cuda.
template <class Space, class T>
void collapse_rows(const Space& space, std::size_t rows, Offset, const CollapseRow<T>& f) {
  for_each(space, rows, f);
}
template <class T>
void collapse_rows(const Cuda& space, std::size_t rows, Offset terms, const CollapseRow<T>& f);

/// Calls f for each of the rows. `entries`: of all rows. Enqueued on Cuda.
template <class Space, class T>
void move_rows(const Space& space, std::size_t rows, Offset, const MoveRow<T>& f) {
  for_each(space, rows, f);
}
template <class T>
void move_rows(const Cuda& space, std::size_t rows, Offset entries, const MoveRow<T>& f);

}  // namespace algebraic

}  // namespace ostinato
