// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <ostinato/spmv/formats/bccoo/bccoo_view.hpp>
#include <ostinato/spmv/formats/contract/product.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/scratch.hpp>
#include <ostinato/spmv/space/vector.hpp>

namespace ostinato {

class Host;

namespace formats {

namespace detail {
struct BlockOrder;
}

/// A matrix in BCCOO form. With slices, the vertical slices are stacked, and a second kernel adds up their sums.
///
/// Exec      The constructor runs where the matrix is, in parallel over entries, so that no thread's work depends on
///           the length of a row. Temporarily allocates 8 bytes per entry (with blocks larger than 1 x 1) and 4 bytes
///           per block. Waits for some counts.
template <class Space, class T>
class BccooStore {
 public:
  /// `different` lists one entry for each different value and is needed for coded values. Values are stored whole when
  /// a code can't distinguish all of them.
  BccooStore(const Space& space, const CsrView<T>& a, const BccooShape& shape, BccooValues values = BccooValues::whole,
             std::span<const Offset> different = {});

  void apply(const Product<T>& p) const;

  BccooView<T> view() const;
  std::size_t bytes() const;

 private:
  void list_values(const CsrView<T>& a, std::span<const Offset> different);
  void number_blocks(const CsrView<T>& a);
  template <class Stored>
  void place_entries(const CsrView<T>& a, const detail::BlockOrder& order);
  void choose_hot(const CsrView<T>& a);
  void mark_rows(const Vector<Space, Offset>& start);
  void store_columns();
  template <class Stored>
  void store_whole_columns();
  template <class Narrow>
  void store_differences(Offset escapes);

  std::size_t threads() const { return static_cast<std::size_t>(groups_) * static_cast<std::size_t>(shape_.threads); }
  std::size_t slots() const { return threads() * static_cast<std::size_t>(shape_.tile); }
  std::size_t block_rows() const {
    return static_cast<std::size_t>(shape_.slices) * static_cast<std::size_t>(rows_of_blocks_);
  }

  Space space_;
  BccooShape shape_;
  Index rows_, cols_, rows_of_blocks_;
  Offset blocks_ = 0;
  Index groups_ = 0, results_ = 0;
  BccooColumns columns_ = BccooColumns::full;
  BccooValues values_;
  Vector<Space, std::uint32_t> bits_;
  Vector<Space, Index> first_, base_, escape_, escapes_, row_of_, empty_, hot_columns_, begin_, span_;
  Vector<Space, std::byte> col_, val_;
  Vector<Space, T> table_, part_;
  Scratch<Space, T> slice_sums_;
  Vector<Space, unsigned> arrived_;
  Vector<Space, Index> block_col_, renumbered_;  ///< temporary arrays of the constructor
};

/// y = alpha A x + beta z of a view without slices. Enqueued.
template <class T>
void bccoo_apply(const Host& space, const BccooView<T>& a, const Product<T>& p);
template <class T>
void bccoo_apply(const Cuda& space, const BccooView<T>& a, const Product<T>& p);

}  // namespace formats
}  // namespace ostinato
