// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include <ostinato/spmv/base/extents.hpp>
#include <ostinato/spmv/team/partition.hpp>

namespace ostinato::multigrid {

/// The planes of a grid along its last axis, lines in two dimensions, each of which a rank has.
class Slabs {
 public:
  Slabs() = default;
  /// `first`: the first plane of each rank, and the number of planes.
  Slabs(const Team& team, const Extents& grid, int dimensions, std::vector<Index> first);

  /// The planes that are nearest to the rows of each rank, and begin at multiples of `whole`.
  static Slabs nearest(const Team& team, const Extents& grid, int dimensions, const Partition& rows, Index whole);
  /// Those of the next grid, which halves the last axis: coarse plane c is with the fine plane 2 c + 1.
  Slabs halved(const Team& team, const Extents& next) const;

  const Extents& grid() const { return grid_; }
  Index begin() const { return begin_; }  ///< planes of this rank
  Index end() const { return end_; }
  Index planes() const { return first_.back(); }  ///< of all ranks
  Extents own() const;                            ///< of the planes of this rank
  std::size_t plane() const { return plane_; }
  std::size_t first_point() const { return static_cast<std::size_t>(begin_) * plane_; }
  std::size_t points() const { return static_cast<std::size_t>(end_ - begin_) * plane_; }
  const Partition& parts() const { return parts_; }  ///< the points of each rank

  /// Whether this rank reads planes: it has some, or has planes of the grid that was halved, which interpolate from the
  /// planes beside the place where its own would be.
  bool has_readers() const { return has_readers_; }
  /// So many planes before those of this rank, and behind, as far as the grid has them; none without readers.
  Index begin_with(Index below) const;
  Index end_with(Index above) const;

 private:
  Extents grid_;
  int dimensions_ = 0;
  std::vector<Index> first_;
  Index begin_ = 0, end_ = 0;
  bool has_readers_ = false;
  std::size_t plane_ = 0;
  Partition parts_;
};

}  // namespace ostinato::multigrid
