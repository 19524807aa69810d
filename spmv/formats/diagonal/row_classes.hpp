// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <ostinato/spmv/analysis/diagonals.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/formats/contract/product.hpp>
#include <ostinato/spmv/formats/diagonal/class_table.hpp>
#include <ostinato/spmv/matrix/csr.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>
#include <ostinato/spmv/space/together.hpp>
#include <ostinato/spmv/space/vector.hpp>

namespace ostinato::formats {

namespace detail {

/// A run of rows of one class within a block of rows. Rows that a later run claims belong to that run, so a few odd
/// rows don't cut a run of equal rows in two.
struct ClassRun {
  std::uint16_t begin;  ///< row within the block
  std::uint16_t end;
  std::uint16_t row_class;

  static constexpr int most_odd_rows = 8;    ///< most consecutive odd rows in a run
  static constexpr int shortest_cover = 32;  ///< fewest rows of a run with odd rows

  int rows() const { return end - begin; }
};

using ClassRuns = std::vector<ClassRun>;

/// One entry of each row of a class.
template <class T>
struct ClassTerm {
  Index offset;
  T value;
};

}  // namespace detail

/// Row classes on Host.
///
/// Layout    Blocks of rows, each a list of runs of rows of the same class. A class is the list of a row's offsets and
///           values.
/// Traffic   Little more than sizeof(T) (rows + cols) bytes for x and y, if x is read once.
/// Exec      In parallel over blocks of rows, in SIMD lanes over the rows of a run.
template <class T>
class RowClasses<Host, T> {
 public:
  /// make() returns nothing when the runs have less than this many rows on average.
  static constexpr std::size_t rows_of_a_run = 16;

  static std::optional<RowClasses> make(const Host& space, const CsrView<T>& a, const DiagonalCensus& census);

  void apply(const Product<T>& p) const;
  /// The product and *slot = w . y; w may be y. V is T, or float: a mixed product.
  template <class V>
  void apply_dot(const Product<T, V>& p, const V* w, Slot<V> slot) const;
  bool update_values(const CsrView<T>& a);
  std::size_t bytes() const;

 private:
  RowClasses(const Host& space, const DiagonalCensus& census);

  bool find_runs(const CsrView<T>& a);
  bool take_values(const CsrView<T>& a);
  bool rows_are_in_class(const CsrView<T>& a) const;

  Host space_;
  Index rows_;
  std::vector<Index> class_rows_;
  std::vector<detail::ClassRuns> blocks_;
  std::vector<std::size_t> first_term_;  ///< first term of each class, and the end
  std::vector<detail::ClassTerm<T>> terms_;
};

/// What the kernels see of RowClasses<Cuda, T>. The pointers are to device memory; `table` is in host memory.
template <class T>
struct ClassView {
  const std::uint16_t* tiles;
  const std::uint64_t* patterns;
  const T* values;
  const ClassTable<T>* table;  ///< on the host
  bool simple;                 ///< every row equals a row of class 0, perhaps without some entries
};

/// The classes of rows on Cuda, without values: matrices whose rows are the same but for a factor share them.
struct ClassTiles {
  Cuda space;
  Vector<Cuda, Index> class_rows, offsets;
  Vector<Cuda, std::uint16_t> tiles = {};
  Vector<Cuda, std::uint64_t> patterns = {};

  std::size_t bytes() const { return class_rows.bytes() + offsets.bytes() + tiles.bytes() + patterns.bytes(); }
};

/// Row classes on Cuda.
///
/// Layout    A tile has 32 rows, the rows of a warp. tiles[i / 32] is the number of the tile's pattern; there are few
///           different patterns. patterns[32 t + l] is the word of lane l in pattern t: the class in the top byte, and
///           below it a bit for each diagonal with an entry. Pattern 0 is a tile of 32 rows of class 0, whose values
///           are kernel parameters.
/// Traffic   rows / 16 bytes for A and sizeof(T) (rows + cols) bytes for x and y.
template <class T>
class RowClasses<Cuda, T> {
 public:
  static constexpr int tile = 32;

  static std::optional<RowClasses> make(const Cuda& space, const CsrView<T>& a, const DiagonalCensus& census);

  void apply(const Product<T>& p) const;
  /// The product and *slot = w . y; w may be y. V is T, or float: a mixed product.
  template <class V>
  void apply_dot(const Product<T, V>& p, const V* w, Slot<V> slot) const;
  bool update_values(const CsrView<T>& a);
  /// Of the GPU; the table is on the host, too.
  std::size_t bytes() const { return tiles_->bytes() + values_.bytes() + present_.bytes(); }

  const Cuda& space() const { return space_; }
  ClassView<T> view() const {
    return {tiles_->tiles.data(), tiles_->patterns.data(), values_.data(), &table_, simple_};
  }

 private:
  RowClasses(const Cuda& space, const DiagonalCensus& census);
  static std::optional<RowClasses> make_from(const Cuda& space, const ClassLayout& layout,
                                             const DiagonalCensus& census);
  void start_table(const CsrView<T>& a, const ClassTiles& tiles);
  std::vector<Copied> copies_of_table();
  bool find_patterns(const CsrView<T>& a, ClassTiles& made);

  Cuda space_;
  ClassTable<T> table_;
  bool simple_ = false;
  std::shared_ptr<const ClassTiles> tiles_;
  Vector<Cuda, T> values_;
  Vector<Cuda, std::uint64_t> present_;  ///< empty until values are read
};

}  // namespace ostinato::formats
