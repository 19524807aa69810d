// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/spmv/space/vector_steps.hpp>

// Products with a dense matrix V of n rows and `columns` columns, stored column by column without padding. On Cuda all
// functions enqueue calls of cuBLAS. On Host they return when their work is done. multi_vector_definition.hpp has them
// for other spaces, written with loops.

namespace ostinato {

class Host;
class Cuda;

/// h(k) = V(:, k) . w for k < columns; n = w.size().
/// Exec      Host: partial sums of blocks of rows, added in order in double precision. Cuda: cuBLAS.
template <class T, class Space>
void project(const Space& space, int columns, const T* v, In<T> w, T* h);
template <class T>
void project(const Host& space, int columns, const T* v, In<T> w, T* h);
template <class T>
void project(const Cuda& space, int columns, const T* v, In<T> w, T* h);

/// w -= sum over k < columns of V(:, k) h(k)
template <class T, class Space>
void subtract(const Space& space, int columns, const T* v, const T* h, Out<T> w);
template <class T>
void subtract(const Host& space, int columns, const T* v, const T* h, Out<T> w);
template <class T>
void subtract(const Cuda& space, int columns, const T* v, const T* h, Out<T> w);

/// x += sum over k < columns of V(:, k) y(k)
template <class T, class Space>
void combine(const Space& space, int columns, const T* v, const T* y, Out<T> x);
template <class T>
void combine(const Host& space, int columns, const T* v, const T* y, Out<T> x);
template <class T>
void combine(const Cuda& space, int columns, const T* v, const T* y, Out<T> x);

/// W += V Y, where W has `results` columns and is stored as V is, and Y(k, l) = y[k + l * height]; n = w.size() /
/// results.
/// Exec      Reads V once; `results` calls of combine() read V as often. Other spaces than Host and Cuda do just that.
template <class T, class Space>
void combine(const Space& space, int columns, const T* v, int results, const T* y, std::size_t height, Out<T> w);
template <class T>
void combine(const Host& space, int columns, const T* v, int results, const T* y, std::size_t height, Out<T> w);
template <class T>
void combine(const Cuda& space, int columns, const T* v, int results, const T* y, std::size_t height, Out<T> w);

}  // namespace ostinato
