// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0

// The list of formats on Cuda in a build without CUDA: an empty list.

#include <ostinato/spmv/formats/cusparse/vendor.hpp>
#include <ostinato/spmv/formats/list.hpp>
#include <ostinato/spmv/space/cuda.hpp>

namespace ostinato {

template <class Space, class T>
const FormatList<Space, T>& format_list() {
  static const FormatList<Space, T> none;
  return none;
}

std::string why_no_cusparse() { return Cuda::why_absent(); }

template <class T>
double vendor_csr_seconds(const Cuda&, const CsrView<T>&) {
  throw DeviceError(Cuda::why_absent());
}

std::string vendor_versions(const Cuda&) { throw DeviceError(Cuda::why_absent()); }

template const FormatList<Cuda, float>& format_list<Cuda, float>();
template const FormatList<Cuda, double>& format_list<Cuda, double>();
template double vendor_csr_seconds(const Cuda&, const CsrView<float>&);
template double vendor_csr_seconds(const Cuda&, const CsrView<double>&);

}  // namespace ostinato
