// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <ostinato/spmv/space/vector.hpp>

namespace ostinato {

/// Memory of one solve: taken before the first iteration, given back together.
template <class Space>
class Workspace {
 public:
  explicit Workspace(const Space& space) : space_(space) {}

  /// n unset elements in the memory of the space.
  template <class T>
  std::span<T> allocate(std::size_t n) {
    blocks_.emplace_back(space_, n * sizeof(T));
    bytes_ += n * sizeof(T);
    return {reinterpret_cast<T*>(blocks_.back().data()), n};
  }

  /// One element with a value.
  template <class T>
  T* emplace(const T& value) {
    T* place = allocate<T>(1).data();
    space_.upload(place, &value, sizeof(T));
    return place;
  }

  std::size_t bytes() const { return bytes_; }

 private:
  Space space_;
  std::vector<Vector<Space, std::byte>> blocks_;
  std::size_t bytes_ = 0;
};

/// A copy of one element from the memory of the space; waits.
template <class Space, class T>
T read_scalar(const Space& space, const T* place) {
  T value;
  space.download(&value, place, sizeof(T));
  return value;
}

}  // namespace ostinato
