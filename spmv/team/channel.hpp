// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace ostinato::detail {

/// Bytes that go to a rank, or come from one.
struct Message {
  int rank;
  void* data;
  std::size_t bytes;
};

/// A message that a rank is about to get: from whom, and how long it is.
struct Arrival {
  int rank;
  std::size_t bytes;
};

/// What a rank tells the others when it leaves their work.
struct Notice {
  int rank = -1;  ///< -1: nothing was told
  std::string text;
};

/// The way between the ranks of a team, as a back end makes it. Team waits, within its patience, and listens meanwhile.
/// Nothing here waits or throws, so that a back end may live in an object that a program opens as it runs.
///
/// Exec      One thread of a rank at a time. All ranks start their gathers in the same order, and two ranks the
///           messages between them. A rank has at most one gather and one exchange under way.
/// Requires  The memory of what was started stays until it is done.
class Channel {
 public:
  virtual ~Channel() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;

  /// all[r] := what rank r has, of so many bytes. Without bytes, too, it is done when all ranks have started it.
  virtual void start_gather(const void* mine, std::size_t bytes, void* all) = 0;
  virtual bool is_gathered() = 0;

  /// Tells the ranks of `to` how long the messages are that they will get; all ranks take part. Once is_announced(),
  /// arrivals() are those of which this rank was told, in order of the ranks.
  virtual void start_announcing(std::span<const Message> to) = 0;
  virtual bool is_announced() = 0;
  virtual std::span<const Arrival> arrivals() const = 0;

  virtual void start_exchange(std::span<const Message> to, std::span<const Message> from) = 0;
  virtual bool is_exchanged() = 0;

  /// Tells all other ranks, whatever they do, that this one has failed.
  virtual void tell(const Notice& notice) = 0;
  virtual Notice heard() = 0;

  /// The first rank that others wait for; -1 where the back end doesn't know.
  virtual int missing() const { return -1; }
};

}  // namespace ostinato::detail
