// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/together.hpp>

namespace ostinato {

/// Copies objects of type T from the memory of a space to the host. wait() returns the copies in the order of start().
/// On Cuda start() enqueues the copy, and the host reads the copy later, while the stream continues with the next
/// iterations. On other spaces wait() copies; where the host can read the memory, as on Host, it returns the object
/// itself.
template <class Space, class T>
class Readback {
 public:
  static constexpr int most_pending = 0;  ///< copies that may be pending when start() is called

  explicit Readback(const Space& space) : space_(space) {}
  void start(const T* from) { source_ = from; }
  int pending() const { return source_ != nullptr; }
  const T& wait() {
    const T* const source = std::exchange(source_, nullptr);
    if constexpr (Space::has_host_memory) {
      return *source;
    } else {
      space_.download(&copy_, source, sizeof(T));
      return copy_;
    }
  }

 private:
  struct None {};

  Space space_;
  const T* source_ = nullptr;
  [[no_unique_address]] std::conditional_t<Space::has_host_memory, None, T> copy_{};
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

/// Copies arrays to host memory while the stream goes on. After finish() they are where they were to go. On other
/// spaces than Cuda the constructor copies.
template <class Space>
class DownloadBehind {
 public:
  DownloadBehind(const Space& space, const std::vector<Copied>& arrays) { download(space, arrays); }
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
