// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/structured/slab_ends.hpp>

#include <algorithm>

#include <ostinato/preconditioners/multigrid/structured/slab_steps.hpp>
#include <ostinato/spmv/space/list.hpp>

namespace ostinato::multigrid {

namespace {

Index first_with(const Slabs& slabs, const Beside& beside) {
  return slabs.begin_with(beside.below) * static_cast<Index>(slabs.plane());
}
Index end_with(const Slabs& slabs, const Beside& beside) {
  return slabs.end_with(beside.above) * static_cast<Index>(slabs.plane());
}

/// The floats of so many doubles, in whole lines.
std::size_t floats_of(Index doubles) { return in_whole_lines(2 * static_cast<std::size_t>(std::max(0, doubles))); }

}  // namespace

template <class Local>
SlabEnds<Local>::Room::Room(const Team& team, const Partition& rows, const Slabs& slabs, const Beside& beside) {
  const Index first = first_with(slabs, beside), last = end_with(slabs, beside);
  const Index points_begin = slabs.parts().begin(team), points_end = slabs.parts().end(team);
  if (rows == slabs.parts()) {
    above = floats_of(points_begin - first);
    z = landing = above + floats_of(last - points_end);
    end = landings * z;
    return;
  }
  const Index kept = std::min(points_end, rows.end(team)) - std::max(points_begin, rows.begin(team));
  z = floats_of(last - first);
  landing = z + floats_of(points_end - points_begin);
  end = landing + floats_of(rows.length(team) - std::max(0, kept));
}

template <class Local>
std::size_t SlabEnds<Local>::floats(const Team& team, const Partition& rows, const Slabs& slabs, const Beside& beside) {
  return Room(team, rows, slabs, beside).end;
}

template <class Local>
SlabEnds<Local>::SlabEnds(const SlabMemory<Local>& memory, const Partition& rows, const Slabs& slabs,
                          const Beside& beside, float* room)
    : memory_(&memory),
      slabs_(slabs),
      rows_begin_(rows.begin(memory.team())),
      rows_end_(rows.end(memory.team())),
      points_begin_(slabs.parts().begin(memory.team())),
      points_end_(slabs.parts().end(memory.team())),
      begin_(first_with(slabs, beside)),
      end_(end_with(slabs, beside)),
      is_direct_(rows == slabs.parts()),
      has_beside_(beside.below + beside.above > 0),
      room_(memory.team(), rows, slabs, beside),
      memory_of_room_(room) {
  of_r_ = SlabExchange<Local>(memory, rows, begin_, end_, landing_of_r(), sizeof(double));
  if (!is_direct_)
    of_z_ = SlabExchange<Local>(memory, slabs.parts(), rows_begin_, rows_end_, landing_of_z(), sizeof(double));
}

template <class Local>
auto SlabEnds<Local>::landing_of_r() const -> Landing {
  if (!is_direct_) return {memory_of_room_, begin_, memory_of_room_, begin_};
  return {memory_of_room_ + room_.below, begin_, memory_of_room_ + room_.above, points_end_, room_.z};
}

/// The elements from other ranks, one behind the other.
template <class Local>
auto SlabEnds<Local>::landing_of_z() const -> Landing {
  float* const to = memory_of_room_ + room_.landing;
  const Index below = std::max(0, std::min(rows_end_, points_begin_) - rows_begin_);
  return {to, rows_begin_, to, std::max(rows_begin_, points_end_) - below};
}

template <class Local>
template <class T>
auto SlabEnds<Local>::take(const T* r) const -> Planes<T> {
  if (is_direct_) {
    if (!memory_->meets_in_kernels()) turn_ = 1 - turn_;  // nothing runs of a capture that fails
    if (has_beside_) of_r_.run(r, turn());
    return taken(r);
  }
  of_r_.run(r);
  const Index first = std::max(rows_begin_, begin_), last = std::min(rows_end_, end_);
  T* const to = reinterpret_cast<T*>(memory_of_room_);
  if (first < last)
    memory_->space().local().copy(to + (first - begin_), r + (first - rows_begin_),
                                  static_cast<std::size_t>(last - first) * sizeof(T));
  return taken(r);
}

template <class Local>
template <class T>
auto SlabEnds<Local>::taken(const T* r) const -> Planes<T> {
  const T* const moved = reinterpret_cast<const T*>(memory_of_room_) - begin_;
  OwnPlanes<T> planes{slabs_.begin(), slabs_.end(), moved, moved};
  if (!is_direct_) return {moved, planes};
  const float* const landing = memory_of_room_ + turn() * room_.z;
  planes.below = reinterpret_cast<const T*>(landing + room_.below) - begin_;
  planes.above = reinterpret_cast<const T*>(landing + room_.above) - points_end_;
  return {r - points_begin_, planes};
}

template <class Local>
template <class T>
T* SlabEnds<Local>::target(T* z) const {
  return (is_direct_ ? z : reinterpret_cast<T*>(memory_of_room_ + room_.z)) - points_begin_;
}

template <class Local>
template <class T>
void SlabEnds<Local>::give(T* z) const {
  if (is_direct_) return;
  const T* const own = reinterpret_cast<const T*>(memory_of_room_ + room_.z);
  of_z_.run(own);
  const auto copy = [&](Index begin, Index end, const T* from) {
    if (begin < end)
      memory_->space().local().copy(z + (begin - rows_begin_), from, static_cast<std::size_t>(end - begin) * sizeof(T));
  };
  const T* const others = reinterpret_cast<const T*>(memory_of_room_ + room_.landing);
  const Index below_end = std::max(rows_begin_, std::min(rows_end_, points_begin_)),
              above = std::max(rows_begin_, points_end_);
  copy(rows_begin_, below_end, others);
  const Index first = std::max(rows_begin_, points_begin_);
  copy(first, std::min(rows_end_, points_end_), own + (first - points_begin_));
  copy(above, rows_end_, others + (below_end - rows_begin_));
}

template <class Local>
void SlabEnds<Local>::meet() const {
  if constexpr (is_cuda<Local>) {
    if (is_direct_ && has_beside_ && memory_->is_shared() && memory_->meets_in_kernels())
      RunCopies().enqueue_for_ranks(memory_->space().local(), memory_->rendezvous());
  }
}

#define OSTINATO_MEMBERS(Space, T)                                            \
  template SlabEnds<Space>::Planes<T> SlabEnds<Space>::take(const T*) const;  \
  template SlabEnds<Space>::Planes<T> SlabEnds<Space>::taken(const T*) const; \
  template T* SlabEnds<Space>::target(T*) const;                              \
  template void SlabEnds<Space>::give(T*) const
#define OSTINATO_INSTANTIATE(Space) template class SlabEnds<Space>
OSTINATO_FOR_SPACES(OSTINATO_INSTANTIATE);
OSTINATO_FOR_ALL(OSTINATO_MEMBERS);

}  // namespace ostinato::multigrid
