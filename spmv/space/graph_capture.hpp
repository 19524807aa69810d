// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <ostinato/spmv/space/cuda.hpp>

namespace ostinato {

class Host;

/// True for operators and preconditioners that only enqueue kernels with the same arguments on every call, so that a
/// stream capture of them may be replayed. Say `using is_replayable = void;` in a class of your own for which that
/// holds.
template <class A>
inline constexpr bool is_replayable = requires {
  typename A::is_replayable;
};

/// Runs the same iterations again and again.
///
/// On Cuda a block of iterations is recorded into a CUDA graph after a few plain ones, and from then on launched as
/// one: that takes the launches of single kernels off the host. On Host, and for what isn't replayable, the
/// iterations just run.
template <class Space>
class Replay;

template <>
class Replay<Host> {
 public:
  Replay(const Host&, int iterations, bool) : iterations_(iterations) {}

  template <class F>
  void operator()(int, F&& iterate) {
    for (int k = 0; k < iterations_; ++k) iterate();
  }

 private:
  int iterations_;
};

/// A recorded stretch of a stream.
class CudaGraph {
 public:
  explicit CudaGraph(const Cuda& space);
  ~CudaGraph();
  CudaGraph(const CudaGraph&) = delete;
  CudaGraph& operator=(const CudaGraph&) = delete;

  static bool can_record(const Cuda& space);  ///< not on the legacy default stream, nor inside another capture
  void begin();
  void end();  ///< makes a graph of what was recorded, in the place of the last one; throws DeviceError when it can't
  void abandon() noexcept;
  void launch();

 private:
  struct Body;
  Cuda space_;
  std::unique_ptr<Body> body_;
};

template <>
class Replay<Cuda> {
 public:
  Replay(const Cuda& space, int iterations, bool replayable)
      : iterations_(iterations), may_record_(replayable && CudaGraph::can_record(space)), graph_(space) {}

  /// `revision` is that of the operator: a recording of another one is made anew.
  template <class F>
  void operator()(int revision, F&& iterate) {
    if (!may_record_ || plain_blocks_++ < plain_before_recording) return run(iterate);
    if (recorded_ != revision) record(revision, iterate);
    graph_.launch();
  }

 private:
  /// A recording costs about as much as 50 launches: short solves do without.
  static constexpr int plain_before_recording = 2;

  template <class F>
  void run(F& iterate) {
    for (int k = 0; k < iterations_; ++k) iterate();
  }

  template <class F>
  void record(int revision, F& iterate) {
    graph_.begin();
    try {
      run(iterate);
    } catch (...) {
      graph_.abandon();
      throw;
    }
    graph_.end();
    recorded_ = revision;
  }

  int iterations_;
  int plain_blocks_ = 0;
  bool may_record_;
  int recorded_ = -1;  ///< the revision of the recording
  CudaGraph graph_;
};

}  // namespace ostinato
