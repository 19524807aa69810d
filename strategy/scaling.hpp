// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <utility>

#include <ostinato/spmv/matrix/csr.hpp>
#include <ostinato/spmv/matrix/csr_pattern.hpp>
#include <ostinato/spmv/space/for_each_row.hpp>
#include <ostinato/spmv/space/parallel.hpp>
#include <ostinato/spmv/space/vector.hpp>
#include <ostinato/strategy/preparation_steps.hpp>

// The powers of two by which the rows and columns of a square matrix are scaled (PreparedMatrix).

namespace ostinato {

/// The exponents of the rows and columns with which a matrix is scaled.
template <class Space>
struct Exponents {
  Vector<Space, int> rows, columns;
};

/// Finds them. Where a space has some of the rows, `extend` makes of the exponents of its own rows or columns those of
/// all columns that a matrix refers to; elsewhere it returns what it gets. Maxima are all that is taken of several
/// entries: the exponents don't depend on how rows are shared.
///
/// Source    Ruiz, RAL-TR-2001-034, in powers of two.
template <class Space, class T>
class Scaling {
 public:
  /// `rows`: how many rows, and as many columns, are scaled on this space.
  Scaling(const Space& space, std::size_t rows) : space_(space), n_(rows), next_(space, rows) {}

  template <class Extend>
  Exponents<Space> of_symmetric(const CsrView<T>& a, Extend extend) {
    Vector<Space, int> both(space_, n_, 0);
    for (int k = 0; k < steps; ++k) step(a, both, extend(both), false);
    return {Vector<Space, int>(space_, both.download()), std::move(both)};
  }

  /// The rows end with a largest element of 1 to 2.
  template <class Extend, class ExtendTransposed>
  Exponents<Space> of_general(const CsrView<T>& a, Extend extend, const CsrView<T>& transposed,
                              ExtendTransposed extend_transposed) {
    Exponents<Space> e{Vector<Space, int>(space_, n_, 0), Vector<Space, int>(space_, n_, 0)};
    for (int k = 0; k < steps; ++k) {
      step(a, e.rows, extend(e.columns), false);
      step(transposed, e.columns, extend_transposed(e.rows), false);
    }
    step(a, e.rows, extend(e.columns), true);
    return e;
  }

 private:
  static constexpr int steps = 8;

  void step(const CsrView<T>& a, Vector<Space, int>& rows, const Vector<Space, int>& columns, bool in_full) {
    for_each_row(
        space_, n_, a.nonzeros(),
        detail::ScaleStep<T>{detail::pattern_of(a), a.val.data(), rows.data(), columns.data(), in_full, next_.data()});
    space_.copy(rows.data(), next_.data(), next_.bytes());
  }

  Space space_;
  std::size_t n_;
  Vector<Space, int> next_;
};

/// 2^exponents[i] and, unless it is null, 2^-exponents[i] in `inverse`.
template <class Space, class T>
Vector<Space, T> powers_of(const Space& space, const Vector<Space, int>& exponents, Vector<Space, T>* inverse) {
  Vector<Space, T> power(space, exponents.size());
  if (inverse != nullptr) *inverse = Vector<Space, T>(space, exponents.size());
  for_each(space, exponents.size(),
           detail::PowersOfTwo<T>{exponents.data(), power.data(), inverse == nullptr ? nullptr : inverse->data()});
  return power;
}

}  // namespace ostinato
