// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <ostinato/spmv/matrix/csr.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>
#include <ostinato/spmv/analysis/diagonals.hpp>
#include <ostinato/spmv/formats/diagonal/class_table.hpp>
#include <ostinato/spmv/formats/product.hpp>
#include <ostinato/spmv/space/vector.hpp>

namespace ostinato::formats {

namespace detail {

/// Rows of a block that belong to one class, but for those that a later run claims: a few odd rows don't cut a run of
/// equal ones in two.
struct ClassRun {
  std::uint16_t begin;  ///< within the block
  std::uint16_t end;
  std::uint16_t row_class;

  static constexpr int most_odd_rows = 8;    ///< in a row, that a run may take along
  static constexpr int shortest_cover = 32;  ///< rows of a run that may

  int rows() const { return end - begin; }
};

using ClassRuns = std::vector<ClassRun>;

/// An entry of each row of a class.
template <class T>
struct ClassTerm {
  Index offset;
  T value;
};

}  // namespace detail

/// Layout    Blocks of rows, each a list of runs of rows of the same class. A class is the list of a row's offsets and
///           values.
/// Traffic   Hardly more than sizeof(T) (rows + cols) for x and y, if x is read once.
/// Exec      Over blocks of rows, in vector lanes where neighbours are of one class.
template <class T>
class RowClasses<Host, T> {
 public:
  /// Nothing when there is more than a run to so many rows.
  static constexpr std::size_t rows_of_a_run = 16;

  static std::optional<RowClasses> make(const Host& space, const CsrView<T>& a, const DiagonalCensus& census);

  void apply(const Product<T>& p) const;
  void apply_dot(const Product<T>& p, const T* w, double* slot) const;  ///< and *slot = w . y; w may be y
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
  std::vector<std::size_t> first_term_;  ///< by class, and the end of the last
  std::vector<detail::ClassTerm<T>> terms_;
};

/// What kernels see of RowClasses<Cuda, T>. Pointers are to device memory.
template <class T>
struct ClassView {
  const std::uint16_t* tiles;
  const std::uint64_t* patterns;
  const T* values;
  const ClassTable<T>* table;  ///< on the host
  bool simple;                 ///< every row is one of class 0, perhaps with entries missing
};

/// Layout    A tile is 32 rows, those of a warp. tiles[i / 32] names its pattern, of which there are few; pattern t
///           has for lane l the word patterns[32 t + l]: the class in the top byte, below it a bit for each diagonal
///           that is there. Pattern 0 is that of 32 rows of class 0, whose values are kernel parameters.
/// Traffic   rows / 16 bytes for A and sizeof(T) (rows + cols) for x and y.
template <class T>
class RowClasses<Cuda, T> {
 public:
  static constexpr int tile = 32;

  static std::optional<RowClasses> make(const Cuda& space, const CsrView<T>& a, const DiagonalCensus& census);

  void apply(const Product<T>& p) const;
  void apply_dot(const Product<T>& p, const T* w, double* slot) const;  ///< and *slot = w . y; w may be y
  bool update_values(const CsrView<T>& a);
  std::size_t bytes() const { return tiles_.bytes() + patterns_.bytes() + values_.bytes() + table_.bytes(); }

  const Cuda& space() const { return space_; }
  ClassView<T> view() const { return {tiles_.data(), patterns_.data(), values_.data(), &table_, simple_}; }

 private:
  RowClasses(const Cuda& space, const DiagonalCensus& census);
  void read_table(const CsrView<T>& a);
  bool find_patterns(const CsrView<T>& a);

  Cuda space_;
  ClassTable<T> table_;
  bool simple_ = false;
  Vector<Cuda, Index> class_rows_, offsets_;
  Vector<Cuda, T> values_;
  Vector<Cuda, std::uint64_t> present_;
  Vector<Cuda, std::uint16_t> tiles_;
  Vector<Cuda, std::uint64_t> patterns_;
};

}  // namespace ostinato::formats
