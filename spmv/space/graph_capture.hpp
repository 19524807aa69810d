// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/timing.hpp>

namespace ostinato {

class Host;

/// Runs a block of iterations repeatedly.
///
/// On Cuda the first iterations launch their kernels one by one: 32, or two blocks of iterations that take the host so
/// long to launch that a graph pays at once. The next block is captured into a CUDA graph, and from then on one graph
/// launch replaces all kernel launches of a block. On Host, and when the iterations can't be captured, every block runs
/// without a graph.
///
/// Requires  For capture, the length of a block is a multiple of `period`. After `period` iterations every scalar is in
///           the memory slot where it was before. A graph needs this, because a graph always uses the same slots. With
///           other lengths no block is captured.
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

/// A CUDA graph that is captured from the stream of a space.
class CudaGraph {
 public:
  explicit CudaGraph(const Cuda& space);
  ~CudaGraph();
  CudaGraph(const CudaGraph&) = delete;
  CudaGraph& operator=(const CudaGraph&) = delete;

  static bool can_capture(const Cuda& space);  ///< false on the legacy default stream and during another capture
  void begin();
  void end();  ///< creates the graph and replaces the previous graph; throws DeviceError on failure
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
  /// enough: iterations after which a block is captured in any case.
  GraphCapture(const Cuda& space, int iterations, int period, bool capturable, int enough = 32)
      : iterations_(iterations),
        enough_(enough),
        may_capture_(capturable && iterations % period == 0 && CudaGraph::can_capture(space)),
        graph_(space) {}

  /// Runs one block. `revision` is the revision of the operator: a changed revision makes the block be captured again.
  template <class F>
  void operator()(int revision, F&& iterate) {
    if (!may_capture_ || !pays()) return run_plain(iterate);
    if (captured_ != revision) capture(revision, iterate);
    graph_.launch();
  }

 private:
  /// A capture costs several times what it saves in a block of few launches, so short solves run without a graph. With
  /// many launches an iteration, as those of algebraic multigrid have, it costs as much as one or two blocks (H100,
  /// 2026-11). The first block doesn't count, because it loads kernels.
  bool pays() const {
    constexpr double many_launches = 100e-6;
    return plain_ >= enough_ || (plain_ > iterations_ && launching_ >= many_launches);
  }

  template <class F>
  void run_plain(F& iterate) {
    const Stopwatch watch;
    run(iterate);
    launching_ = watch.seconds() / iterations_;
    plain_ += iterations_;
  }

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

  int iterations_, enough_;
  int plain_ = 0;         ///< iterations without a graph so far
  double launching_ = 0;  ///< seconds that the host took to launch the latest of them
  bool may_capture_;
  int captured_ = -1;  ///< the revision of the operator in the graph
  CudaGraph graph_;
};

}  // namespace ostinato
