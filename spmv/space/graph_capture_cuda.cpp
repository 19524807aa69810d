// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/space/graph_capture.hpp>

#include <mutex>
#include <shared_mutex>
#include <utility>

#include <ostinato/spmv/space/cuda/state.cuh>

namespace ostinato {

struct CudaGraph::Body {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t launchable = nullptr;
  std::shared_lock<std::shared_timed_mutex> capturing;  ///< from begin() to end() or abandon()

  cudaError_t end_capture(cudaStream_t stream) {
    const cudaError_t code = cudaStreamEndCapture(stream, &graph);
    Cuda::State::captures_here() = false;
    capturing = {};
    return code;
  }
  ~Body() {
    if (launchable != nullptr) (void)cudaGraphExecDestroy(launchable);
    if (graph != nullptr) (void)cudaGraphDestroy(graph);
  }
};

CudaGraph::CudaGraph(const Cuda& space) : space_(space), body_(std::make_unique<Body>()) {}
CudaGraph::~CudaGraph() { (void)abandon(); }

bool CudaGraph::can_capture(const Cuda& space) {
  const OnDevice here(space);
  unsigned flags = 0;
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  return cuda_succeeds(cudaStreamGetFlags(space.stream(), &flags)) && (flags & cudaStreamNonBlocking) != 0 &&
         cuda_succeeds(cudaStreamIsCapturing(space.stream(), &status)) && status == cudaStreamCaptureStatusNone;
}

/// The old graph is destroyed before the capture begins, because destroying a graph during a capture breaks the
/// capture.
void CudaGraph::begin() {
  const OnDevice here(space_);
  body_ = std::make_unique<Body>();
  std::shared_lock capturing(Cuda::State::captures());
  OSTINATO_CUDA(cudaStreamBeginCapture(space_.stream(), cudaStreamCaptureModeThreadLocal));
  body_->capturing = std::move(capturing);
  Cuda::State::captures_here() = true;
}

void CudaGraph::end() {
  const OnDevice here(space_);
  OSTINATO_CUDA(body_->end_capture(space_.stream()));
  OSTINATO_CUDA(cudaGraphInstantiate(&body_->launchable, body_->graph, 0));
  OSTINATO_CUDA(cudaGraphUpload(body_->launchable, space_.stream()));  // a launch then allocates nothing
}

bool CudaGraph::abandon() noexcept {
  const OnDevice here(space_.state(), OnDevice::Quietly{});
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  if (body_ != nullptr && body_->capturing.owns_lock()) {
    (void)cudaStreamIsCapturing(space_.stream(), &status);
    (void)body_->end_capture(space_.stream());
  }
  body_.reset();
  return status == cudaStreamCaptureStatusInvalidated;
}

void CudaGraph::launch() {
  const OnDevice here(space_);
  OSTINATO_CUDA(cudaGraphLaunch(body_->launchable, space_.stream()));
}

}  // namespace ostinato
