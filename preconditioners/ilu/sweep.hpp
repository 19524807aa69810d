// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <ostinato/spmv/matrix/csr.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>
#include <ostinato/spmv/space/vector.hpp>

namespace ostinato {

/// A substitution with a triangular matrix, row by row:
///   out(target(i)) = scale(i) in(source(i)) - sum over k of val(k) out(col(k)),  for the entries k of row i
///
/// Rows may only refer to elements of `out` that earlier rows have written. Permutations and scalings before and after
/// the substitution are part of source, target, scale and val.
struct Substitution {
  std::vector<Offset> row_ptr = {0};
  std::vector<Index> col;
  std::vector<double> val;
  std::vector<Index> source, target;
  std::vector<double> scale;

  std::size_t rows() const { return target.size(); }
};

/// The arrays of a Substitution in the memory of a space, for code that makes them there.
template <class Space, class T>
struct SweepArrays {
  Offset longest = 0;  ///< entries of the longest row
  Vector<Space, Offset> row_ptr;
  Vector<Space, Index> col;
  Vector<Space, T> val;
  Vector<Space, Index> source, target;
  Vector<Space, T> scale;
};

/// A substitution in the memory of a space. On Cuda the rows are in the order of their levels: a row waits for rows of
/// earlier levels only.
///
/// Traffic   (4 + sizeof(T)) bytes an entry, 16 + 3 sizeof(T) a row, and a gather of sizeof(T) an entry.
template <class Space, class T>
class Sweep {
 public:
  /// Throws    ArgumentError when a value leaves the range of T; DeviceError; std::bad_alloc.
  Sweep(const Space& space, Substitution s);

  /// Requires  On Cuda rows in the order of their levels.
  Sweep(const Space& space, SweepArrays<Space, T> arrays);

  /// Exec      On Host on the calling thread, where levels are short, otherwise level by level in parallel. On Cuda
  ///           enqueued, capturable; one kernel, whose rows wait for each other. The sums have a fixed order.
  /// Requires  `in`, `out` and `copy` don't overlap. Every element of `out` is the target of a row. `copy` gets the
  ///           elements of `out`, too, unless it is empty. In and Copy are T, or one of them is double and T float.
  template <class In = T, class Copy = T>
  void run(std::span<const In> in, std::span<T> out, std::span<Copy> copy = {}) const;

  const SweepArrays<Space, T>& arrays() const { return arrays_; }

  /// Takes other values of the same rows.
  void take(Vector<Space, T> val, Vector<Space, T> scale);

  std::size_t bytes() const;

 private:
  Space space_;
  SweepArrays<Space, T> arrays_;
  std::vector<std::size_t> levels_;  ///< Host: where levels begin, and the number of rows; empty: levels are short
  mutable Vector<Space, unsigned> ticket_;  ///< Cuda: the latest thread block that has begun
};

extern template class Sweep<Host, float>;
extern template class Sweep<Host, double>;
extern template class Sweep<Cuda, float>;
extern template class Sweep<Cuda, double>;

namespace detail {

/// Throws    ArgumentError which says that the factors leave the range of the numbers.
[[noreturn]] void throw_out_of_range();

/// The arrays of a sweep, for the kernels.
template <class T>
struct SweepView {
  std::size_t rows;
  std::size_t entries;
  Offset longest;  ///< entries of the longest row
  const Offset* row_ptr;
  const Index* col;
  const T* val;
  const Index *source, *target;
  const T* scale;
};

/// `copy` may be null.
template <class T, class In, class Copy>
void run_sweep(const Cuda& space, const SweepView<T>& sweep, const In* in, T* out, Copy* copy, unsigned* ticket);

/// The types of the elements that a sweep works with: those of the factors, of `in` and of `copy`.
#define OSTINATO_FOR_EACH_SWEEP(DO) \
  DO(float, float, float) DO(double, double, double) DO(float, double, float) DO(float, float, double)

}  // namespace detail

}  // namespace ostinato
