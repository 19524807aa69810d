// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/spmv/space/cuda.hpp>

namespace ostinato {

/// Work beside that of a space: on a GPU another stream, whose kernels run together with those of the space. Kernels
/// that don't fill the GPU take less time so. Where the space has made its own stream, its kernels have priority over
/// those beside. On spaces other than Cuda such work is done at once. A space has two such
/// streams, number 0 and 1, whose work may run at the same time, too.
///
///   SideStream<Space> side(space);
///   side.mark();              what the work reads is enqueued
///   ...                       more work of the space
///   side.run([&] { ... });    enqueues the work beside, after what came before mark()
///   side.join();              what is enqueued from now on comes after both
///
/// Requires  mark() before run(), whose work comes after the latest mark. Work of the space between mark() and join()
///           touches nothing that the work beside writes, and writes nothing that this work reads; memory that the work
///           beside uses is released after join(). An operator isn't used by two of them. The work beside uploads
///           nothing, and calls no run(). At most one object for each number of a space at a time.
/// Throws    ArgumentError for another number, on Cuda.
template <class Space>
class SideStream {
 public:
  explicit SideStream(const Space&, int = 0) {}
  void mark() {}
  template <class F>
  void run(F f) {
    f();
  }
  void join() {}
};

template <>
class SideStream<Cuda> {
 public:
  /// The first object with a number makes the stream, which the space then keeps.
  explicit SideStream(const Cuda& space, int number = 0);
  ~SideStream();  ///< joins
  SideStream(const SideStream&) = delete;
  SideStream& operator=(const SideStream&) = delete;

  void mark();
  /// Calls f(), which enqueues work on the space.
  template <class F>
  void run(F f) {
    const OnSide on_side(*this);
    f();
  }
  void join();

 private:
  /// While an object of this class lives, the space enqueues on the other stream.
  class OnSide {
   public:
    explicit OnSide(SideStream& side);
    ~OnSide();
    OnSide(const OnSide&) = delete;
    OnSide& operator=(const OnSide&) = delete;

   private:
    const Cuda& space_;
    int number_;
  };

  Cuda space_;
  int number_;
  bool is_behind_ = false;  ///< work was enqueued beside since the last join()
};

}  // namespace ostinato
