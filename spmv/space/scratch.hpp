// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>
#include <ostinato/spmv/space/vector.hpp>

namespace ostinato {

/// The scratch arrays of a stored matrix: what a product writes and reads again, all of one length, cleared when they
/// are allocated. borrow() gives one of them for the duration of a product.
///
/// Exec      Host: several threads may borrow at once, and each has an array of its own; a thread that is the only one
///           always gets the same array. Cuda: there is one array, because a product must not allocate, and the
///           products of a space run one after the other.
template <class Space, class T>
class Scratch;

template <class T>
class Scratch<Host, T> {
 private:
  struct Shelf {
    std::mutex mutex;
    std::vector<Vector<Host, T>> idle;
    std::size_t count = 0;  ///< arrays in all; `idle` has room for all of them
  };

 public:
  /// Gives the array back when destroyed.
  class Borrowed {
   public:
    Borrowed(Shelf& shelf, Vector<Host, T> array) : shelf_(shelf), array_(std::move(array)) {}
    ~Borrowed() {
      const std::lock_guard lock(shelf_.mutex);
      shelf_.idle.push_back(std::move(array_));
    }
    Borrowed(const Borrowed&) = delete;
    Borrowed& operator=(const Borrowed&) = delete;
    T* data() { return array_.data(); }

   private:
    Shelf& shelf_;
    Vector<Host, T> array_;
  };

  Scratch() = default;
  Scratch(const Host& space, std::size_t size) : space_(space), size_(size), shelf_(std::make_unique<Shelf>()) {
    borrow();
  }

  Borrowed borrow() const { return {*shelf_, take()}; }
  std::size_t size() const { return size_; }
  std::size_t bytes() const { return size_ * sizeof(T); }  ///< of one array

 private:
  Vector<Host, T> take() const {
    const std::lock_guard lock(shelf_->mutex);
    if (!shelf_->idle.empty()) {
      Vector<Host, T> array = std::move(shelf_->idle.back());
      shelf_->idle.pop_back();
      return array;
    }
    shelf_->idle.reserve(shelf_->count + 1);  // ~Borrowed must not allocate
    Vector<Host, T> array(*space_, size_);
    space_->zero(array.data(), array.bytes());
    ++shelf_->count;
    return array;
  }

  std::optional<Host> space_;
  std::size_t size_ = 0;
  std::unique_ptr<Shelf> shelf_;
};

template <class T>
class Scratch<Cuda, T> {
 public:
  class Borrowed {
   public:
    explicit Borrowed(T* data) : data_(data) {}
    T* data() { return data_; }

   private:
    T* data_;
  };

  Scratch() = default;
  Scratch(const Cuda& space, std::size_t size) : array_(space, size) {
    if (size > 0) space.zero(array_.data(), array_.bytes());
  }

  Borrowed borrow() const { return Borrowed(const_cast<T*>(array_.data())); }
  std::size_t size() const { return array_.size(); }
  std::size_t bytes() const { return array_.bytes(); }

 private:
  Vector<Cuda, T> array_;
};

}  // namespace ostinato
