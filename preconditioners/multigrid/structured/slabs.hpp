// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include <ostinato/spmv/base/extents.hpp>
#include <ostinato/spmv/team/halo.hpp>
#include <ostinato/spmv/team/partition.hpp>

namespace ostinato::multigrid {

/// The planes of a grid along its last axis, lines in two dimensions, each of which a rank has.
class Slabs {
 public:
  Slabs() = default;
  /// `first`: the first plane of each rank, and the number of planes.
  /// Exec      Collective.
  Slabs(const Team& team, const Extents& grid, int dimensions, std::vector<Index> first);

  /// The planes that are nearest to the rows of each rank.
  static Slabs nearest(const Team& team, const Extents& grid, int dimensions, const Partition& rows);
  /// Those of the next grid, which halves the last axis: coarse plane c is with the fine plane 2 c + 1.
  Slabs halved(const Team& team, const Extents& next) const;

  const Extents& grid() const { return grid_; }
  Index begin() const { return begin_; }  ///< planes of this rank
  Index end() const { return end_; }
  Extents own() const;  ///< of these planes
  std::size_t plane() const { return plane_; }
  std::size_t first_point() const { return static_cast<std::size_t>(begin_) * plane_; }
  std::size_t points() const { return static_cast<std::size_t>(end_ - begin_) * plane_; }
  const Partition& parts() const { return parts_; }  ///< the points of each rank

  /// Gets the planes beside those of this rank. `v`: where point 0 would be.
  void exchange(const Team& team, float* v) const;

 private:
  Extents grid_;
  int dimensions_ = 0;
  std::vector<Index> first_;
  Index begin_ = 0, end_ = 0;
  std::size_t plane_ = 0;
  Partition parts_;
  mutable HaloPlan halo_;
  mutable std::vector<float> given_;
};

/// Moves a vector whose parts are `from` to parts that are `to`, most of which are on the same rank.
class PartMove {
 public:
  PartMove() = default;
  /// Exec      Collective.
  PartMove(const Team& team, const Partition& from, const Partition& to);

  template <class T>
  void run(const Team& team, const T* from, T* to) const;

 private:
  Index from_begin_ = 0, to_begin_ = 0;
  Index begin_ = 0, end_ = 0;  ///< what stays on the rank
  mutable HaloPlan halo_;
  mutable std::vector<std::byte> given_;
};

}  // namespace ostinato::multigrid
