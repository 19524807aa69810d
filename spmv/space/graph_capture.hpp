// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <ostinato/spmv/space/cuda.hpp>

namespace ostinato {

class Host;

/// Runs blocks of iterations, again and again.
///
/// On Cuda a block is captured into a CUDA graph after a few plain ones, and from then on the graph is launched: one
/// launch takes the place of those of all kernels. On Host, and when the iterations can't be captured, they just run.
///
/// Requires  A block leaves every scalar in the slot in which it found it, since a captured block always works on the same
///           slots: the length of a block is a multiple of `period`, the iterations after which that is so. Otherwise
///           nothing is captured.
template <class Space>
class GraphCapture;

template <>
class GraphCapture<Host> {
 public:
  GraphCapture(const Host&, int iterations, int, bool) : iterations_(iterations) {}

  template <class F>
  void operator()(int, F&& iterate) {
    for (int k = 0; k < iterations_; ++k) iterate();
  }

 private:
  int iterations_;
};

/// A CUDA graph of what was captured from a stream.
class CudaGraph {
 public:
  explicit CudaGraph(const Cuda& space);
  ~CudaGraph();
  CudaGraph(const CudaGraph&) = delete;
  CudaGraph& operator=(const CudaGraph&) = delete;

  static bool can_capture(const Cuda& space);  ///< not from the legacy default stream, nor inside another capture
  void begin();
  void end();  ///< makes the graph, in the place of the last one; throws DeviceError when it can't
  void abandon() noexcept;
  void launch();

 private:
  struct Body;
  Cuda space_;
  std::unique_ptr<Body> body_;
};

template <>
class GraphCapture<Cuda> {
 public:
  GraphCapture(const Cuda& space, int iterations, int period, bool capturable)
      : iterations_(iterations),
        may_capture_(capturable && iterations % period == 0 && CudaGraph::can_capture(space)),
        graph_(space) {}

  /// `revision` is that of the operator: when it has changed, the block is captured again.
  template <class F>
  void operator()(int revision, F&& iterate) {
    if (!may_capture_ || plain_blocks_++ < plain_before_capture) return run(iterate);
    if (captured_ != revision) capture(revision, iterate);
    graph_.launch();
  }

 private:
  /// A capture costs about as much as 50 launches: short solves do without.
  static constexpr int plain_before_capture = 2;

  template <class F>
  void run(F& iterate) {
    for (int k = 0; k < iterations_; ++k) iterate();
  }

  template <class F>
  void capture(int revision, F& iterate) {
    graph_.begin();
    try {
      run(iterate);
    } catch (...) {
      graph_.abandon();
      throw;
    }
    graph_.end();
    captured_ = revision;
  }

  int iterations_;
  int plain_blocks_ = 0;
  bool may_capture_;
  int captured_ = -1;  ///< the revision of the operator in the graph
  CudaGraph graph_;
};

}  // namespace ostinato
