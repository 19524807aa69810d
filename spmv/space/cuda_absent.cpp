// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0

// The Cuda class, and what works on it alone, in a build without CUDA. The constructors throw, so that the other
// functions are never called; they only satisfy the linker. What works on Host, too, is made by cmake/cuda_stubs.sh.

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/space/courier.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/graph_capture.hpp>
#include <ostinato/spmv/space/libraries.hpp>
#include <ostinato/spmv/space/readback.hpp>
#include <ostinato/spmv/space/scan.hpp>
#include <ostinato/spmv/space/side_stream.hpp>
#include <ostinato/spmv/space/sort_by_key.hpp>
#include <ostinato/spmv/space/together.hpp>

namespace ostinato {

namespace {

constexpr const char* absent =
    "this build of ostinato has no CUDA; build it with the CUDA toolkit (OSTINATO_CUDA=on ./dev build), or use the CPU";

[[noreturn]] void fail() { throw DeviceError(absent); }

}  // namespace

struct Cuda::State {};

Cuda::Cuda(int) { fail(); }
Cuda::Cuda(int, Stream) { fail(); }
int Cuda::device_count() noexcept { return 0; }
std::string Cuda::why_absent(int) { return absent; }
std::string Cuda::build_description() { return "built without CUDA"; }
int Cuda::device() const { fail(); }
Cuda::Stream Cuda::stream() const { fail(); }
int Cuda::multiprocessors() const { fail(); }
std::size_t Cuda::cache_bytes() const { fail(); }
std::size_t Cuda::shared_bytes() const { fail(); }
double Cuda::bandwidth() const { fail(); }
bool Cuda::is_same_place(const Cuda&) const { fail(); }
std::string Cuda::description() const { fail(); }
void Cuda::wait() const { fail(); }
void* Cuda::allocate(std::size_t) const { fail(); }
void Cuda::release(void*) const noexcept {}
void Cuda::upload(void*, const void*, std::size_t) const { fail(); }
void Cuda::download(void*, const void*, std::size_t) const { fail(); }
void Cuda::copy(void*, const void*, std::size_t) const { fail(); }
void Cuda::zero(void*, std::size_t) const { fail(); }
void Cuda::trim() const { fail(); }
std::size_t Cuda::free_bytes() const { fail(); }
std::size_t Cuda::pooled_bytes() const { fail(); }
void require_device_memory(const Cuda&, const void*, const char*) { fail(); }

std::string cuda_libraries() { return {}; }

struct CudaReadback::Buffer {};
CudaReadback::CudaReadback(const Cuda& space, std::size_t bytes) : space_(space), bytes_(bytes) { fail(); }
CudaReadback::~CudaReadback() = default;
void CudaReadback::start(const void*) { fail(); }
const void* CudaReadback::wait() { fail(); }
struct DownloadBehind<Cuda>::Buffer {};
DownloadBehind<Cuda>::DownloadBehind(const Cuda& space, std::vector<Copied>) : space_(space) { fail(); }
DownloadBehind<Cuda>::~DownloadBehind() = default;
void DownloadBehind<Cuda>::finish() { fail(); }

SideStream<Cuda>::SideStream(const Cuda& space, int number) : space_(space), number_(number) { fail(); }
SideStream<Cuda>::~SideStream() = default;
void SideStream<Cuda>::mark() { fail(); }
void SideStream<Cuda>::join() { fail(); }
SideStream<Cuda>::OnSide::OnSide(SideStream& side) : space_(side.space_), number_(side.number_) { fail(); }
SideStream<Cuda>::OnSide::~OnSide() = default;

struct SharedBytes<Cuda>::Memory {};
SharedBytes<Cuda>::SharedBytes(const Cuda&) { fail(); }
SharedBytes<Cuda>::~SharedBytes() = default;
void SharedBytes<Cuda>::make_room(std::size_t) { fail(); }

struct CudaGraph::Body {};
CudaGraph::CudaGraph(const Cuda& space) : space_(space) { fail(); }
CudaGraph::~CudaGraph() = default;
bool CudaGraph::can_capture(const Cuda&) { fail(); }
void CudaGraph::begin() { fail(); }
void CudaGraph::end() { fail(); }
bool CudaGraph::abandon() noexcept { return false; }
void CudaGraph::launch() { fail(); }

void exclusive_scan(const Cuda&, std::span<Offset>) { fail(); }

void sort_by_key(const Cuda&, Vector<Cuda, unsigned>&, unsigned, Vector<Cuda, Index>&) { fail(); }
void download(const Cuda&, std::span<const Copied>) { fail(); }
void settle(const Cuda&) { fail(); }

}  // namespace ostinato
