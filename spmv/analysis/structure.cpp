// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include <ostinato/spmv/analysis/structure_steps.hpp>
#include <ostinato/spmv/matrix/assemble.hpp>
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato {

double Structure::deviation_without_longest_row() const {
  if (rows == 0) return 0;
  const double beyond = longest_row - mean_row;
  return std::sqrt(std::max(0.0, row_deviation * row_deviation - beyond * beyond / rows));
}

template <class T>
Structure analyse(const Host& space, const CsrView<T>& a, AnalysisDepth depth) {
  return detail::analyse_on(space, a, depth);
}

namespace {

using detail::Findings;

/// Looks at the values of some rows. The loop is that of InspectEntries without what depends on the pattern alone.
template <class T>
class ValuesOfRows : detail::CsrPattern {
 public:
  ValuesOfRows(const CsrView<T>& a, bool mirrors)
      : CsrPattern(detail::pattern_of(a)), val_(a.val.data()), mirrors_(mirrors) {
    const Offset at = position(0, 0);
    if (at >= 0) first_ = val_[at];
  }

  Findings operator()(detail::RowRun run) const {
    Findings found{};
    for (Index i = run.first; i < run.last; ++i) {
      double total = 0;
      for (Offset k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
        const T v = val_[k];
        total += std::fabs(static_cast<double>(v));
        if (col[k] == i) {
          add_diagonal(v, found);
        } else if (mirrors_ && col[k] > i && found.asymmetric_values == 0) {
          found.asymmetric_values = !(val_[mirror(i, k)] == v);
        }
      }
      if (!(total - total == 0) && !std::all_of(val_ + row_ptr[i], val_ + row_ptr[i + 1], is_finite))
        found.not_finite = 1;
      detail::RowNorm<Atomic<Host>, T>{row_ptr, val_, &found}.raise(total);
    }
    return found;
  }

 private:
  static bool is_finite(T v) { return v - v == T{0}; }

  void add_diagonal(T v, Findings& found) const {
    found.entries[0] += v != T{0};
    found.nonpositive_diagonal |= !(v > T{0});
    found.nonnegative_diagonal |= !(v < T{0});
    found.varying_diagonal |= !(v == first_);
  }

  /// The position of the mirror of entry k of row i, which exists; see InspectEntries::mirror().
  Offset mirror(Index i, Offset k) const {
    const Index j = col[k];
    const Offset guess = row_ptr[j + 1] - 1 - (k - row_ptr[i]);
    return guess >= row_ptr[j] && col[guess] == i ? guess : first_from(j, i);
  }

  Offset position(Index i, Index j) const {
    const Offset at = first_from(i, j);
    return at < row_ptr[i + 1] && col[at] == j ? at : -1;
  }

  const T* val_;
  bool mirrors_;
  T first_ = 0;  ///< the first entry of the main diagonal, with which the others are compared
};

void add(const Findings& some, Findings& all) {
  all.entries[0] += some.entries[0];
  all.nonpositive_diagonal |= some.nonpositive_diagonal;
  all.nonnegative_diagonal |= some.nonnegative_diagonal;
  all.varying_diagonal |= some.varying_diagonal;
  all.asymmetric_values |= some.asymmetric_values;
  all.not_finite |= some.not_finite;
  all.norm_bits = std::max(all.norm_bits, some.norm_bits);
}

}  // namespace

template <class T>
void analyse_values(const Host& space, const CsrView<T>& a, Structure& s) {
  if (a.rows == 0 || a.cols == 0) {
    s.symmetric = s.pattern_symmetric;
    return;
  }
  const std::vector<detail::RowRun> runs = detail::cut_rows(a.rows);
  std::vector<Findings> found(runs.size());
  const ValuesOfRows<T> look(a, s.pattern_symmetric);
  detail::for_parts(space, runs.size(), a.rows + a.nonzeros(), [&](std::size_t k) { found[k] = look(runs[k]); });
  for (std::size_t k = 1; k < found.size(); ++k) add(found[k], found[0]);
  detail::take_new_values<T>(found[0], s);
}

#define OSTINATO_INSTANTIATE(T)                                              \
  template Structure analyse(const Host&, const CsrView<T>&, AnalysisDepth); \
  template void analyse_values(const Host&, const CsrView<T>&, Structure&)
OSTINATO_FOR_VALUES(OSTINATO_INSTANTIATE);
#undef OSTINATO_INSTANTIATE

}  // namespace ostinato
