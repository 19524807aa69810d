// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/space/cuda/state.cuh>
#include <ostinato/spmv/space/readback.hpp>

namespace ostinato {

struct CudaReadback::Buffer {
  void* memory = nullptr;
  cudaEvent_t copied = nullptr;

  ~Buffer() {
    if (copied != nullptr) (void)cudaEventDestroy(copied);
    if (memory != nullptr) (void)cudaFreeHost(memory);
  }
};

CudaReadback::CudaReadback(const Cuda& space, std::size_t bytes)
    : space_(space), bytes_(bytes), buffers_(new Buffer[2]) {
  const OnDevice here(space_);
  for (int k = 0; k < 2; ++k) {
    OSTINATO_CUDA(cudaMallocHost(&buffers_[k].memory, bytes));
    OSTINATO_CUDA(cudaEventCreateWithFlags(&buffers_[k].copied, cudaEventDisableTiming));
  }
}

CudaReadback::~CudaReadback() {
  const OnDevice here(space_.state(), OnDevice::Quietly{});
  (void)cudaStreamSynchronize(space_.stream());
  buffers_.reset();
}

void CudaReadback::start(const void* from) {
  const Buffer& buffer = buffers_[started_++ % 2];
  const OnDevice here(space_);
  OSTINATO_CUDA(cudaMemcpyAsync(buffer.memory, from, bytes_, cudaMemcpyDeviceToHost, space_.stream()));
  OSTINATO_CUDA(cudaEventRecord(buffer.copied, space_.stream()));
}

const void* CudaReadback::wait() {
  const Buffer& buffer = buffers_[read_++ % 2];
  const OnDevice here(space_);
  OSTINATO_CUDA(cudaEventSynchronize(buffer.copied));
  return buffer.memory;
}

}  // namespace ostinato
