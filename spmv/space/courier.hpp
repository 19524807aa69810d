// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <vector>

#include <ostinato/spmv/space/cuda.hpp>

// How elements of a space get to the host while its work goes on, and from there to other ranks.

namespace ostinato {

/// Host memory that kernels of a space can write.
template <class Space>
class SharedBytes {
 public:
  explicit SharedBytes(const Space&) {}
  std::byte* data() { return bytes_.data(); }
  const std::byte* data() const { return bytes_.data(); }
  /// Room for so many bytes or more. What was there stays.
  void make_room(std::size_t bytes) {
    if (bytes_.size() < bytes) bytes_.resize(bytes);
  }

 private:
  std::vector<std::byte> bytes_;
};

template <>
class SharedBytes<Cuda> {
 public:
  explicit SharedBytes(const Cuda& space);
  ~SharedBytes();
  SharedBytes(const SharedBytes&) = delete;
  SharedBytes& operator=(const SharedBytes&) = delete;
  std::byte* data() { return data_; }
  const std::byte* data() const { return data_; }
  /// Exec      Waits for the work of the space where there is less room so far.
  void make_room(std::size_t bytes);

 private:
  struct Memory;
  std::byte* data_ = nullptr;
  std::unique_ptr<Memory> memory_;
};

/// Copies beside the work of a GPU: an array to the host, and others from there.
///
///   courier.fetch(from);     enqueued: out() := what `from` holds after the work so far
///   ...                      more work of the space, which isn't waited for
///   courier.wait();          out() is there
///   courier.deliver({..});   enqueued: arrays of in(), one behind the other, to the GPU; later work comes after
///
/// Requires  Each of the three once, in this order. Work between fetch() and wait() leaves `from` as it is.
class Courier {
 public:
  /// Room for so many bytes on their way out and in. Without any, nothing is done.
  Courier(const Cuda& space, std::size_t out, std::size_t in);
  ~Courier();
  Courier(const Courier&) = delete;
  Courier& operator=(const Courier&) = delete;

  std::byte* out() { return out_.data(); }
  std::byte* in() { return in_.data(); }
  void fetch(const void* from);
  void wait();
  /// An array of the GPU, and its bytes.
  struct Place {
    void* to;
    std::size_t bytes;
  };
  void deliver(std::initializer_list<Place> places);

 private:
  struct Stream;
  Cuda space_;
  std::size_t out_bytes_, in_bytes_;
  SharedBytes<Cuda> out_, in_;
  std::unique_ptr<Stream> beside_;  ///< null where nothing is carried
};

}  // namespace ostinato
