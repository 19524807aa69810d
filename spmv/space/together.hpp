// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// How the host waits for a GPU less often: several arrays are copied with one wait, and objects that are made together
// wait once. On a small level of multigrid a wait takes longer than a kernel.

#include <cstddef>
#include <initializer_list>
#include <span>
#include <type_traits>

namespace ostinato {

class Cuda;

/// An array in the memory of a space, and where its copy goes in host memory.
struct Copied {
  void* to;
  const void* from;
  std::size_t bytes;
};

template <class T>
Copied copied(T& to, const std::type_identity_t<T>* from) {
  return {&to, from, sizeof(T)};
}

/// Copies several arrays to host memory. Cuda waits once.
template <class Space>
void download(const Space& space, std::span<const Copied> arrays) {
  for (const Copied& a : arrays) {
    if (a.bytes > 0) space.download(a.to, a.from, a.bytes);
  }
}
void download(const Cuda& space, std::span<const Copied> arrays);
template <class Space>
void download(const Space& space, std::initializer_list<Copied> arrays) {
  download(space, std::span<const Copied>(arrays.begin(), arrays.size()));
}

/// While an object of this class lives, its thread makes parts of a larger object, which waits for all of them at its
/// end. Constructors of operators and of their formats then only make sure that later kernels start when theirs have
/// ended (settle()); they leave freed memory with the library, and don't hash the pattern, so that the operators take
/// new values only where the caller says that the pattern is the same. Where a space has no streams nothing changes.
class MadeTogether {
 public:
  MadeTogether();
  ~MadeTogether();
  MadeTogether(const MadeTogether&) = delete;
  MadeTogether& operator=(const MadeTogether&) = delete;

  /// Whether the thread makes parts of a larger object.
  static bool is_on();
};

template <class Space>
bool makes_parts(const Space&) {
  return Space::has_streams && MadeTogether::is_on();
}

/// Waits for all work; on Cuda, among parts of a larger object, later kernels wait instead of the host.
template <class Space>
void settle(const Space& space) {
  space.wait();
}
void settle(const Cuda& space);

}  // namespace ostinato
