// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime_api.h>

#include <cstdint>
#include <fstream>
#include <limits>

#include <ostinato/spmv/base/timing.hpp>
#include <ostinato/spmv/formats/cusparse/cusparse_product.hpp>
#include <ostinato/spmv/formats/cusparse/vendor.hpp>
#include <ostinato/spmv/space/cuda/cusparse.hpp>
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/space/vector.hpp>

namespace ostinato {

std::string why_no_cusparse() { return cuda::Cusparse::why_absent(); }

template <class T>
double vendor_csr_seconds(const Cuda& space, const CsrView<T>& a) {
  if (a.nonzeros() == 0 || a.nonzeros() > std::numeric_limits<std::int32_t>::max()) return 0;
  if (!why_no_cusparse().empty()) return 0;
  const formats::CusparseProduct<Cuda, T> product(space, a, formats::CusparseAlgorithm::first);
  const Vector<Cuda, T> x(space, static_cast<std::size_t>(a.cols), T{1});
  Vector<Cuda, T> y(space, static_cast<std::size_t>(a.rows));
  return median_seconds(space, 15, [&] { product.apply(T{1}, x.data(), T{0}, y.data()); });
}
#define OSTINATO_INSTANTIATE(T) template double vendor_csr_seconds(const Cuda&, const CsrView<T>&)
OSTINATO_FOR_VALUES(OSTINATO_INSTANTIATE);
#undef OSTINATO_INSTANTIATE

namespace {

std::string cusparse_version() {
  if (!why_no_cusparse().empty()) return "none";
  int major = 0, minor = 0, patch = 0;
  const cuda::Cusparse& cusparse = cuda::Cusparse::get();
  (void)cusparse.get_property(MAJOR_VERSION, &major);
  (void)cusparse.get_property(MINOR_VERSION, &minor);
  (void)cusparse.get_property(PATCH_LEVEL, &patch);
  return std::to_string(major) + '.' + std::to_string(minor) + '.' + std::to_string(patch);
}

}  // namespace

std::string vendor_versions(const Cuda&) {
  int cuda_of_driver = 0, cuda = 0;
  (void)::cudaDriverGetVersion(&cuda_of_driver);
  (void)::cudaRuntimeGetVersion(&cuda);
  std::string driver;  // CUDA tells the version of the interface only; the driver's own stands here on Linux
  std::ifstream file("/proc/driver/nvidia/version");
  std::getline(file, driver);
  return "CUDA " + std::to_string(cuda) + ", driver's CUDA " + std::to_string(cuda_of_driver) + ", cuSPARSE " +
         cusparse_version() + ", " + driver;
}

}  // namespace ostinato
