// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>

#include <ostinato/spmv/base/function.hpp>
#include <ostinato/spmv/base/stop.hpp>
#include <ostinato/spmv/matrix/space_csr.hpp>

namespace ostinato {

/// The terms of a product A B, which no product has more entries than.
struct ProductTerms {
  static constexpr int limits = 5;
  /// Columns in the tables of the kernels: 48, 96, 192, 384, 3072.
  OSTINATO_FUNCTION static constexpr Offset limit(int k) { return k < 4 ? Offset{48} << k : Offset{3072}; }

  Offset all = 0;
  Offset above[limits] = {};  ///< rows with more terms than each limit

  /// The rows with more than `columns` terms, which is one of the limits.
  Offset rows_above(Offset columns) const {
    int k = 0;
    while (k + 1 < limits && limit(k) < columns) ++k;
    return above[k];
  }
};

/// The product C = A B of two sparse matrices, as a plan that takes new values of A and B (update()).
///
/// C has an entry wherever a row of A meets a row of B, also where the terms cancel: the pattern of C depends on the
/// patterns of A and B alone. The terms of an entry are added in T, in the order of the row of A, from 0 on; where few
/// long rows of A wouldn't fill a GPU, in that of up to eight parts of the row, whose sums are added in their order.
///
/// Shapes    A: m x k, B: k x n, result(): m x n, with ascending columns.
/// Layout    The result. On Host, also an accumulator of n elements for each thread, or for fewer threads where these
///           accumulators would have more elements than there are terms.
/// Traffic   On Host, the constructor makes pattern and values in one pass over the terms, which takes the memory of
///           the entries twice; on Cuda, it counts the terms, finds the pattern in two passes and then the values,
///           as update(). A term is a value of A times a value of B.
/// Exec      The constructor waits on Cuda. The same bits on every run and with any number of threads. Host and Cuda
///           find the same pattern; values may differ in their rounding.
/// Limits    On Cuda, a warp or a part of a warp adds up a row, which takes about as long as the loads of its terms one
///           after the other. Up to eight warps share a row where all rows of A are long and too few to fill the GPU,
///           and rows of B are long.
/// Throws    DimensionError that names both shapes; Stopped once `stop` is made, which the constructor looks at every
///           some million terms on Host, and between its passes on Cuda; DeviceError; std::bad_alloc.
/// Source    Gustavson, ACM Trans. Math. Softw. 4 (1978) 250. Cuda: Nagasaka, Nukada & Matsuoka, ICPP 2017, section III
///           (a hash table for each row, rows by their number of entries).
template <class Space, class T>
class MatrixProduct {
 public:
  MatrixProduct(const Space& space, const SpaceCsr<Space, T>& a, const SpaceCsr<Space, T>& b,
                const StopRequest& stop = {});
  /// The same with what count_terms() says, which the other constructor asks for itself where it needs that.
  MatrixProduct(const Space& space, const SpaceCsr<Space, T>& a, const SpaceCsr<Space, T>& b, const StopRequest& stop,
                const ProductTerms& terms);
  MatrixProduct(MatrixProduct&&) noexcept;
  MatrixProduct& operator=(MatrixProduct&&) noexcept;
  ~MatrixProduct();

  /// C. Copies share its arrays, so that update() changes the values of all copies.
  const SpaceCsr<Space, T>& result() const { return result_; }

  /// Computes the values for matrices with the patterns of A and B. On Host, one call at a time.
  ///
  /// Traffic   Reads A and the columns of C once, and a row of B for each entry of A; writes the values of C. Warps
  ///           that share a row of A each read the columns of C. Allocates nothing.
  /// Exec      Enqueued on Cuda.
  /// Requires  The patterns of A and B. Only shapes and numbers of entries are checked.
  /// Throws    DimensionError for other shapes or numbers of entries.
  void update(const SpaceCsr<Space, T>& a, const SpaceCsr<Space, T>& b);

  std::size_t bytes() const;  ///< of the result and of what update() works with

 private:
  MatrixProduct(const Space& space, const SpaceCsr<Space, T>& a, const SpaceCsr<Space, T>& b, const StopRequest& stop,
                const ProductTerms* terms);

  struct Work;  ///< what a space needs to compute the values

  Space space_;
  Index rows_, inner_, cols_;
  Offset a_nonzeros_, b_nonzeros_;
  std::shared_ptr<CsrStorage<Space, T>> arrays_;
  std::unique_ptr<Work> work_;
  SpaceCsr<Space, T> result_;
};

/// Counts the terms of A B.
///
/// Traffic   Reads the pattern of A, and two row pointers of B for each entry of A.
/// Exec      Waits.
/// Throws    DimensionError that names both shapes; DeviceError; std::bad_alloc.
template <class Space, class T>
ProductTerms count_terms(const Space& space, const SpaceCsr<Space, T>& a, const SpaceCsr<Space, T>& b);

/// A B without values: those of the result aren't set on Cuda, and may be missing. As MatrixProduct.
template <class Space, class T>
std::shared_ptr<const CsrStorage<Space, T>> pattern_of_product(const Space& space, const SpaceCsr<Space, T>& a,
                                                               const SpaceCsr<Space, T>& b, const StopRequest& stop,
                                                               const ProductTerms& terms);

/// C = A B in arrays of its own. As MatrixProduct.
template <class Space, class T>
SpaceCsr<Space, T> multiply(const Space& space, const SpaceCsr<Space, T>& a, const SpaceCsr<Space, T>& b,
                            const StopRequest& stop = {}) {
  return MatrixProduct<Space, T>(space, a, b, stop).result();
}

}  // namespace ostinato
