// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// for_each and sum on a space whose vectors lie in parts, each of them in the memory of a local space. The solvers run
// on such a space as they are.
//
// A sum has three parts:
//   local    each part of the vector adds up its blocks: detail::sum_blocks() of the local space
//   reduce   the space joins the sums of the blocks of all parts
//   finish   the sums of the blocks are added in order, stored in the slots, and given to the functor's finish()
// On Host and Cuda, which hold whole vectors, the three are one call and one kernel. A sum over parts has the bits of
// the sum over the whole vector, since the same blocks are added in the same order; on Cuda those of the sum over one
// part. That needs parts that begin at multiples of the length of a block.
//
// Where the parts lie on GPUs, kernels do the first and the last step, in which the sums of the blocks are added in 256
// lanes. In between the ranks say how many blocks they have (PeerBuffers) or, where a GPU doesn't reach the memory of
// another, the host waits for the sums and adds them up as the kernel would. In captured iterations one kernel does
// everything: it waits for those of the other ranks (rendezvous.hpp). The bits are the same in all three ways.

#include <cstddef>

#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/parallel.hpp>
#include <ostinato/spmv/space/rendezvous.hpp>
#include <ostinato/spmv/space/shared_space.hpp>
#include <ostinato/spmv/space/sum_parts.hpp>

namespace ostinato {

namespace detail {

/// sums[b] := the sum of f(i) over block b, of host_block elements, of begin .. end - 1. `sums`: memory that the GPU
/// can write. Where f.prepare() says no, it is left as it is; f.skipped() and f.finish() aren't called. Result is
/// SumsOf<F>: as a parameter, it has one name in the objects of both compilers.
/// Exec      Enqueued.
template <class F, class Result>
void sum_blocks(const Cuda& space, std::size_t begin, std::size_t end, F f, Result* sums);

/// Adds the sums of all blocks, stores them in the slots, which may be null, and lets f finish: unless f.prepare() says
/// no.
/// Exec      Enqueued.
template <class F, class Result>
void finish_sum(const Cuda& space, F f, const SumParts<Result>& parts, double* slots);

/// The whole sum, of n elements on this rank, in a kernel that waits for those of the other ranks.
/// Exec      Enqueued, while the iterations of all ranks are captured.
template <class F, class Result>
void sum_over_ranks(const Cuda& space, std::size_t n, F f, const RendezvousView& at, double* slots, Result*);

/// The functor of the last part of a sum, for one call of for_each. It asks f.prepare() again, which reads what it read
/// before: no part of a sum changes the scalars of f.
template <class F>
struct FinishSum {
  F f;
  std::size_t blocks;
  const SumsOf<F>* sums;
  typename SumsOf<F>::value_type* slots;

  OSTINATO_FUNCTION bool prepare() { return detail::prepare(f); }
  OSTINATO_FUNCTION void skipped() { detail::skipped(f); }
  OSTINATO_FUNCTION void operator()(std::size_t) const {
    F own = f;
    finish_sum(own, blocks, sums, slots);
  }
};

}  // namespace detail

template <DistributedSpace Space, class F>
void for_each(const Space& space, std::size_t n, F f) {
  for_each(space.local(), n, f);
}

template <DistributedSpace Space, class F>
void sum(const Space& space, std::size_t n, F f, typename detail::SumsOf<F>::value_type* slots) {
  auto sums = space.template block_sums<detail::SumsOf<F>>(n);
  const auto add_up = [&](F prepared) {
    sums.for_parts([&](std::size_t begin, std::size_t end, detail::SumsOf<F>* of_part) {
      detail::sum_blocks(space.local(), begin, end, prepared, of_part);
    });
  };
  if constexpr (Space::has_host_memory) {
    F prepared = f;
    if (detail::prepare(prepared)) add_up(prepared);
    sums.reduce();
    for_each(space.local(), 1, detail::FinishSum<F>{f, sums.blocks(), sums.data(), slots});
  } else if (sums.is_captured()) {
    detail::sum_over_ranks(space.local(), n, f, sums.rendezvous(), slots, static_cast<detail::SumsOf<F>*>(nullptr));
  } else {
    add_up(f);
    detail::finish_sum(space.local(), f, sums.joined(), slots);
  }
}

}  // namespace ostinato
