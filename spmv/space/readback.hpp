// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>

#include <ostinato/spmv/space/cuda.hpp>

namespace ostinato {

class Host;

/// Copies of one object on its way from the memory of the space to the host, oldest first. On Cuda a letter is posted
/// on the stream and read later, while the stream goes on with the next iterations.
template <class Space, class T>
class Mailbox;

template <class T>
class Mailbox<Host, T> {
 public:
  static constexpr int ahead = 0;  ///< letters that may be under way while the next is posted

  explicit Mailbox(const Host&) {}
  void post(const T* from) { letter_ = from; }
  int under_way() const { return letter_ != nullptr; }
  const T& take() {
    const T* letter = letter_;
    letter_ = nullptr;
    return *letter;
  }

 private:
  const T* letter_ = nullptr;
};

/// Two pinned buffers of `bytes` each, used in turn.
class CudaMailbox {
 public:
  CudaMailbox(const Cuda& space, std::size_t bytes);
  ~CudaMailbox();
  CudaMailbox(const CudaMailbox&) = delete;
  CudaMailbox& operator=(const CudaMailbox&) = delete;

  void post(const void* from);
  int under_way() const { return posted_ - taken_; }
  const void* take();  ///< waits for the oldest letter; valid until two more are posted

 private:
  struct Slot;
  Cuda space_;
  std::size_t bytes_;
  std::unique_ptr<Slot[]> slots_;
  int posted_ = 0;
  int taken_ = 0;
};

template <class T>
class Mailbox<Cuda, T> {
 public:
  static constexpr int ahead = 1;

  explicit Mailbox(const Cuda& space) : box_(space, sizeof(T)) {}
  void post(const T* from) { box_.post(from); }
  int under_way() const { return box_.under_way(); }
  const T& take() { return *static_cast<const T*>(box_.take()); }

 private:
  CudaMailbox box_;
};

}  // namespace ostinato
