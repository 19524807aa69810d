// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <chrono>
#include <cstring>
#include <limits>
#include <map>
#include <mutex>
#include <new>
#include <utility>

#include <ostinato/spmv/base/units.hpp>
#include <ostinato/spmv/space/cuda/cublas.hpp>
#include <ostinato/spmv/space/cuda/cusparse.hpp>
#include <ostinato/spmv/space/cuda/state.cuh>

namespace ostinato {

namespace {

/// An empty kernel, whose attributes tell whether this build holds code for the GPU.
__global__ void probe_kernel() {}

/// Why no GPU can be used; empty when there is one. Touches no GPU.
std::string absence() {
  int driver = 0, count = 0;
  if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0) return "no NVIDIA driver on this machine";
  static const pid_t user = ::getpid();
  if (::getpid() != user) return "CUDA was used before fork(), and can't be used in the child";
  const cudaError_t code = cudaGetDeviceCount(&count);
  (void)cuda_succeeds(code);
  if (code == cudaErrorInsufficientDriver || code == cudaErrorNoDevice || (code == cudaSuccess && count == 0)) {
    return std::string("no usable NVIDIA GPU (") + (code == cudaSuccess ? "none found" : cudaGetErrorString(code)) +
           ")";
  }
  if (code != cudaSuccess) return std::string("CUDA can't be used: ") + cudaGetErrorString(code);
  return "";
}

/// Why this GPU can't be used. Touches no other GPU.
std::string absence(int device) {
  const int count = Cuda::device_count();
  if (device < 0 || device >= count) {
    return "no GPU number " + std::to_string(device) + ": this machine has " + std::to_string(count) +
           ", numbered from 0";
  }
  try {
    const OnDevice here(device);
    cudaFuncAttributes attributes{};
    if (cuda_succeeds(cudaFuncGetAttributes(&attributes, probe_kernel))) return "";
  } catch (const DeviceError& e) {
    return "GPU number " + std::to_string(device) + " can't be used: " + e.what();
  }
  return "this build has no code for GPU number " + std::to_string(device) +
         "; build it with CMAKE_CUDA_ARCHITECTURES for it";
}

/// True when kernels may overlap by programmatic dependent launch: the GPU has compute capability 9.0, and the driver
/// can capture such launches into graphs (from 12.3 on). The kernels must also be compiled for 9.0 or later. Code that
/// the driver compiles from older PTX doesn't wait for the previous kernel.
bool kernels_overlap(const cudaDeviceProp& properties) {
  int driver = 0;
  cudaFuncAttributes attributes{};
  OSTINATO_CUDA(cudaDriverGetVersion(&driver));
  OSTINATO_CUDA(cudaFuncGetAttributes(&attributes, probe_kernel));
  return properties.major >= 9 && driver >= 12030 && attributes.ptxVersion >= 90;
}

}  // namespace

std::shared_ptr<Cuda::State::Pool> Cuda::State::Pool::of(int device) {
  static std::mutex mutex;
  static auto& pools = *new std::map<int, std::weak_ptr<Pool>>;  // outlives spaces with static storage
  const std::lock_guard lock(mutex);
  if (auto pool = pools[device].lock()) return pool;
  const auto pool = std::make_shared<Pool>();
  cudaMemPoolProps props{};
  props.allocType = cudaMemAllocationTypePinned;
  props.location = {cudaMemLocationTypeDevice, device};
  OSTINATO_CUDA(cudaMemPoolCreate(&pool->handle, &props));
  // Freed memory stays in the pool until trim(), because to map it anew takes long.
  auto keep = std::numeric_limits<std::uint64_t>::max();
  OSTINATO_CUDA(cudaMemPoolSetAttribute(pool->handle, cudaMemPoolAttrReleaseThreshold, &keep));
  pools[device] = pool;
  return pool;
}

Cuda::State::Pool::~Pool() {
  if (handle != nullptr && process == ::getpid()) (void)cudaMemPoolDestroy(handle);
}

void Cuda::State::create() {
  context = OnDevice::primary_context(device);
  const OnDevice here(*this);
  OSTINATO_CUDA(cudaGetDeviceProperties(&properties, device));
  has_clusters = overlaps = kernels_overlap(properties);
  int clock_khz = 0, width_bits = 0;
  OSTINATO_CUDA(cudaDeviceGetAttribute(&clock_khz, cudaDevAttrMemoryClockRate, device));
  OSTINATO_CUDA(cudaDeviceGetAttribute(&width_bits, cudaDevAttrGlobalMemoryBusWidth, device));
  constexpr double usual = 2e12;  // some drivers don't report the clock rate
  bandwidth = clock_khz > 0 && width_bits > 0 ? 2e3 * clock_khz * width_bits / 8 : usual;
  if (owns_stream) {
    int least = 0, greatest = 0;
    OSTINATO_CUDA(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    OSTINATO_CUDA(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, greatest));
  }
  pool = Pool::of(device);
  // The first allocation from a pool takes some milliseconds, which would count as set-up of what allocates first.
  OSTINATO_CUDA(cudaMallocFromPoolAsync(&partial, max_sums * max_partial * sizeof(double), pool->handle, stream));
  OSTINATO_CUDA(cudaMallocFromPoolAsync(&arrived, sizeof(unsigned), pool->handle, stream));
  OSTINATO_CUDA(cudaMallocHost(&staging, staging_bytes + uploads_bytes));
  uploads = staging + staging_bytes;
  OSTINATO_CUDA(cudaMemsetAsync(arrived, 0, sizeof(unsigned), stream));
}

std::shared_timed_mutex& Cuda::State::captures() {
  static auto* mutex = new std::shared_timed_mutex;  // outlives spaces at namespace scope
  return *mutex;
}

bool& Cuda::State::captures_here() {
  static thread_local bool here = false;
  return here;
}

/// Ignores errors, because at the end of a program the driver may already be unloaded. The work of the stream may take
/// long, so it is waited for before captures are kept out. Captures take far less than a second, unless one of them
/// waits for this thread; a capture that breaks then is given up (GraphCapture).
Cuda::State::~State() {
  if (process != ::getpid()) return;
  const OnDevice here(*this, OnDevice::Quietly{});
  const OutsideOfCapture outside;
  const bool has_stream = !owns_stream || stream != nullptr;
  if (partial != nullptr) (void)cudaFreeAsync(partial, stream);
  if (arrived != nullptr) (void)cudaFreeAsync(arrived, stream);
  for (const Side& side : sides) {
    if (side.partial != nullptr) (void)cudaFreeAsync(side.partial, stream);
    if (side.arrived != nullptr) (void)cudaFreeAsync(side.arrived, stream);
  }
  if (has_stream) (void)cudaStreamSynchronize(stream);
  std::unique_lock<std::shared_timed_mutex> alone(captures(), std::defer_lock);
  if (!captures_here()) (void)alone.try_lock_for(std::chrono::seconds(1));
  if (cublas != nullptr && !cuda::Cublas::is_closed()) (void)cuda::Cublas::get().destroy(cublas);
  if (cusparse != nullptr && !cuda::Cusparse::is_closed()) (void)cuda::Cusparse::get().destroy(cusparse);
  if (staging != nullptr) (void)cudaFreeHost(staging);
  for (const Pinned& p : spare) free(p);
  pool.reset();
  for (const Side& side : sides) {
    if (side.marked != nullptr) (void)cudaEventDestroy(side.marked);
    if (side.ended != nullptr) (void)cudaEventDestroy(side.ended);
    if (side.stream != nullptr) (void)cudaStreamDestroy(side.stream);
  }
  if (owns_stream && has_stream) (void)cudaStreamDestroy(stream);
}

void Cuda::State::wait() {
  OSTINATO_CUDA(cudaStreamSynchronize(stream));
  if (!is_aside) uploading = 0;
}

char* Cuda::State::room_to_upload(std::size_t bytes) {
  constexpr std::size_t most = uploads_bytes / 2, alignment = 16;
  cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
  if (bytes > most || is_aside) return nullptr;  // a copy on the side isn't over when the stream has been waited for
  if (!cuda_succeeds(cudaStreamIsCapturing(stream, &capture)) || capture != cudaStreamCaptureStatusNone) return nullptr;
  if (uploading + bytes > uploads_bytes) wait();
  char* const room = uploads + uploading;
  uploading += (bytes + alignment - 1) / alignment * alignment;
  return room;
}

void Cuda::State::open(Side& side) {
  if (side.ended != nullptr) return;
  if (side.stream == nullptr) OSTINATO_CUDA(cudaStreamCreateWithFlags(&side.stream, cudaStreamNonBlocking));
  if (side.partial == nullptr)
    OSTINATO_CUDA(
        cudaMallocFromPoolAsync(&side.partial, max_sums * max_partial * sizeof(double), pool->handle, stream));
  if (side.arrived == nullptr)
    OSTINATO_CUDA(cudaMallocFromPoolAsync(&side.arrived, sizeof(unsigned), pool->handle, stream));
  OSTINATO_CUDA(cudaMemsetAsync(side.arrived, 0, sizeof(unsigned), stream));
  if (side.marked == nullptr) OSTINATO_CUDA(cudaEventCreateWithFlags(&side.marked, cudaEventDisableTiming));
  OSTINATO_CUDA(cudaEventCreateWithFlags(&side.ended, cudaEventDisableTiming));
}

void Cuda::State::swap_with(Side& side) noexcept {
  std::swap(stream, side.stream);
  std::swap(partial, side.partial);
  std::swap(arrived, side.arrived);
  is_aside = !is_aside;
  if (cublas != nullptr) (void)cuda::Cublas::get().set_stream(cublas, stream);
  if (cusparse != nullptr) (void)cuda::Cusparse::get().set_stream(cusparse, stream);
}

Cuda::State::Pinned Cuda::State::take_pinned(std::size_t bytes) {
  Pinned p;
  {
    const std::lock_guard lock(spare_mutex);
    const auto found =
        std::min_element(spare.begin(), spare.end(), [&](const Pinned& a, const Pinned& b) {  // the smallest that fits
          return std::pair(a.bytes < bytes, a.bytes) < std::pair(b.bytes < bytes, b.bytes);
        });
    if (found != spare.end() && found->bytes >= bytes) {
      p = *found;
      spare.erase(found);
      return p;
    }
  }
  p.bytes = std::max(std::bit_ceil(bytes), Pinned::least_bytes);
  try {
    OSTINATO_CUDA(cudaMallocHost(&p.memory, p.bytes));
    OSTINATO_CUDA(cudaEventCreateWithFlags(&p.copied, cudaEventDisableTiming));
  } catch (...) {
    free(p);
    throw;
  }
  return p;
}

void Cuda::State::give_pinned(const Pinned& p) noexcept {
  try {
    const std::lock_guard lock(spare_mutex);
    spare.push_back(p);
  } catch (const std::bad_alloc&) {
    free(p);
  }
}

void Cuda::State::free(const Pinned& p) noexcept {
  if (p.copied != nullptr) (void)cudaEventDestroy(p.copied);
  if (p.memory != nullptr) (void)cudaFreeHost(p.memory);
}

cublasHandle_t Cuda::State::blas() {
  if (cublas == nullptr) {
    cublasHandle_t made = nullptr;
    OSTINATO_CUBLAS(create, &made);
    const auto code = cuda::Cublas::get().set_stream(made, stream);
    if (code != CUBLAS_STATUS_SUCCESS) (void)cuda::Cublas::get().destroy(made);
    cuda::cublas_check(code, "cublas set_stream");
    cublas = made;
  }
  return cublas;
}

cusparseHandle_t Cuda::State::sparse() {
  if (cusparse == nullptr) {
    cusparseHandle_t made = nullptr;
    OSTINATO_CUSPARSE(create, &made);
    const auto code = cuda::Cusparse::get().set_stream(made, stream);
    if (code != CUSPARSE_STATUS_SUCCESS) (void)cuda::Cusparse::get().destroy(made);
    cuda::cusparse_check(code, "cusparse set_stream");
    cusparse = made;
  }
  return cusparse;
}

/// Null and cudaStreamLegacy are two names of one stream.
static bool is_legacy(Cuda::Stream stream) { return stream == nullptr || stream == cudaStreamLegacy; }

/// Throws    ArgumentError when a space on the GPU can't work on this stream.
static void require_usable(int device, Cuda::Stream stream) {
  if (stream == cudaStreamPerThread) {
    throw ArgumentError(
        "cudaStreamPerThread names another stream in each thread; give the Cuda a stream of your own, from "
        "cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking)");
  }
  int of_stream = device;  // the legacy stream is that of whichever GPU; an old driver doesn't tell
  if (is_legacy(stream) || !cuda_succeeds(cudaStreamGetDevice(stream, &of_stream)) || of_stream == device) return;
  throw ArgumentError("the stream belongs to GPU " + std::to_string(of_stream) + ", but the Cuda is to use GPU " +
                      std::to_string(device) + "; make the stream while that GPU is current");
}

static std::shared_ptr<Cuda::State> open(int device, Cuda::Stream stream, bool owns) {
  const std::string why = Cuda::why_absent(device);
  if (!why.empty()) throw DeviceError(why + "; use the CPU");
  if (!owns) require_usable(device, stream);
  auto state = std::make_shared<Cuda::State>(device, stream, owns);
  state->create();
  return state;
}

Cuda::Cuda(int device) : state_(open(device, nullptr, true)) {}
Cuda::Cuda(int device, Stream stream) : state_(open(device, stream, false)) {}

int Cuda::device_count() noexcept {
  static const bool usable = absence().empty();
  int count = 0;
  return usable && cuda_succeeds(cudaGetDeviceCount(&count)) ? count : 0;
}

std::string Cuda::why_absent(int device) {
  std::string why = absence();
  return why.empty() ? absence(device) : why;
}

std::string Cuda::build_description() {
  return "CUDA " + std::to_string(CUDART_VERSION / 1000) + "." + std::to_string(CUDART_VERSION % 1000 / 10);
}

int Cuda::device() const { return state_->device; }
Cuda::Stream Cuda::stream() const { return state_->stream; }
int Cuda::multiprocessors() const { return state_->properties.multiProcessorCount; }
std::size_t Cuda::shared_bytes() const { return state_->properties.sharedMemPerBlockOptin; }
std::size_t Cuda::cache_bytes() const { return static_cast<std::size_t>(state_->properties.l2CacheSize); }
double Cuda::bandwidth() const { return state_->bandwidth; }

bool Cuda::is_same_place(const Cuda& other) const {
  return device() == other.device() &&
         (stream() == other.stream() || (is_legacy(stream()) && is_legacy(other.stream())));
}

std::string Cuda::description() const {
  return std::string(state_->properties.name) + ", " + std::to_string(multiprocessors()) + " multiprocessors, " +
         bytes_text(static_cast<double>(state_->properties.totalGlobalMem));
}

void Cuda::wait() const {
  const OnDevice here(*this);
  state_->wait();
}

void* Cuda::allocate(std::size_t bytes) const {
  const OnDevice here(*this);
  void* p = nullptr;
  const cudaError_t code = cudaMallocFromPoolAsync(&p, bytes, state_->pool->handle, state_->stream);
  if (code == cudaErrorMemoryAllocation) {
    (void)cudaGetLastError();
    std::size_t free = 0, total = 0;
    (void)cuda_succeeds(cudaMemGetInfo(&free, &total));
    const auto text = [](std::size_t n) { return bytes_text(static_cast<double>(n)); };
    throw DeviceMemoryError("GPU memory ran out: " + text(bytes) + " wanted, " + text(free) + " of " + text(total) +
                            " free, and " + text(pooled_bytes()) + " kept by the library");
  }
  OSTINATO_CUDA(code);
  return p;
}

void Cuda::release(void* p) const noexcept {
  const OnDevice here(*state_, OnDevice::Quietly{});
  (void)cudaFreeAsync(p, state_->stream);
}

/// Refuses memory that the host can't read or write.
static void require_host_memory(const void* p, const char* call) {
  cudaPointerAttributes attributes{};
  OSTINATO_CUDA(cudaPointerGetAttributes(&attributes, p));
  if (attributes.type != cudaMemoryTypeDevice) return;
  throw DeviceError(std::string(call) + " got GPU memory in place of host memory; use copy(), or make a Vector of a " +
                    "Vector");
}

void Cuda::upload(void* to, const void* from, std::size_t bytes) const {
  if (bytes == 0) return;
  const OnDevice here(*this);
  require_host_memory(from, "upload");
  char* const room = state_->room_to_upload(bytes);
  if (room != nullptr) std::memcpy(room, from, bytes);
  OSTINATO_CUDA(cudaMemcpyAsync(to, room != nullptr ? room : from, bytes, cudaMemcpyHostToDevice, state_->stream));
  if (room == nullptr) state_->wait();
}

void Cuda::download(void* to, const void* from, std::size_t bytes) const {
  if (bytes == 0) return;
  const OnDevice here(*this);
  require_host_memory(to, "download");
  const bool small = bytes <= State::staging_bytes;
  OSTINATO_CUDA(cudaMemcpyAsync(small ? state_->staging : to, from, bytes, cudaMemcpyDeviceToHost, state_->stream));
  state_->wait();
  if (small) std::memcpy(to, state_->staging, bytes);
}

void Cuda::copy(void* to, const void* from, std::size_t bytes) const {
  if (bytes == 0) return;
  const OnDevice here(*this);
  OSTINATO_CUDA(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, state_->stream));
}

void Cuda::zero(void* p, std::size_t bytes) const {
  if (bytes == 0) return;
  const OnDevice here(*this);
  OSTINATO_CUDA(cudaMemsetAsync(p, 0, bytes, state_->stream));
}

void Cuda::trim() const {
  const OnDevice here(*this);
  state_->wait();  // memory is freed in the order of the stream
  std::uint64_t used = 0;
  OSTINATO_CUDA(cudaMemPoolGetAttribute(state_->pool->handle, cudaMemPoolAttrUsedMemCurrent, &used));
  OSTINATO_CUDA(cudaMemPoolTrimTo(state_->pool->handle, static_cast<std::size_t>(used) + state_->kept_bytes()));
}

std::size_t Cuda::free_bytes() const {
  const OnDevice here(*this);
  std::size_t free = 0, total = 0;
  OSTINATO_CUDA(cudaMemGetInfo(&free, &total));
  return free + pooled_bytes();
}

std::size_t Cuda::pooled_bytes() const {
  const OnDevice here(*this);
  std::uint64_t reserved = 0, used = 0;
  OSTINATO_CUDA(cudaMemPoolGetAttribute(state_->pool->handle, cudaMemPoolAttrReservedMemCurrent, &reserved));
  OSTINATO_CUDA(cudaMemPoolGetAttribute(state_->pool->handle, cudaMemPoolAttrUsedMemCurrent, &used));
  return static_cast<std::size_t>(reserved - used);
}

void require_device_memory(const Cuda& space, const void* p, const char* what) {
  if (p == nullptr) return;
  const OnDevice here(space);
  cudaPointerAttributes attributes{};
  OSTINATO_CUDA(cudaPointerGetAttributes(&attributes, p));
  if (attributes.type == cudaMemoryTypeDevice && attributes.device != space.device()) {
    throw DeviceError(std::string(what) + " is in the memory of GPU " + std::to_string(attributes.device) +
                      ", but the space works on GPU " + std::to_string(space.device()) +
                      "; copy it into a Vector<Cuda, T> of this space first");
  }
  if (attributes.devicePointer == nullptr) {
    throw DeviceError(std::string(what) +
                      " is in host memory that the GPU can't read; copy it into a Vector<Cuda, T> first");
  }
}

}  // namespace ostinato
