// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>

#include <ostinato/spmv/space/cuda.hpp>

namespace ostinato {

class Host;

/// Copies objects of type T from the memory of a space to the host. wait() returns the copies in the order of start().
/// On Cuda start() enqueues the copy, and the host reads the copy later, while the stream continues with the next
/// iterations. On Host nothing is copied: wait() returns the object itself.
template <class Space, class T>
class Readback;

template <class T>
class Readback<Host, T> {
 public:
  static constexpr int most_pending = 0;  ///< copies that may be pending when start() is called

  explicit Readback(const Host&) {}
  void start(const T* from) { source_ = from; }
  int pending() const { return source_ != nullptr; }
  const T& wait() {
    const T* source = source_;
    source_ = nullptr;
    return *source;
  }

 private:
  const T* source_ = nullptr;
};

/// Copies from the GPU into two pinned host buffers of `bytes` bytes each, used in turn.
class CudaReadback {
 public:
  CudaReadback(const Cuda& space, std::size_t bytes);
  ~CudaReadback();
  CudaReadback(const CudaReadback&) = delete;
  CudaReadback& operator=(const CudaReadback&) = delete;

  void start(const void* from);
  int pending() const { return started_ - read_; }
  const void* wait();  ///< waits for the oldest pending copy k; the result is valid until copy k + 2 starts

 private:
  struct Buffer;
  Cuda space_;
  std::size_t bytes_;
  std::unique_ptr<Buffer[]> buffers_;
  int started_ = 0;
  int read_ = 0;
};

template <class T>
class Readback<Cuda, T> {
 public:
  static constexpr int most_pending = 1;

  explicit Readback(const Cuda& space) : copies_(space, sizeof(T)) {}
  void start(const T* from) { copies_.start(from); }
  int pending() const { return copies_.pending(); }
  const T& wait() { return *static_cast<const T*>(copies_.wait()); }

 private:
  CudaReadback copies_;
};

}  // namespace ostinato
