// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// How a group of lanes computes a row of an incomplete inverse, for isai.hpp. A lane is a thread of a GPU; the host
// runs groups of one lane, and tests groups whose lanes are threads. A group has
//   lane(), lanes()          this lane and the number of lanes
//   sync()                   waits for the other lanes, and shows what they have written
//   minus_product(a, b, c)   a - b c, where the product is rounded too, so that every space gives the same bits
// All lanes call the function below with the same arguments.

#include <ostinato/spmv/matrix/csr_pattern.hpp>

namespace ostinato::detail {

/// Row i of W solves w L(J, J) = e(i), where J are the columns of the row. L(J, J) is triangular, so that the elements
/// of w are known one after the other, from the last to the first. An element that has become known is subtracted,
/// times its row of L, from those before it. The lanes share the pairs of an entry of that row of L and an element of w
/// with the same column: they take either the entries or the elements, whichever are fewer, and look for each one's
/// partner. So a row may be of any length.
struct InverseRows {
  CsrPattern l;  ///< lower triangular, the last entry of each row on the diagonal
  const double* val;
  CsrPattern w;  ///< the same
  double* out;   ///< entries of w

  template <class Group>
  OSTINATO_FUNCTION void invert(const Group& group, std::size_t i) const {
    const Offset first = w.row_ptr[i], last = w.row_ptr[i + 1] - 1;
    for (Offset p = first + group.lane(); p <= last; p += group.lanes()) out[p] = p == last ? 1 : 0;
    group.sync();
    for (Offset q = last; q >= first; --q) {
      const auto row = static_cast<std::size_t>(w.col[q]);
      const Offset begin = l.row_ptr[row], diagonal = l.row_ptr[row + 1] - 1;
      const double known = out[q] / val[diagonal];
      group.sync();
      if (group.lane() == 0) out[q] = known;
      if (known != 0) subtract(group, known, begin, diagonal, first, q);
      group.sync();
    }
  }

 private:
  /// out[p] -= known L(row, w.col[p]) for p in first .. q - 1, with the entries begin .. end - 1 of that row.
  template <class Group>
  OSTINATO_FUNCTION void subtract(const Group& group, double known, Offset begin, Offset end, Offset first,
                                  Offset q) const {
    if (end - begin < q - first) {
      for (Offset k = begin + group.lane(); k < end; k += group.lanes()) {
        const Offset p = find(w.col, first, q, l.col[k]);
        if (p < q) out[p] = group.minus_product(out[p], known, val[k]);
      }
    } else {
      for (Offset p = first + group.lane(); p < q; p += group.lanes()) {
        const Offset k = find(l.col, begin, end, w.col[p]);
        if (k < end) out[p] = group.minus_product(out[p], known, val[k]);
      }
    }
  }

  /// The place of a column among ascending ones; `end` where it isn't there.
  OSTINATO_FUNCTION static Offset find(const Index* col, Offset begin, Offset end, Index column) {
    const Offset k = bisect(begin, end, [col, column](Offset e) { return col[e] >= column; });
    return k < end && col[k] == column ? k : end;
  }
};

}  // namespace ostinato::detail
