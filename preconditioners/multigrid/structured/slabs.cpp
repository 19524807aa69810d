// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/structured/slabs.hpp>

#include <algorithm>
#include <numeric>
#include <utility>

#include <ostinato/spmv/space/list.hpp>

namespace ostinato::multigrid {

namespace {

void append(std::vector<Index>& numbers, Index begin, Index end) {
  for (Index i = begin; i < end; ++i) numbers.push_back(i);
}

}  // namespace

Slabs::Slabs(const Team& team, const Extents& grid, int dimensions, std::vector<Index> first)
    : grid_(grid), dimensions_(dimensions), first_(std::move(first)) {
  const auto rank = static_cast<std::size_t>(team.rank());
  begin_ = first_[rank];
  end_ = first_[rank + 1];
  const Index planes = dimensions == 3 ? grid.z : grid.y, plane = dimensions == 3 ? grid.x * grid.y : grid.x;
  plane_ = static_cast<std::size_t>(plane);
  std::vector<Index> ghosts;
  team.agreed([&] {
    std::vector<Index> offsets;
    for (const Index f : first_) offsets.push_back(f * plane);
    parts_ = Partition(std::move(offsets));
    if (begin_ == end_) return;
    if (begin_ > 0) append(ghosts, (begin_ - 1) * plane, begin_ * plane);
    if (end_ < planes) append(ghosts, end_ * plane, (end_ + 1) * plane);
  });
  halo_ = HaloPlan(team, parts_, ghosts);
  team.agreed([&] { given_.resize(halo_.given().size()); });
}

Slabs Slabs::nearest(const Team& team, const Extents& grid, int dimensions, const Partition& rows) {
  const Index plane = dimensions == 3 ? grid.x * grid.y : grid.x;
  std::vector<Index> first;
  for (int r = 0; r <= rows.ranks(); ++r)
    first.push_back(static_cast<Index>((Offset{rows.offset(r)} + plane / 2) / plane));
  return Slabs(team, grid, dimensions, std::move(first));
}

Slabs Slabs::halved(const Team& team, const Extents& next) const {
  std::vector<Index> first;
  for (const Index f : first_) first.push_back(f / 2);
  return Slabs(team, next, dimensions_, std::move(first));
}

Extents Slabs::own() const {
  const Index planes = end_ - begin_;
  return dimensions_ == 3 ? Extents{grid_.x, grid_.y, planes} : Extents{grid_.x, planes, 1};
}

void Slabs::exchange(const Team& team, float* v) const {
  const std::span<const Index> given = halo_.given();
  const float* const own = v + first_point();
  for (std::size_t k = 0; k < given.size(); ++k) given_[k] = own[given[k]];
  float* const below = v + first_point() - (begin_ > 0 ? plane_ : 0);
  halo_.start(team, given_.data(), below, v + static_cast<std::size_t>(end_) * plane_);
  team.finish_exchange();
}

PartMove::PartMove(const Team& team, const Partition& from, const Partition& to)
    : from_begin_(from.begin(team)),
      to_begin_(to.begin(team)),
      begin_(std::max(from.begin(team), to.begin(team))),
      end_(std::min(from.end(team), to.end(team))) {
  std::vector<Index> others;
  team.agreed([&] {
    const Index first = to.begin(team), last = to.end(team);
    append(others, first, std::min(last, from.begin(team)));
    append(others, std::max(first, from.end(team)), last);
  });
  halo_ = HaloPlan(team, from, others);
  team.agreed([&] { given_.resize(halo_.given().size() * sizeof(double)); });
}

template <class T>
void PartMove::run(const Team& team, const T* from, T* to) const {
  static_assert(sizeof(T) <= sizeof(double));
  const std::span<const Index> given = halo_.given();
  T* const sent = reinterpret_cast<T*>(given_.data());
  for (std::size_t k = 0; k < given.size(); ++k) sent[k] = from[given[k]];
  const auto above = static_cast<std::ptrdiff_t>(halo_.below()) + std::max<Index>(0, end_ - begin_);
  halo_.start(team, sent, to, to + above);
  if (begin_ < end_) std::copy(from + (begin_ - from_begin_), from + (end_ - from_begin_), to + (begin_ - to_begin_));
  team.finish_exchange();
}

#define OSTINATO_INSTANTIATE(T) template void PartMove::run(const Team&, const T*, T*) const
OSTINATO_FOR_VALUES(OSTINATO_INSTANTIATE);

}  // namespace ostinato::multigrid
