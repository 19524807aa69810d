// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>

#include <ostinato/spmv/base/function.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/space/vector_steps.hpp>

// Products with a dense matrix V of n rows and `columns` columns. On Cuda all functions enqueue kernels of the library,
// and cuBLAS where a call has several results. On Host they return when their work is done. multi_vector_definition.hpp
// has them for other spaces, written with loops. Sums are added in double precision, in a fixed order.

namespace ostinato {

class Host;
class Cuda;

/// Where the columns of V are: one behind the other in blocks of `width` columns, which may lie apart.
template <class T>
struct Columns {
  static constexpr int most_blocks = 32;
  const T* blocks[most_blocks] = {};
  int width = std::numeric_limits<int>::max();

  Columns() = default;
  Columns(const T* v) : blocks{v} {}  ///< one block

  OSTINATO_FUNCTION const T* column(int k, std::size_t n) const {
    return blocks[k / width] + static_cast<std::size_t>(k % width) * n;
  }
};

/// h(k) = V(:, k) . w for k < columns; n = w.size().
template <class T, class Space>
void project(const Space& space, int columns, const Columns<T>& v, In<T> w, T* h);
template <class T>
void project(const Host& space, int columns, const Columns<T>& v, In<T> w, T* h);
template <class T>
void project(const Cuda& space, int columns, const Columns<T>& v, In<T> w, T* h);

/// w -= sum over k < columns of V(:, k) h(k)
template <class T, class Space>
void subtract(const Space& space, int columns, const Columns<T>& v, const T* h, Out<T> w);
template <class T>
void subtract(const Host& space, int columns, const Columns<T>& v, const T* h, Out<T> w);
template <class T>
void subtract(const Cuda& space, int columns, const Columns<T>& v, const T* h, Out<T> w);

/// x += sum over k < columns of V(:, k) y(k)
template <class T, class Space>
void combine(const Space& space, int columns, const Columns<T>& v, const T* y, Out<T> x);
template <class T>
void combine(const Host& space, int columns, const Columns<T>& v, const T* y, Out<T> x);
template <class T>
void combine(const Cuda& space, int columns, const Columns<T>& v, const T* y, Out<T> x);

/// W += V Y, where V and W, which has `results` columns, are one block each, and Y(k, l) = y[k + l * height]; n =
/// w.size() / results.
/// Exec      Reads V once; `results` calls of combine() read V as often. Cuda: cuBLAS. Other spaces than Host and Cuda
///           call combine().
template <class T, class Space>
void combine(const Space& space, int columns, const T* v, int results, const T* y, std::size_t height, Out<T> w);
template <class T>
void combine(const Host& space, int columns, const T* v, int results, const T* y, std::size_t height, Out<T> w);
template <class T>
void combine(const Cuda& space, int columns, const T* v, int results, const T* y, std::size_t height, Out<T> w);

/// The numbers of one step of delayed reorthogonalisation, in the memory of the space. A step has an orthonormal Q, a
/// candidate w that is orthogonal to Q but for rounding, and its image u = A w. It takes the rounding out of w, which
/// becomes the next column q of Q, and makes of u the candidate of the next step.
///
/// Source    Swirydowicz, Langou, Ananthan, Yang & Thomas, Numer. Linear Algebra Appl. 28 (2021) e2343; Bielich,
///           Langou, Thomas, Swirydowicz, Yamazaki & Boman, Parallel Comput. 112 (2022) 102940. With u divided by |u|,
///           so that neither large nor small elements of A leave the range of T.
template <class T>
struct DelayedStep {
  sum_t<T> ww = 0;  ///< w . w, which has to be there when the step begins
  double uu = 0;    ///< u . u
  double rho = 0;   ///< the length of w - Q a; 0 when it isn't positive
  sum_t<T> qu = 0;  ///< q . u
};

/// The first pass of a step:  a = Q^T w;  b = Q^T u;  uu, rho and qu of the step.
/// Traffic   (columns + 2) n sizeof(T), on Cuda 2 n sizeof(T) more for each 64 columns after the first.
template <class T, class Space>
void project_pair(const Space& space, int columns, const Columns<T>& q, In<T> w, In<T> u, T* a, T* b,
                  DelayedStep<T>* step);
template <class T>
void project_pair(const Host& space, int columns, const Columns<T>& q, In<T> w, In<T> u, T* a, T* b,
                  DelayedStep<T>* step);
template <class T>
void project_pair(const Cuda& space, int columns, const Columns<T>& q, In<T> w, In<T> u, T* a, T* b,
                  DelayedStep<T>* step);

/// The second pass:  w = q = (w - Q a) / rho;  u = (u - Q b - q (q . u)) / |u|;  step[1].ww = u . u, of the new u. What
/// would be divided by 0 becomes 0.
/// Traffic   (columns + 4) n sizeof(T)
template <class T, class Space>
void orthogonalise_pair(const Space& space, int columns, const Columns<T>& q, const T* a, const T* b, Out<T> w,
                        Out<T> u, DelayedStep<T>* step);
template <class T>
void orthogonalise_pair(const Host& space, int columns, const Columns<T>& q, const T* a, const T* b, Out<T> w, Out<T> u,
                        DelayedStep<T>* step);
template <class T>
void orthogonalise_pair(const Cuda& space, int columns, const Columns<T>& q, const T* a, const T* b, Out<T> w, Out<T> u,
                        DelayedStep<T>* step);

}  // namespace ostinato
