// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include <ostinato/spmv/space/vector.hpp>

namespace ostinato {

/// The memory of one solve: allocated before the first iteration, freed all at once.
template <class Space>
class Workspace {
 public:
  explicit Workspace(const Space& space) : space_(space) {}

  /// Allocates n uninitialised elements in the memory of the space.
  template <class T>
  std::span<T> allocate(std::size_t n) {
    blocks_.emplace_back(space_, n * sizeof(T));
    bytes_ += n * sizeof(T);
    return {reinterpret_cast<T*>(blocks_.back().data()), n};
  }

  /// Allocates one element and sets its value. Zeros, as nearly all values are, don't have to be waited for.
  template <class T>
  T* emplace(const T& value) {
    T* place = allocate<T>(1).data();
    if (is_zero(std::as_bytes(std::span(&value, 1)))) {
      space_.zero(place, sizeof(T));
    } else {
      space_.upload(place, &value, sizeof(T));
    }
    return place;
  }

  std::size_t bytes() const { return bytes_; }

 private:
  static bool is_zero(std::span<const std::byte> bytes) {
    return std::all_of(bytes.begin(), bytes.end(), [](std::byte b) { return b == std::byte{0}; });
  }

  Space space_;
  std::vector<Vector<Space, std::byte>> blocks_;
  std::size_t bytes_ = 0;
};

/// Copies one element from the memory of the space to the host. Waits for the copy.
template <class Space, class T>
T read_scalar(const Space& space, const T* place) {
  T value;
  space.download(&value, place, sizeof(T));
  return value;
}

}  // namespace ostinato
