// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <ostinato/spmv/base/lengths.hpp>

namespace ostinato {

/// An array in the memory of a space. An array can be moved but not copied. An array converts to std::span; on Cuda the
/// span refers to device memory.
///
/// Exec      On Cuda memory is allocated and released in stream order. Downloads wait. Host memory that was
///           uploaded may be changed; on another stream the elements are there after wait().
/// Limits    Elements are unset unless the constructor gets host values.
template <class Space, class T>
class Vector {
 public:
  Vector() = default;

  Vector(const Space& space, std::size_t size)
      : space_(space), data_(size == 0 ? nullptr : static_cast<T*>(space.allocate(size * sizeof(T)))), size_(size) {}

  Vector(const Space& space, std::span<const T> host) : Vector(space, host.size()) { upload(host); }
  /// Copies an array of this space or of another one of its kind.
  Vector(const Space& space, const Vector& other) : Vector(space, other.size()) { upload(other); }

  /// Written by the space: zeros (of which all bits are 0), and copies of the first few of other values.
  Vector(const Space& space, std::size_t size, T value) : Vector(space, size) {
    if (size > 0) fill(value);
  }

  Vector(Vector&& other) noexcept
      : space_(other.space_), data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

  Vector& operator=(Vector&& other) noexcept {
    std::swap(space_, other.space_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }

  ~Vector() {
    if (data_ != nullptr) space_->release(data_);
  }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::size_t bytes() const { return size_ * sizeof(T); }
  std::span<T> span() { return {data_, size_}; }
  std::span<const T> span() const { return {data_, size_}; }
  operator std::span<T>() { return span(); }
  operator std::span<const T>() const { return span(); }

  /// Copies from host memory of the same size.
  /// Throws    DimensionError for another size.
  void upload(std::span<const T> host) {
    if (host.size() != size_) detail::refuse_length("upload", size_, host.size());
    if (size_ > 0) space_->upload(data_, host.data(), bytes());
  }

  /// Copies from another array of the same size.
  void upload(const Vector& other) {
    if (size_ == 0) return;
    if (!space_->is_same_place(*other.space_)) return upload(other.download());
    space_->copy(data_, other.data_, bytes());
  }

  /// Returns a copy in host memory.
  std::vector<T> download() const {
    std::vector<T> host(size_);
    if (size_ > 0) space_->download(host.data(), data_, bytes());
    return host;
  }

 private:
  void fill(T value) {
    const T zero{};
    if (std::memcmp(&value, &zero, sizeof zero) == 0) return space_->zero(data_, bytes());
    constexpr std::size_t most = 1024;
    const std::vector<T> first(std::min(most, size_), value);
    space_->upload(data_, first.data(), first.size() * sizeof(T));
    for (std::size_t k = first.size(); k < size_; k *= 2)
      space_->copy(data_ + k, data_, std::min(k, size_ - k) * sizeof(T));
  }

  std::optional<Space> space_;
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace ostinato
