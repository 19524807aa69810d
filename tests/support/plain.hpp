// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// A space as a program from outside may bring one, by spmv/space/concept.hpp: memory of std::vectors, one thread, no
// streams, and no more than a space has to have. It knows nothing of the library but what that header asks for.

#include <cstddef>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <new>
#include <stdexcept>
#include <type_traits>
#include <vector>

namespace plain {

/// Blocks of memory, which it knows by their addresses: a pointer into other memory is an error.
class Memory {
 public:
  void* allocate(std::size_t bytes) {
    std::vector<std::byte> block(bytes + alignment);
    void* begin = block.data();
    std::size_t room = block.size();
    std::align(alignment, bytes, begin, room);
    std::byte* const p = static_cast<std::byte*>(begin);
    blocks_.emplace(p, Block{std::move(block), bytes});
    return p;
  }

  void release(void* p) noexcept { blocks_.erase(static_cast<std::byte*>(p)); }

  /// Throws    std::logic_error unless the bytes are in a block.
  void require(const void* p, std::size_t bytes) const {
    const auto* const begin = static_cast<const std::byte*>(p);
    auto block = blocks_.upper_bound(begin);
    const bool is_there = block != blocks_.begin() && begin + bytes <= (--block)->first + block->second.bytes;
    if (!is_there && bytes > 0) throw std::logic_error("memory of another space was taken for that of a Plain");
  }

 private:
  static constexpr std::size_t alignment = 64;
  struct Block {
    std::vector<std::byte> memory;
    std::size_t bytes;
  };
  std::map<const std::byte*, Block> blocks_;
};

class Plain {
 public:
  static constexpr bool has_host_memory = false;  // host code keeps to upload and download
  static constexpr bool has_streams = false;

  void* allocate(std::size_t bytes) const { return memory_->allocate(bytes); }
  void release(void* p) const noexcept { memory_->release(p); }
  void upload(void* to, const void* from, std::size_t bytes) const {
    memory_->require(to, bytes);
    move(to, from, bytes);
  }
  void download(void* to, const void* from, std::size_t bytes) const {
    memory_->require(from, bytes);
    move(to, from, bytes);
  }
  void copy(void* to, const void* from, std::size_t bytes) const {
    memory_->require(to, bytes);
    memory_->require(from, bytes);
    move(to, from, bytes);
  }
  void zero(void* p, std::size_t bytes) const {
    memory_->require(p, bytes);
    if (bytes > 0) std::memset(p, 0, bytes);
  }
  void wait() const {}
  bool is_same_place(const Plain& other) const { return memory_ == other.memory_; }
  void trim() const {}
  std::size_t free_bytes() const { return std::numeric_limits<std::size_t>::max() / 4; }
  std::size_t pooled_bytes() const { return 0; }

 private:
  static void move(void* to, const void* from, std::size_t bytes) {
    if (bytes > 0) std::memmove(to, from, bytes);
  }

  std::shared_ptr<Memory> memory_ = std::make_shared<Memory>();
};

/// Whether the elements are to be visited; tells the functor where they aren't.
template <class F>
bool begins(F& f) {
  if constexpr (requires { f.prepare(); }) {
    if (f.prepare()) return true;
    if constexpr (requires { f.skipped(); }) f.skipped();
    return false;
  }
  return true;
}

template <class F>
void for_each(const Plain&, std::size_t n, F f) {
  if (!begins(f)) return;
  for (std::size_t i = 0; i < n; ++i) f(i);
}

template <class F>
void sum(const Plain&, std::size_t n, F f, double* slots) {
  if (!begins(f)) return;
  std::remove_cvref_t<decltype(f(n))> total{};
  for (std::size_t i = 0; i < n; ++i) total += f(i);
  for (int k = 0; k < total.count && slots != nullptr; ++k) slots[k] = total.v[k];
  if constexpr (requires { f.finish(total); }) f.finish(total);
}

}  // namespace plain
