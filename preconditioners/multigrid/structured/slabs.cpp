// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/structured/slabs.hpp>

#include <algorithm>
#include <utility>

namespace ostinato::multigrid {

Slabs::Slabs(const Team& team, const Extents& grid, int dimensions, std::vector<Index> first)
    : grid_(grid), dimensions_(dimensions), first_(std::move(first)) {
  const auto rank = static_cast<std::size_t>(team.rank());
  begin_ = first_[rank];
  end_ = first_[rank + 1];
  has_readers_ = begin_ != end_;
  const Index plane = dimensions == 3 ? grid.x * grid.y : grid.x;
  plane_ = static_cast<std::size_t>(plane);
  std::vector<Index> offsets;
  for (const Index f : first_) offsets.push_back(f * plane);
  parts_ = Partition(std::move(offsets));
}

Slabs Slabs::nearest(const Team& team, const Extents& grid, int dimensions, const Partition& rows, Index whole) {
  const Index planes = dimensions == 3 ? grid.z : grid.y;
  const Offset unit = Offset{whole} * (dimensions == 3 ? grid.x * grid.y : grid.x);
  std::vector<Index> first;
  for (int r = 0; r < rows.ranks(); ++r)
    first.push_back(std::min(planes, whole * static_cast<Index>((rows.offset(r) + unit / 2) / unit)));
  first.push_back(planes);
  return Slabs(team, grid, dimensions, std::move(first));
}

Slabs Slabs::halved(const Team& team, const Extents& next) const {
  std::vector<Index> first;
  for (const Index f : first_) first.push_back(f / 2);
  Slabs slabs(team, next, dimensions_, std::move(first));
  slabs.has_readers_ = begin_ != end_;
  return slabs;
}

Extents Slabs::own() const {
  const Index planes = end_ - begin_;
  return dimensions_ == 3 ? Extents{grid_.x, grid_.y, planes} : Extents{grid_.x, planes, 1};
}

Index Slabs::begin_with(Index below) const { return has_readers_ ? std::max(0, begin_ - below) : begin_; }

Index Slabs::end_with(Index above) const { return has_readers_ ? std::min(planes(), end_ + above) : end_; }

}  // namespace ostinato::multigrid
