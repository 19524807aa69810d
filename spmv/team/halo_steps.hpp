// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <ostinato/spmv/base/function.hpp>
#include <ostinato/spmv/base/index.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/for_each.hpp>
#include <ostinato/spmv/space/rendezvous.hpp>
#include <ostinato/spmv/space/sums.hpp>
#include <ostinato/spmv/space/vector.hpp>

namespace ostinato {

namespace detail {

template <class T>
struct Pick {
  const Index* at;
  const T* from;
  T* to;
  OSTINATO_FUNCTION void operator()(std::size_t k) const { to[k] = from[at[k]]; }
};

template <class T>
struct Put {
  const Index* at;
  const T* from;
  T* to;
  OSTINATO_FUNCTION void operator()(std::size_t k) const { to[at[k]] = from[k]; }
};

/// Rows of the boundary. A column is an element of the rank itself, or ~g for ghost g.
template <class T>
struct BoundaryRows {
  Index count;
  const Index* row;  ///< ascending
  const Offset* ptr;
  const Index* col;
  const T* val;
  T alpha = 1, beta = 0;
  const T* before = nullptr;  ///< y as it was, of these rows; null: as it is
};

/// Ghosts in an array: those below, a gap, those above. Or, where ranks meet, in the memory of the ranks, each of which
/// says where its x is. Or, where ranks meet and have given them (give_ghosts()), in the room of this rank.
template <class T>
struct Ghosts {
  const T* gathered;
  std::size_t below, gap;
  RendezvousView at = {};
  const std::uint8_t* rank = nullptr;
  const Index* place = nullptr;         ///< among the elements of the rank
  bool are_given = false;               ///< so that nobody says where x is
  unsigned begin[most_sum_parts] = {};  ///< the first ghost that a rank gives
};

/// y(row) = alpha row . x + beta y(row), for each row with the bits of sliced-ell. Where ranks meet and say where their
/// x are, these are left as they are until the next sum over all ranks.
/// Exec      Enqueued.
template <class T>
void multiply_boundary(const Cuda& space, const BoundaryRows<T>& rows, const Ghosts<T>& ghosts, const T* x, T* y);

/// Functor for sum() on GPUs of ranks: w . y of a product, from the sums that warps have left of the interior rows.
/// Those of blocks with rows of the boundary are made anew, as cuda::for_rows() makes them.
template <class T>
struct DotOfProduct {
  static constexpr std::size_t blocks_at_once = 8;  ///< of a thread block: a warp has one, unless it is made anew
  static constexpr int blocks_of_multiprocessor = 4;

  const double* sums;  ///< of each warp
  const Index* first;  ///< blocks + 1: which of the boundary's rows are in a block
  const T* w;
  const T* y;

  Sums<1, sum_t<T>> operator()(std::size_t) const;  ///< says what it sums; there are blocks alone
#ifdef __CUDACC__
  /// Rows of this rank begin at 0.
  template <class Give>
  __device__ void give_blocks(std::size_t, std::size_t rows, Give give) const;
  __device__ Sums<1> of_warps(std::size_t block, std::size_t rows) const;
  __device__ Sums<1> made_anew(std::size_t block, std::size_t rows) const;
#endif
};

/// Parts of a list, of some ranks.
struct Shares {
  int count = 0;
  int rank[most_sum_parts] = {};
  unsigned begin[most_sum_parts] = {}, length[most_sum_parts] = {};

  void add(int of, std::size_t from, std::size_t elements) {
    rank[count] = of;
    begin[count] = static_cast<unsigned>(from);
    length[count++] = static_cast<unsigned>(elements);
  }
};

/// Gives x[given[k]] to the ranks that need them. On each rank a kernel of receive_ghosts() follows, or one of
/// multiply_boundary() that takes them.
/// Exec      Enqueued, while the iterations of all ranks are captured.
template <class T>
void give_ghosts(const Cuda& space, const RendezvousView& at, const Shares& shares, const Index* given, const T* x);

/// The x of the boundary: ghosts below, own elements x[own[k]], ghosts above. Waits for the ghosts.
template <class T>
struct BoundaryX {
  std::size_t below, owns;
  const Index* own;
  const T* x;
  T* to;
};
template <class T>
void receive_ghosts(const Cuda& space, const RendezvousView& at, const Shares& shares, const BoundaryX<T>& boundary);

}  // namespace detail

/// to[k] = from[at[k]]
template <class Local, class T>
void pick(const Local& space, const Vector<Local, Index>& at, const T* from, T* to) {
  if (at.size() > 0) for_each(space, at.size(), detail::Pick<T>{at.data(), from, to});
}

/// to[at[k]] = from[k]
template <class Local, class T>
void put(const Local& space, const Vector<Local, Index>& at, const T* from, T* to) {
  if (at.size() > 0) for_each(space, at.size(), detail::Put<T>{at.data(), from, to});
}

}  // namespace ostinato
