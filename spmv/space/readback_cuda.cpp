// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/space/cuda/state.cuh>
#include <ostinato/spmv/space/readback.hpp>

namespace ostinato {

struct CudaReadback::Buffer {
  void* memory = nullptr;
  cudaEvent_t copied = nullptr;
};

CudaReadback::CudaReadback(const Cuda& space, std::size_t bytes)
    : space_(space), bytes_(bytes), buffers_(new Buffer[2]) {
  space_.state().activate();
  for (int k = 0; k < 2; ++k) {
    OSTINATO_CUDA(cudaMallocHost(&buffers_[k].memory, bytes));
    OSTINATO_CUDA(cudaEventCreateWithFlags(&buffers_[k].copied, cudaEventDisableTiming));
  }
}

CudaReadback::~CudaReadback() {
  (void)cudaSetDevice(space_.device());
  (void)cudaStreamSynchronize(space_.stream());
  for (int k = 0; k < 2; ++k) {
    (void)cudaEventDestroy(buffers_[k].copied);
    (void)cudaFreeHost(buffers_[k].memory);
  }
}

void CudaReadback::start(const void* from) {
  const Buffer& buffer = buffers_[started_++ % 2];
  OSTINATO_CUDA(cudaMemcpyAsync(buffer.memory, from, bytes_, cudaMemcpyDeviceToHost, space_.stream()));
  OSTINATO_CUDA(cudaEventRecord(buffer.copied, space_.stream()));
}

const void* CudaReadback::wait() {
  const Buffer& buffer = buffers_[read_++ % 2];
  OSTINATO_CUDA(cudaEventSynchronize(buffer.copied));
  return buffer.memory;
}

}  // namespace ostinato
