// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/together.hpp>

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

/// Copies arrays to host memory while the stream goes on. After finish() they are where they were to go. On Host the
/// constructor copies.
template <class Space>
class DownloadBehind;

template <>
class DownloadBehind<Host> {
 public:
  DownloadBehind(const Host& space, const std::vector<Copied>& arrays) { download(space, arrays); }
  void finish() {}
};

template <>
class DownloadBehind<Cuda> {
 public:
  /// Exec      Enqueued.
  DownloadBehind(const Cuda& space, std::vector<Copied> arrays);
  ~DownloadBehind();
  DownloadBehind(const DownloadBehind&) = delete;
  DownloadBehind& operator=(const DownloadBehind&) = delete;

  void finish();  ///< waits for the copies, not for what was enqueued after them

 private:
  struct Buffer;
  Cuda space_;
  std::vector<Copied> arrays_;
  std::unique_ptr<Buffer> buffer_;
};

}  // namespace ostinato
