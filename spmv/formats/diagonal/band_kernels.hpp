// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/formats/contract/product.hpp>
#include <ostinato/spmv/formats/diagonal/band_view.hpp>
#include <ostinato/spmv/matrix/csr.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>

// band_loops.hpp has the functions for spaces other than Host and Cuda.

namespace ostinato::formats {

/// The arrays behind a BandView, for writing.
template <class T>
struct BandStore {
  std::byte* data;
  T* constants;
  std::uint8_t* remainder_row;
  Index* remainder_col;
  T* remainder_val;
  const Index* first_row;  ///< first row of each diagonal of the census; in the memory of the space
  const Index* offset;
};

/// Stores the values of `a`, which is in the memory of the space. Enqueued; no allocation.
template <class T>
void band_fill(const Host& space, const CsrView<T>& a, const BandView<T>& to, const BandStore<T>& store);
template <class T>
void band_fill(const Cuda& space, const CsrView<T>& a, const BandView<T>& to, const BandStore<T>& store);
template <class Space, class T>
void band_fill(const Space& space, const CsrView<T>& a, const BandView<T>& to, const BandStore<T>& store);

/// Stores the values of `a`, a matrix with the pattern of the one before, and returns how many of the entries in bands
/// are given back bit by bit. Waits.
template <class T>
Offset band_refill(const Host& space, const CsrView<T>& a, const BandView<T>& to, const BandStore<T>& store);
template <class T>
Offset band_refill(const Cuda& space, const CsrView<T>& a, const BandView<T>& to, const BandStore<T>& store);
template <class Space, class T>
Offset band_refill(const Space& space, const CsrView<T>& a, const BandView<T>& to, const BandStore<T>& store);

/// Counts the entries of `a` that the bands give back bit by bit. Waits.
template <class T>
Offset band_count_kept(const Host& space, const CsrView<T>& a, const BandView<T>& stored);
template <class T>
Offset band_count_kept(const Cuda& space, const CsrView<T>& a, const BandView<T>& stored);
template <class Space, class T>
Offset band_count_kept(const Space& space, const CsrView<T>& a, const BandView<T>& stored);

/// Computes the product p. Enqueued.
template <class T>
void band_apply(const Host& space, const BandView<T>& a, const Product<T>& p);
template <class T>
void band_apply(const Cuda& space, const BandView<T>& a, const Product<T>& p);
template <class Space, class T>
void band_apply(const Space& space, const BandView<T>& a, const Product<T>& p);

/// Computes the product p and *slot = w . y; w may be y. V is T, or float: a mixed product. Enqueued.
template <class T, class V>
void band_apply_dot(const Host& space, const BandView<T>& a, const Product<T, V>& p, const V* w, Slot<V> slot);
template <class T, class V>
void band_apply_dot(const Cuda& space, const BandView<T>& a, const Product<T, V>& p, const V* w, Slot<V> slot);
template <class Space, class T, class V>
void band_apply_dot(const Space& space, const BandView<T>& a, const Product<T, V>& p, const V* w, Slot<V> slot);

}  // namespace ostinato::formats
