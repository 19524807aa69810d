// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0

// The CUDA space of a build without CUDA. Its constructor throws, so that nothing else here is ever reached; the rest
// satisfies the linker.

#include <ostinato/spmv/space/readback.hpp>
#include <ostinato/spmv/space/graph_capture.hpp>
#include <ostinato/solvers/steps_kernels.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/formats/diagonal/band_kernels.hpp>
#include <ostinato/spmv/formats/textbook/textbook_kernels.hpp>
#include <ostinato/spmv/formats/cmrs/cmrs_kernels.hpp>
#include <ostinato/spmv/formats/csr/csr_plan.hpp>
#include <ostinato/spmv/formats/cusparse/cusparse_product.hpp>
#include <ostinato/spmv/formats/diagonal/generated_product.hpp>
#include <ostinato/spmv/formats/diagonal/row_classes.hpp>
#include <ostinato/spmv/formats/cusparse/vendor.hpp>
#include <ostinato/spmv/analysis/diagonals.hpp>
#include <ostinato/spmv/space/error.hpp>
#include <ostinato/spmv/formats/bccoo/bccoo_build.hpp>
#include <ostinato/spmv/analysis/pattern_hash.hpp>
#include <ostinato/spmv/analysis/profile.hpp>
#include <ostinato/spmv/space/scan.hpp>
#include <ostinato/spmv/analysis/structure.hpp>

namespace ostinato {

namespace {

constexpr const char* absent =
    "this build of ostinato has no CUDA; build it where the CUDA toolkit is found, or use the CPU";

[[noreturn]] void fail() { throw DeviceError(absent); }

}  // namespace

struct Cuda::State {};

Cuda::Cuda(int) { fail(); }
Cuda::Cuda(int, Stream) { fail(); }
int Cuda::device_count() noexcept { return 0; }
std::string Cuda::why_absent() { return absent; }
std::string Cuda::build_description() { return "built without CUDA"; }
int Cuda::device() const { fail(); }
Cuda::Stream Cuda::stream() const { fail(); }
int Cuda::multiprocessors() const { fail(); }
std::size_t Cuda::cache_bytes() const { fail(); }
std::size_t Cuda::shared_bytes() const { fail(); }
double Cuda::bandwidth() const { fail(); }
std::string Cuda::description() const { fail(); }
void Cuda::wait() const { fail(); }
void* Cuda::allocate(std::size_t) const { fail(); }
void Cuda::release(void*) const noexcept {}
void Cuda::upload(void*, const void*, std::size_t) const { fail(); }
void Cuda::download(void*, const void*, std::size_t) const { fail(); }
void Cuda::copy(void*, const void*, std::size_t) const { fail(); }
void Cuda::zero(void*, std::size_t) const { fail(); }
void require_device_memory(const Cuda&, const void*, const char*) { fail(); }

struct CudaMailbox::Slot {};
CudaMailbox::CudaMailbox(const Cuda& space, std::size_t bytes) : space_(space), bytes_(bytes) { fail(); }
CudaMailbox::~CudaMailbox() = default;
void CudaMailbox::post(const void*) { fail(); }
const void* CudaMailbox::take() { fail(); }

struct CudaGraph::Body {};
CudaGraph::CudaGraph(const Cuda& space) : space_(space) { fail(); }
CudaGraph::~CudaGraph() = default;
bool CudaGraph::can_record(const Cuda&) { fail(); }
void CudaGraph::begin() { fail(); }
void CudaGraph::end() { fail(); }
void CudaGraph::abandon() noexcept {}
void CudaGraph::launch() { fail(); }

std::shared_ptr<GeneratedKernels> GeneratedKernels::request(const Cuda&, std::string, std::vector<std::string>) {
  ostinato::fail();
}
std::shared_ptr<GeneratedKernels> GeneratedKernels::request(std::string architecture, std::string source,
                                                            std::vector<std::string> names) {
  const std::shared_ptr<GeneratedKernels> kernels(
      new GeneratedKernels(std::move(architecture), std::move(source), std::move(names)));
  kernels->fail("built without CUDA");
  return kernels;
}
void GeneratedKernels::forget() {}
const void* GeneratedKernels::function(std::size_t) { return nullptr; }

template <class F>
void for_each(const Cuda&, std::size_t, F) {
  fail();
}

template <class F>
void sum(const Cuda&, std::size_t, F, double*) {
  fail();
}

void exclusive_scan(const Cuda&, std::span<Offset>) { fail(); }

template <class T>
Structure analyse(const Cuda&, const CsrView<T>&, Look) {
  fail();
}
template Structure analyse(const Cuda&, const CsrView<float>&, Look);
template Structure analyse(const Cuda&, const CsrView<double>&, Look);

template <class T>
DiagonalCensus take_census(const Cuda&, const CsrView<T>&, std::span<const Index>, Index) {
  fail();
}
template DiagonalCensus take_census(const Cuda&, const CsrView<float>&, std::span<const Index>, Index);
template DiagonalCensus take_census(const Cuda&, const CsrView<double>&, std::span<const Index>, Index);

template <class T>
std::future<Profile> begin_profile(const Cuda&, const CsrView<T>&) {
  fail();
}
template std::future<Profile> begin_profile(const Cuda&, const CsrView<float>&);
template std::future<Profile> begin_profile(const Cuda&, const CsrView<double>&);

template <class T>
std::string pattern_hash(const Cuda&, const CsrView<T>&) {
  fail();
}
template std::string pattern_hash(const Cuda&, const CsrView<float>&);
template std::string pattern_hash(const Cuda&, const CsrView<double>&);

template <class T>
double vendor_csr_seconds(const Cuda&, const CsrView<T>&) {
  fail();
}
template double vendor_csr_seconds(const Cuda&, const CsrView<float>&);
template double vendor_csr_seconds(const Cuda&, const CsrView<double>&);

namespace formats {

template <class T>
CsrPlan<Cuda>::CsrPlan(const Cuda&, const CsrView<T>&, const Structure&) {
  fail();
}
template <class T>
void csr_apply(const Cuda&, const CsrPlan<Cuda>&, const CsrView<T>&, T, const T*, T, T*) {
  fail();
}
template <class T>
void csr_apply_dot(const Cuda&, const CsrPlan<Cuda>&, const CsrView<T>&, const T*, T*, const T*, double*) {
  fail();
}
template <class T>
void bccoo_apply(const Cuda&, const BccooView<T>&, const Product<T>&) {
  fail();
}
template class BccooStore<Cuda, float>;
template class BccooStore<Cuda, double>;

template <class T>
CmrsMatrix<Cuda, T> cmrs_build(const Cuda&, const CsrView<T>&, const CmrsShape&) {
  fail();
}
template <class T>
void cmrs_set_values(const Cuda&, const CsrView<T>&, CmrsMatrix<Cuda, T>&) {
  fail();
}
template <class T>
ostinato::Csr<T> cmrs_to_csr(const Cuda&, const CmrsMatrix<Cuda, T>&) {
  fail();
}
template <class T>
void cmrs_apply(const Cuda&, const CmrsMatrix<Cuda, T>&, const Product<T>&, int) {
  fail();
}
template <class T>
CusparseProduct<Cuda, T>::CusparseProduct(const Cuda&, const CsrView<T>&, CusparseKind, int) {
  fail();
}
template <class T>
void CusparseProduct<Cuda, T>::apply(T, const T*, T, T*) const {
  fail();
}
template <class T>
void CusparseProduct<Cuda, T>::update_values(const CsrView<T>&) {
  fail();
}
template <class T>
const CusparseArrays<Cuda, T>& CusparseProduct<Cuda, T>::arrays() const {
  fail();
}
template <class T>
std::size_t CusparseProduct<Cuda, T>::bytes() const {
  fail();
}
template class CusparseProduct<Cuda, float>;
template class CusparseProduct<Cuda, double>;

template <class T>
void band_fill(const Cuda&, const CsrView<T>&, const BandView<T>&, const BandStore<T>&) {
  fail();
}
template <class T>
Offset band_count_kept(const Cuda&, const CsrView<T>&, const BandView<T>&) {
  fail();
}
template <class T>
void band_apply(const Cuda&, const BandView<T>&, const Product<T>&) {
  fail();
}
template <class T>
void band_apply_dot(const Cuda&, const BandView<T>&, const Product<T>&, const T*, double*) {
  fail();
}

template <class T>
RowClasses<Cuda, T>::RowClasses(const Cuda& space, const DiagonalCensus&) : space_(space) {
  fail();
}
template <class T>
std::optional<RowClasses<Cuda, T>> RowClasses<Cuda, T>::make(const Cuda&, const CsrView<T>&, const DiagonalCensus&) {
  fail();
}
template <class T>
bool RowClasses<Cuda, T>::update_values(const CsrView<T>&) {
  fail();
}
template <class T>
void RowClasses<Cuda, T>::apply(const Product<T>&) const {
  fail();
}
template <class T>
void RowClasses<Cuda, T>::apply_dot(const Product<T>&, const T*, double*) const {
  fail();
}
template class RowClasses<Cuda, float>;
template class RowClasses<Cuda, double>;

template <class T>
void GeneratedProduct::request(const Cuda&, const BandView<T>&) {
  fail();
}
template <class T>
void GeneratedProduct::request(const Cuda&, const ClassView<T>&) {
  fail();
}
void GeneratedProduct::wait() const { fail(); }
template <class View, class T>
bool GeneratedProduct::product(const Cuda&, const View&, const Product<T>&) const {
  fail();
}
template <class View, class T>
bool GeneratedProduct::product_dot(const Cuda&, const View&, const Product<T>&, const T*, double*) const {
  fail();
}
bool GeneratedProduct::in_use(const Cuda&) const { fail(); }
std::string GeneratedProduct::text() const { return {}; }

#define OSTINATO_INSTANTIATE(T)                                                                                       \
  template CsrPlan<Cuda>::CsrPlan(const Cuda&, const CsrView<T>&, const Structure&);                                  \
  template void csr_apply(const Cuda&, const CsrPlan<Cuda>&, const CsrView<T>&, T, const T*, T, T*);                  \
  template void csr_apply_dot(const Cuda&, const CsrPlan<Cuda>&, const CsrView<T>&, const T*, T*, const T*, double*); \
  template void bccoo_apply(const Cuda&, const BccooView<T>&, const Product<T>&);                                     \
  template CmrsMatrix<Cuda, T> cmrs_build(const Cuda&, const CsrView<T>&, const CmrsShape&);                          \
  template void cmrs_set_values(const Cuda&, const CsrView<T>&, CmrsMatrix<Cuda, T>&);                                \
  template ostinato::Csr<T> cmrs_to_csr(const Cuda&, const CmrsMatrix<Cuda, T>&);                                     \
  template void cmrs_apply(const Cuda&, const CmrsMatrix<Cuda, T>&, const Product<T>&, int);                          \
  template void band_fill(const Cuda&, const CsrView<T>&, const BandView<T>&, const BandStore<T>&);                   \
  template Offset band_count_kept(const Cuda&, const CsrView<T>&, const BandView<T>&);                                \
  template void band_apply(const Cuda&, const BandView<T>&, const Product<T>&);                                       \
  template void band_apply_dot(const Cuda&, const BandView<T>&, const Product<T>&, const T*, double*);                \
  template void GeneratedProduct::request(const Cuda&, const BandView<T>&);                                           \
  template void GeneratedProduct::request(const Cuda&, const ClassView<T>&);                                          \
  template bool GeneratedProduct::product(const Cuda&, const BandView<T>&, const Product<T>&) const;                  \
  template bool GeneratedProduct::product(const Cuda&, const ClassView<T>&, const Product<T>&) const;                 \
  template bool GeneratedProduct::product_dot(const Cuda&, const BandView<T>&, const Product<T>&, const T*, double*)  \
      const;                                                                                                          \
  template bool GeneratedProduct::product_dot(const Cuda&, const ClassView<T>&, const Product<T>&, const T*, double*) \
      const
OSTINATO_INSTANTIATE(float);
OSTINATO_INSTANTIATE(double);

}  // namespace formats

template <class T, class Space>
void project(const Space&, int, const T*, In<T>, T*) {
  fail();
}
template <class T, class Space>
void subtract(const Space&, int, const T*, const T*, Out<T>) {
  fail();
}
template <class T, class Space>
void combine(const Space&, int, const T*, const T*, Out<T>) {
  fail();
}

namespace formats {

template <class T>
void csr_vector_apply(const Cuda&, const detail::CsrArrays<T>&, const Product<T>&) {
  fail();
}
template <class T>
void coo_add(const Cuda&, const detail::CooView<T>&, T, const T*, T*, T*) {
  fail();
}
template <class C, class T>
void sliced_apply(const Cuda&, const detail::SlicedView<C, T>&, const Product<T>&) {
  fail();
}
template <class C, class T>
void sliced_apply_dot(const Cuda&, const detail::SlicedView<C, T>&, const Product<T>&, const T*, double*) {
  fail();
}

}  // namespace formats

OSTINATO_INSTANTIATE_BASELINE_PATTERNS();
OSTINATO_INSTANTIATE_BASELINES(float);
OSTINATO_INSTANTIATE_BASELINES(double);
OSTINATO_INSTANTIATE_SLICED(std::int16_t, float);
OSTINATO_INSTANTIATE_SLICED(std::int16_t, double);
OSTINATO_INSTANTIATE_SLICED(Index, float);
OSTINATO_INSTANTIATE_SLICED(Index, double);

OSTINATO_INSTANTIATE_STEPS(Cuda, float);
OSTINATO_INSTANTIATE_STEPS(Cuda, double);

}  // namespace ostinato
