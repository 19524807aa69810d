// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/base/units.hpp>
#include <ostinato/spmv/formats/diagonal/generated_product.hpp>
#include <ostinato/spmv/formats/diagonal/product_args.hpp>
#include <ostinato/spmv/space/cuda/launch.cuh>
#include <ostinato/spmv/space/list.hpp>

namespace ostinato::formats {

static_assert(sizeof(PieceWords) == sizeof(RowPiece) &&
              offsetof(PieceWords, first_band) == offsetof(RowPiece, first_band));
static_assert(sizeof(BandWords) == sizeof(Band) && offsetof(BandWords, offset) == offsetof(Band, offset));
static_assert(sizeof(long long) == sizeof(Offset) && sizeof(int) == sizeof(Index));

namespace {

template <class T>
const char* type_name() {
  return is_single<T> ? "float" : "double";
}

template <class T>
BandArgs<T> args_of(const BandView<T>& a, const std::vector<std::uint16_t>& constants) {
  BandArgs<T> args{reinterpret_cast<const unsigned char*>(a.data),
                   a.constants,
                   a.codes,
                   a.piece_of,
                   reinterpret_cast<const PieceWords*>(a.pieces),
                   reinterpret_cast<const BandWords*>(a.bands),
                   a.remainder.ptr,
                   a.remainder.row,
                   a.remainder.col,
                   a.remainder.val,
                   {}};
  for (std::size_t k = 0; k < constants.size(); ++k) args.constant[k] = a.host_constants[constants[k]];
  return args;
}

template <class T>
ClassArgs<T> args_of(const ClassView<T>& a, const std::vector<std::uint16_t>&) {
  static_assert(ClassArgs<T>::max_diagonals >= ClassTable<T>::max_diagonals);
  ClassArgs<T> args{a.tiles, reinterpret_cast<const unsigned long long*>(a.patterns), a.values, {}};
  std::copy_n(a.table->values.begin(), a.table->offsets.size(), args.value);
  return args;
}

template <class T>
Index rows_of(const BandView<T>& a) {
  return a.rows;
}

template <class T>
Index rows_of(const ClassView<T>& a) {
  return a.table->rows;
}

void launch(const Cuda& space, const void* kernel, unsigned blocks, int threads, std::vector<const void*> args) {
  const cuda::OverlappedLaunch overlapped(space, dim3(blocks), dim3(static_cast<unsigned>(threads)), 0);
  OSTINATO_CUDA(cudaLaunchKernelExC(&overlapped.config, kernel, const_cast<void**>(args.data())));
}

template <class T>
bool starts_at_a_pair(const T* p) {
  return reinterpret_cast<std::uintptr_t>(p) % (2 * sizeof(T)) == 0;
}

bool is_recorded(const Cuda& space) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  return !cuda_succeeds(cudaStreamIsCapturing(space.stream(), &status)) || status != cudaStreamCaptureStatusNone;
}

}  // namespace

void GeneratedProduct::request(const Cuda& space, ProductSource source) {
  std::vector<std::string> names{ProductSource::product, ProductSource::product_dot};
  if (source.tiling.pair > 1) names.push_back(ProductSource::product_pairs);
  tiling_ = source.tiling;
  kernels_ = GeneratedKernels::request(space, std::move(source.text), std::move(names));
}

template <class T>
void GeneratedProduct::request(const Cuda& space, const BandView<T>& a) {
  std::optional<ProductSource> source = product_source(*a.plan, type_name<T>());
  not_worth_it_ = !source;
  constants_ = constant_diagonals(*a.plan);
  if (source) request(space, std::move(*source));
}

template <class T>
void GeneratedProduct::request(const Cuda& space, const ClassView<T>& a) {
  request(space, product_source(*a.table, a.simple));
}

void GeneratedProduct::wait() const {
  if (kernels_ != nullptr) kernels_->wait();
}

bool GeneratedProduct::in_use(const Cuda& space) const {
  if (loaded_ || kernels_ == nullptr || kernels_->state() != GeneratedKernels::State::ready) return loaded_;
  const OnDevice here(space);
  if (!why_not_loaded_.empty() || is_recorded(space)) return false;
  try {
    for (const Kernel k : {plain, dot, pairs}) {
      if (k == pairs && tiling_.pair == 1) continue;
      functions_[k] = kernels_->function(k);
      if (functions_[k] == nullptr) return false;
    }
  } catch (const DeviceError& e) {
    why_not_loaded_ = e.what();
    return false;
  }
  return loaded_ = true;
}

template <class View, class T>
bool GeneratedProduct::product(const Cuda& space, const View& a, const Product<T>& p) const {
  const Index rows = rows_of(a);
  if (!in_use(space) || rows == 0) return false;
  const auto args = args_of(a, constants_);
  ProductSource::Tiling tiling = tiling_;
  const bool in_pairs = tiling.pair > 1 && starts_at_a_pair(p.x) && starts_at_a_pair(p.y);
  if (!in_pairs) tiling.pair = 1;
  launch(space, functions_[in_pairs ? pairs : plain], tiling.blocks(rows), tiling.threads, {&args, &p});
  return true;
}

template <class View, class T>
bool GeneratedProduct::product_dot(const Cuda& space, const View& a, const Product<T>& p, const T* w,
                                   Slot<T> slot) const {
  const cuda::Reduction to = cuda::reduction(space, slot);
  if (to.of_warps != nullptr || !in_use(space)) return false;
  const auto args = args_of(a, constants_);
  launch(space, functions_[dot], cuda::tile_blocks(space, rows_of(a), true), cuda::tile_rows, {&args, &p, &w, &to});
  return true;
}

std::string GeneratedProduct::text() const {
  if (not_worth_it_) return "none: the precompiled ones are as good for these diagonals";
  if (kernels_ == nullptr) return {};
  if (!why_not_loaded_.empty()) return "none: " + why_not_loaded_;
  switch (kernels_->state()) {
    case GeneratedKernels::State::compiling:
      return "still being compiled";
    case GeneratedKernels::State::failed:
      return "none: " + kernels_->why();
    case GeneratedKernels::State::ready:
      break;
  }
  return kernels_->compile_seconds() > 0 ? "compiled in " + seconds_text(kernels_->compile_seconds())
                                         : "from the " + kernels_->origin();
}

#define OSTINATO_INSTANTIATE(T)                                                                                       \
  template void GeneratedProduct::request(const Cuda&, const BandView<T>&);                                           \
  template void GeneratedProduct::request(const Cuda&, const ClassView<T>&);                                          \
  template bool GeneratedProduct::product(const Cuda&, const BandView<T>&, const Product<T>&) const;                  \
  template bool GeneratedProduct::product(const Cuda&, const ClassView<T>&, const Product<T>&) const;                 \
  template bool GeneratedProduct::product_dot(const Cuda&, const BandView<T>&, const Product<T>&, const T*, double*)  \
      const;                                                                                                          \
  template bool GeneratedProduct::product_dot(const Cuda&, const ClassView<T>&, const Product<T>&, const T*, double*) \
      const
OSTINATO_FOR_VALUES(OSTINATO_INSTANTIATE);

}  // namespace ostinato::formats
