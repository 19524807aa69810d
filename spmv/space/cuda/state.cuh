// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>
#include <vector>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/cuda/on_device.hpp>

// The types behind cublasHandle_t and cusparseHandle_t. Their headers compile slowly, so only cuda/cublas.hpp and
// cuda/cusparse.hpp include those headers.
struct cublasContext;
struct cusparseContext;

namespace ostinato {

/// Whether a call of the runtime has succeeded. An error isn't left for the caller's next cudaGetLastError().
inline bool cuda_succeeds(cudaError_t code) {
  if (code != cudaSuccess) (void)cudaGetLastError();
  return code == cudaSuccess;
}

/// Throws    DeviceError unless the code says success; DeviceMemoryError where memory ran out.
inline void cuda_check(cudaError_t code, const char* what) {
  if (cuda_succeeds(code)) return;
  const std::string text = std::string("CUDA: ") + cudaGetErrorString(code) + " in " + what;
  if (code == cudaErrorMemoryAllocation) throw DeviceMemoryError(text);
  throw DeviceError(text);
}

#define OSTINATO_CUDA(call) ::ostinato::cuda_check(call, #call)

/// For calls of CUB, which take the last error of the runtime for theirs, even where an earlier call has left it.
#define OSTINATO_CUB(call) ((void)cudaGetLastError(), OSTINATO_CUDA(call))

/// During its lifetime, a thread that captures a stream may make calls that would otherwise break the capture, such as
/// loading code. These calls aren't captured.
class OutsideOfCapture {
 public:
  OutsideOfCapture() { (void)cuda_succeeds(cudaThreadExchangeStreamCaptureMode(&mode_)); }
  ~OutsideOfCapture() { (void)cuda_succeeds(cudaThreadExchangeStreamCaptureMode(&mode_)); }
  OutsideOfCapture(const OutsideOfCapture&) = delete;
  OutsideOfCapture& operator=(const OutsideOfCapture&) = delete;

 private:
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

/// The state that the copies of a Cuda object share. Only one host thread at a time uses a State.
struct Cuda::State {
  /// The memory pool of a GPU. All spaces on the GPU share it, so that what one of them has freed serves the others.
  struct Pool {
    cudaMemPool_t handle = nullptr;
    const pid_t process = ::getpid();  ///< a child of a fork leaves CUDA alone

    static std::shared_ptr<Pool> of(int device);
    ~Pool();
  };

  /// Most thread blocks of a reduction; the buffer `partial` has room for their sums. One buffer is enough, because the
  /// work runs in order on one stream.
  static constexpr int max_partial = 4096;
  static constexpr int max_sums = 8;  ///< most sums per thread block
  static constexpr std::size_t staging_bytes = std::size_t{1} << 19;
  static constexpr std::size_t uploads_bytes = std::size_t{1} << 19;

  /// Freed memory that trim() leaves with the library, for the next operators and solves. To map memory anew takes
  /// long. (H200, 2026-11: poisson3d:256, of 1.4 GB, is set up in 15.3 ms instead of 17 to 19.)
  std::size_t kept_bytes() const { return properties.totalGlobalMem / 32; }

  int device = 0;
  const pid_t process = ::getpid();
  CUctx_st* context = nullptr;
  cudaStream_t stream = nullptr;
  bool owns_stream = false;
  std::shared_ptr<Pool> pool;
  cudaDeviceProp properties{};
  double bandwidth = 0;
  bool has_clusters = false;    ///< kernels may be clusters of thread blocks (cluster.cuh)
  bool overlaps = false;        ///< kernels may start while the previous kernel ends (overlap.cuh)
  double* partial = nullptr;    ///< max_sums * max_partial elements
  unsigned* arrived = nullptr;  ///< blocks of the running reduction that have arrived; 0 between reductions
  double* of_warps = nullptr;   ///< where dotted products leave the sums of warps (SumsOfWarps)
  char* staging = nullptr;      ///< pinned buffer for small downloads (H200, 2026-11: 26 kB take 10 us instead of 14)
  char* uploads = nullptr;      ///< pinned buffer behind it, for small uploads that the host needn't wait for
  std::size_t uploading = 0;    ///< bytes of `uploads` that copies may still read
  cublasContext* cublas = nullptr;
  cusparseContext* cusparse = nullptr;

  /// Another stream (SideStream), with buffers of its own for reductions.
  struct Side {
    cudaStream_t stream = nullptr;
    double* partial = nullptr;
    unsigned* arrived = nullptr;
    cudaEvent_t marked = nullptr, ended = nullptr;
  };
  static constexpr int most_sides = 2;
  Side sides[most_sides];
  bool is_aside = false;  ///< the stream and the buffers above are those of a side, which has the space's own
  void open(Side& side);
  void swap_with(Side& side) noexcept;

  /// A pinned buffer for copies to the host, and an event to record after a copy.
  struct Pinned {
    static constexpr std::size_t least_bytes = 4096;
    void* memory = nullptr;
    std::size_t bytes = 0;
    cudaEvent_t copied = nullptr;
  };
  /// Pinned buffers that nobody uses: they are kept, since to make and to free one takes longer than a small solve.
  /// The mutex is for destructors, which run in a thread that was refused because another one uses the space, too.
  std::vector<Pinned> spare;
  std::mutex spare_mutex;
  Pinned take_pinned(std::size_t bytes);  ///< of that many bytes or more
  void give_pinned(const Pinned& p) noexcept;
  static void free(const Pinned& p) noexcept;

  mutable std::atomic<std::thread::id> user{};  ///< the thread that uses the space at this moment (OnDevice)

  State(int on_device, cudaStream_t on_stream, bool owns) : device(on_device), stream(on_stream), owns_stream(owns) {}
  ~State();
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  /// Creates everything else. When it throws, the destructor frees what there is.
  void create();

  /// Waits for all work on the stream.
  void wait();
  /// Room in `uploads` for a copy that the caller enqueues; null where it should wait for its copy: for many bytes, and
  /// while the stream is captured, when a copy would be repeated with what the buffer holds then.
  char* room_to_upload(std::size_t bytes);

  /// Held shared while a stream is captured, and alone while a space is destroyed: the vendor's libraries free memory
  /// then, which breaks captures of other threads.
  static std::shared_timed_mutex& captures();
  static bool& captures_here();  ///< whether this thread captures a stream

  /// The cuBLAS handle for this stream. The first call creates the handle, which takes a while.
  cublasContext* blas();
  cusparseContext* sparse();  ///< the same for cuSPARSE
};

}  // namespace ostinato
