// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/space/graph_capture.hpp>

#include <shared_mutex>

#include <ostinato/spmv/space/cuda/state.cuh>

namespace ostinato {

struct CudaGraph::Body {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t launchable = nullptr;
  std::shared_lock<std::shared_mutex> capturing;  ///< from begin() to end() or abandon()

  ~Body() {
    if (launchable != nullptr) (void)cudaGraphExecDestroy(launchable);
    if (graph != nullptr) (void)cudaGraphDestroy(graph);
  }
};

CudaGraph::CudaGraph(const Cuda& space) : space_(space), body_(std::make_unique<Body>()) {}
CudaGraph::~CudaGraph() {
  const OnDevice here(space_.state(), OnDevice::Quietly{});
  body_.reset();
}

bool CudaGraph::can_capture(const Cuda& space) {
  // Null and cudaStreamLegacy are two names of one stream.
  if (space.stream() == nullptr || space.stream() == cudaStreamLegacy) return false;
  const OnDevice here(space);
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  return cudaStreamIsCapturing(space.stream(), &status) == cudaSuccess && status == cudaStreamCaptureStatusNone;
}

/// The old graph is destroyed before the capture begins, because destroying a graph during a capture breaks the
/// capture.
void CudaGraph::begin() {
  const OnDevice here(space_);
  body_ = std::make_unique<Body>();
  body_->capturing = std::shared_lock<std::shared_mutex>(Cuda::State::captures());
  OSTINATO_CUDA(cudaStreamBeginCapture(space_.stream(), cudaStreamCaptureModeThreadLocal));
}

void CudaGraph::end() {
  const OnDevice here(space_);
  const cudaError_t ended = cudaStreamEndCapture(space_.stream(), &body_->graph);
  body_->capturing = {};
  OSTINATO_CUDA(ended);
  OSTINATO_CUDA(cudaGraphInstantiate(&body_->launchable, body_->graph, 0));
}

void CudaGraph::abandon() noexcept {
  const OnDevice here(space_.state(), OnDevice::Quietly{});
  (void)cudaStreamEndCapture(space_.stream(), &body_->graph);
  body_->capturing = {};
  (void)cudaGetLastError();
}

void CudaGraph::launch() {
  const OnDevice here(space_);
  OSTINATO_CUDA(cudaGraphLaunch(body_->launchable, space_.stream()));
}

}  // namespace ostinato
