// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// What tells a space whose vectors lie in parts from others, and what methods ask of the parts that processes have.

#include <concepts>
#include <cstddef>

#include <ostinato/spmv/space/sums.hpp>

namespace ostinato {

/// Why a solve is to end before its time. What a process says of itself goes along with its next sum; all processes
/// then hear the largest.
enum class Ending { none, time, interrupt };

/// The part of a vector that this process has.
struct Part {
  std::size_t begin = 0;  ///< its first element
  std::size_t whole = 0;  ///< elements of all parts
};

/// A space whose vectors lie in parts. Beside the members of a space of its own it has
///   local() const              the space in whose memory the parts lie
///   block_sums<Sums>(n) const  room for the sums of the blocks of all parts of a vector, which is not used by others
///                              until the next sum: an object with
///     for_parts(f)               calls f(begin, end, sums) for each part that this process has: elements begin .. end
///                                - 1 of what it has of the vector, and the place for the sums of their blocks
///     reduce()                   joins the sums of all parts
///     blocks(), data()           afterwards: the sums of the blocks of the whole vector, in order
///
/// A space whose parts are those of several processes also has, as all of them call these functions together,
///   part(n) const              the Part of a vector of which this process has n elements
///   most(value) const          the largest value of all processes; NaN where one has that
///   leads() const              whether this is the process whose clock counts
///   say(ending) const, heard() const    what this one says from now on; the largest that the last sum brought
template <class Space>
concept DistributedSpace = requires(const Space& space) {
  space.local();
  space.template block_sums<Sums<1>>(std::size_t{});
};

/// A space of which each process has a part.
template <class Space>
concept SharedSpace = DistributedSpace<Space> && requires(const Space& space) {
  { space.part(std::size_t{}) } -> std::same_as<Part>;
  { space.most(double{}) } -> std::same_as<double>;
  space.say(Ending::none);
};

/// The part of a vector of n elements that this process has: all of it, unless processes share the space.
template <class Space>
Part part_of(const Space& space, std::size_t n) {
  if constexpr (SharedSpace<Space>) {
    return space.part(n);
  } else {
    return {0, n};
  }
}

/// The largest value that a process has; NaN where one has that.
template <class Space>
double most_of(const Space& space, double value) {
  if constexpr (SharedSpace<Space>) return space.most(value);
  return value;
}
template <class Space>
double least_of(const Space& space, double value) {
  return -most_of(space, -value);
}

/// Whether it holds on all processes.
template <class Space>
bool holds_for_all(const Space& space, bool here) {
  return most_of(space, here ? 0 : 1) == 0;
}

/// Whether the exceptions of a process may stay its own.
template <class Space>
constexpr bool keeps_exceptions(const Space&) {
  return !SharedSpace<Space>;
}

}  // namespace ostinato
