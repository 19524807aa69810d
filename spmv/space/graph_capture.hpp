// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <tuple>
#include <utility>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/timing.hpp>
#include <ostinato/spmv/space/cuda.hpp>

namespace ostinato {

/// The revisions of A and M. A captured block is out of date when they have changed.
struct Revisions {
  int a = 0, m = 0;
  bool operator==(const Revisions&) const = default;
};

/// Runs a block of iterations repeatedly.
///
/// On Cuda the first iterations launch their kernels one by one: 32, or two blocks of iterations that take the host so
/// long to launch that a graph pays at once. The next block is captured into a CUDA graph, and from then on one graph
/// launch replaces all kernel launches of a block. When the iterations can't be captured, every block runs without a
/// graph. So do all blocks from the first whose capture is broken, by a call of another thread or by one that
/// a capture doesn't allow, or whose graph can't be had, because memory ran out: of that block nothing has run then.
/// On other spaces every block runs as it is. Ranks that share a space on GPUs do each of these steps together, and
/// capture the first block: without a graph their hosts meet at each sum and each exchange.
///
/// Requires  For capture, the length of a block is a multiple of `period`. After `period` iterations every scalar is in
///           the memory slot where it was before. A graph needs this, because a graph always uses the same slots. With
///           other lengths no block is captured.
template <class Space>
class GraphCapture {
 public:
  GraphCapture(const Space&, int iterations, int, bool) : iterations_(iterations) {}

  template <class F, class... Changed>
  void operator()(const Revisions&, F&& iterate, Changed&...) {
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

  /// False during another capture, and on streams that wait for the legacy default stream: while one of them is
  /// captured, the calls of other threads on that stream fail.
  static bool can_capture(const Cuda& space);
  void begin();  ///< drops the previous graph
  void end();    ///< creates the graph
  void launch();
  /// Ends a capture that has begun, and drops the graph. Returns whether the capture was broken: nothing that is
  /// enqueued then is captured, nor runs.
  bool abandon() noexcept;

 private:
  struct Body;
  Cuda space_;
  std::unique_ptr<Body> body_;
};

/// Thrown by what can't be captured though it said so. The block then runs without a graph.
class NotCapturable : public DeviceError {
 public:
  using DeviceError::DeviceError;
};

/// GraphCapture on Cuda, for one space or for those of several ranks, which decide together. A `Company` has
///   space()             of which a stream is captured
///   may_capture(here), all(here), any(here)    whether they can, and what all of them or some say
///   captured(enqueue)   calls enqueue() during the capture
///   makes_room()        whether the latest capture found too little memory, of which the next one will have more
///   launch(graph)
template <class Company>
class CapturedBlocks {
 public:
  /// enough: iterations after which a block is captured in any case; 0 for the first one, on all ranks.
  CapturedBlocks(Company company, int iterations, int period, bool capturable, int enough)
      : company_(std::move(company)),
        iterations_(iterations),
        enough_(enough),
        may_capture_(
            company_.may_capture(capturable && iterations % period == 0 && CudaGraph::can_capture(company_.space()))),
        graph_(company_.space()) {}

  /// Runs one block, captured again when the revisions have changed. `changed`: what iterate() changes on the host,
  /// such as pointers that it swaps.
  template <class F, class... Changed>
  void operator()(const Revisions& revisions, F&& iterate, Changed&... changed) {
    if (may_capture_ && (enough_ == 0 || company_.any(pays()))) {
      const std::tuple<Changed...> before(changed...);
      do {
        if (launch_graph(revisions, iterate)) return;
        std::tie(changed...) = before;
      } while (company_.makes_room());
      may_capture_ = false;
    }
    run_plain(iterate);
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

  /// Captures the block where there is no graph of these revisions, and launches the graph. False when the graph can't
  /// be had: no iteration of the block has run then. What the iterations throw by themselves is thrown on.
  template <class F>
  bool launch_graph(const Revisions& revisions, F& iterate) {
    const bool is_there = captured_ == revisions || capture(revisions, iterate);
    if (!company_.all(is_there)) {
      captured_.reset();
      (void)graph_.abandon();
      return false;
    }
    return company_.launch(graph_);
  }

  template <class F>
  bool capture(const Revisions& revisions, F& iterate) {
    bool is_iterating = false;
    try {
      captured_.reset();
      company_.captured([&] {
        graph_.begin();
        is_iterating = true;
        run(iterate);
        is_iterating = false;
        graph_.end();
      });
      captured_ = revisions;
      return true;
    } catch (const NotCapturable&) {
      (void)graph_.abandon();
      return false;
    } catch (...) {
      const bool is_broken = graph_.abandon();
      if (is_iterating && !is_broken) throw;
      return false;
    }
  }

  Company company_;
  int iterations_, enough_;
  int plain_ = 0;         ///< iterations without a graph so far
  double launching_ = 0;  ///< seconds that the host took to launch the latest of them
  bool may_capture_;
  std::optional<Revisions> captured_;  ///< those of the graph; none without a graph
  CudaGraph graph_;
};

/// A space that shares its iterations with nobody.
class AloneOnGpu {
 public:
  explicit AloneOnGpu(const Cuda& space) : space_(space) {}

  const Cuda& space() const { return space_; }
  static bool may_capture(bool here) { return here; }
  static bool all(bool here) { return here; }
  static bool any(bool here) { return here; }
  static bool makes_room() { return false; }
  template <class F>
  static void captured(F enqueue) {
    enqueue();
  }
  /// False where it can't be launched.
  static bool launch(CudaGraph& graph) {
    try {
      graph.launch();
      return true;
    } catch (const DeviceError&) {
      (void)graph.abandon();
      return false;
    }
  }

 private:
  Cuda space_;
};

template <>
class GraphCapture<Cuda> : public CapturedBlocks<AloneOnGpu> {
 public:
  GraphCapture(const Cuda& space, int iterations, int period, bool capturable, int enough = 32)
      : CapturedBlocks(AloneOnGpu(space), iterations, period, capturable, enough) {}
};

}  // namespace ostinato
