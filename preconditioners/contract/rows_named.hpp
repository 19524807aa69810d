// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ostinato {

/// What the options of a preconditioner refer to by the numbers of the rows.
enum class RowsNamed {
  none,    ///< nothing: rows may get other numbers
  order,   ///< the order of the rows, or blocks of neighbours
  points,  ///< points, whose unknowns follow each other
};

}  // namespace ostinato
