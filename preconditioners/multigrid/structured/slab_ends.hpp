// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <ostinato/preconditioners/multigrid/structured/planes.hpp>
#include <ostinato/preconditioners/multigrid/structured/slab_exchange.hpp>
#include <ostinato/preconditioners/multigrid/structured/slabs.hpp>

namespace ostinato::multigrid {

/// Planes beside those of a rank.
struct Beside {
  Index below, above;
};

/// r and z of the finest grid, whose parts are the rows of the ranks. Where these are whole planes, those of the slabs,
/// r and z are used in their place, and only the planes beside are copied. Otherwise both are moved to slabs and back.
template <class Local>
class SlabEnds {
 public:
  /// The floats that it needs of the memory.
  static std::size_t floats(const Team& team, const Partition& rows, const Slabs& slabs, const Beside& beside);

  /// Exec      Collective.
  SlabEnds(const SlabMemory<Local>& memory, const Partition& rows, const Slabs& slabs, const Beside& beside,
           float* room);

  std::size_t rows() const { return static_cast<std::size_t>(rows_end_ - rows_begin_); }
  std::size_t bytes() const { return room_.end * sizeof(float); }

  /// r of a slab. Pointers are where point 0 would be.
  template <class T>
  struct Planes {
    const T* own;
    OwnPlanes<T> planes;
  };
  /// Exec      Collective. Enqueued.
  template <class T>
  Planes<T> take(const T* r) const;
  /// The same planes of r, which take() has got before.
  template <class T>
  Planes<T> taken(const T* r) const;
  /// Where z of the slab is to be written: where point 0 would be.
  template <class T>
  T* target(T* z) const;
  /// Moves what has been written there to z.
  /// Exec      Collective. Enqueued.
  template <class T>
  void give(T* z) const;
  /// Ends a captured cycle that no sum over all ranks ends: the next one writes into the planes that this one has read.
  /// Exec      Collective. Enqueued.
  void meet() const;

 private:
  using Landing = typename SlabExchange<Local>::Landing;

  /// The parts of the room, in floats. With planes beside r alone, there are two of each, which are used in turn: what
  /// a cycle has read last may still be read when others begin the next one. Captured cycles, whose kernels keep their
  /// addresses, have a third one, and meet at their end: in a sum, or by meet().
  struct Room {
    static constexpr std::size_t captured = 2, landings = is_cuda<Local> ? 3 : 2;

    std::size_t below = 0, above = 0, z = 0, landing = 0, end = 0;

    Room(const Team& team, const Partition& rows, const Slabs& slabs, const Beside& beside);
  };

  Landing landing_of_r() const;
  Landing landing_of_z() const;
  std::size_t turn() const { return memory_->meets_in_kernels() ? Room::captured : turn_; }

  const SlabMemory<Local>* memory_;
  Slabs slabs_;
  Index rows_begin_, rows_end_;  ///< of this rank
  Index points_begin_, points_end_;
  Index begin_, end_;  ///< points with those of the planes beside
  bool is_direct_, has_beside_;
  Room room_;
  float* memory_of_room_;
  SlabExchange<Local> of_r_, of_z_;
  mutable std::size_t turn_ = 0;  ///< of the two landings of planes beside r
};

}  // namespace ostinato::multigrid
