// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>

#include <ostinato/spmv/space/cuda.hpp>

namespace ostinato {

class Host;

/// Copies of one object from the memory of the space to the host, in the order in which they were started. On Cuda a
/// copy is enqueued on the stream and read later, while the stream goes on with the next iterations.
template <class Space, class T>
class Readback;

template <class T>
class Readback<Host, T> {
 public:
  static constexpr int most_pending = 0;  ///< copies that may be under way while the next is started

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

/// Two pinned buffers of `bytes` each, used in turn.
class CudaReadback {
 public:
  CudaReadback(const Cuda& space, std::size_t bytes);
  ~CudaReadback();
  CudaReadback(const CudaReadback&) = delete;
  CudaReadback& operator=(const CudaReadback&) = delete;

  void start(const void* from);
  int pending() const { return started_ - read_; }
  const void* wait();  ///< for the oldest copy; the result is valid until two more copies are started

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
