// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

#include <ostinato/spmv/base/extents.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/rendezvous.hpp>
#include <ostinato/spmv/space/sums.hpp>
#include <ostinato/spmv/stencil/neighbours.hpp>

namespace ostinato::detail {

/// The plane of x beside those of a rank: at `gathered` or, where ranks meet, among the elements of another rank.
struct PlaneBeside {
  const float* gathered = nullptr;
  int rank = -1;  ///< whose plane it is; negative where the grid ends
  std::size_t place = 0;
};

/// A mixed product on Cuda with the planes of a rank, of a grid of three dimensions whose points all have the same row
/// up to its sides (StencilProductOfFours), and w . y: the sum over each tile of a plane, tile after tile. So the sums
/// of a plane don't depend on which planes a rank has.
///
/// Traffic   12 bytes a point, 8 where w is x; the planes beside are read in place.
/// Requires  Lines of whole fours. Where ranks meet, their x stay as they are until the next sum over all ranks.
struct SlabProduct {
  Extents grid = {};  ///< the planes of the rank
  bool star = true;
  std::array<double, neighbours> row = {};
  PlaneBeside below = {}, above = {};
  const float* x = nullptr;
  float* y = nullptr;
  const float* w = nullptr;
  double* sums = nullptr;  ///< tiles() for each plane
  RendezvousView at = {};  ///< where ranks meet in the kernel

  /// The tile of a thread block: 2^log_x fours along x, as long as there are so many, and 2^log_y lines.
  unsigned log_x() const;
  unsigned tiles() const;  ///< of a plane
  std::size_t sum_count() const { return static_cast<std::size_t>(grid.z) * tiles(); }
};

/// The planes of a product: those that need none beside the rank's, the others, or all, where ranks meet or the planes
/// beside are there.
enum class SlabPart { inside, sides, all };

/// Exec      Enqueued.
void multiply_slab(const Cuda& space, const SlabProduct& product, SlabPart part = SlabPart::all);

/// Functor for sum() on GPUs of ranks: the sums of planes, a block of elements for each.
struct SumsOfPlanes {
  const double* sums;
  unsigned tiles;

  Sums<1> operator()(std::size_t) const;  ///< says what it sums; there are blocks alone
#ifdef __CUDACC__
  __device__ Sums<1> sum_of_block(std::size_t begin, std::size_t end) const;
#endif
};

}  // namespace ostinato::detail
