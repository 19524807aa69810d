// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0

// The analysis functions for Cuda in a build without CUDA. They are never called, because such a build can't create a
// Cuda object (spmv/space/cuda_absent.cpp).

#include <ostinato/spmv/analysis/diagonals.hpp>
#include <ostinato/spmv/analysis/pattern_hash.hpp>
#include <ostinato/spmv/analysis/profile.hpp>
#include <ostinato/spmv/analysis/structure.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/error.hpp>

namespace ostinato {

template <class T>
Structure analyse(const Cuda&, const CsrView<T>&, AnalysisDepth) {
  throw DeviceError(Cuda::why_absent());
}

template <class T>
void analyse_values(const Cuda&, const CsrView<T>&, Structure&) {
  throw DeviceError(Cuda::why_absent());
}

template <class T>
DiagonalCensus take_census(const Cuda&, const CsrView<T>&, std::span<const Index>, Index) {
  throw DeviceError(Cuda::why_absent());
}

template <class T>
StartedProfile start_profile(const Cuda&, const CsrView<T>&, bool) {
  throw DeviceError(Cuda::why_absent());
}

template <class T>
std::string pattern_hash(const Cuda&, const CsrView<T>&) {
  throw DeviceError(Cuda::why_absent());
}

template <class T>
LaterMark<Cuda>::LaterMark(const Cuda&, const CsrView<T>&, Index) {
  throw DeviceError(Cuda::why_absent());
}
const std::string& LaterMark<Cuda>::text() const { return text_; }

#define OSTINATO_INSTANTIATE(T)                                                                       \
  template Structure analyse(const Cuda&, const CsrView<T>&, AnalysisDepth);                          \
  template void analyse_values(const Cuda&, const CsrView<T>&, Structure&);                           \
  template DiagonalCensus take_census(const Cuda&, const CsrView<T>&, std::span<const Index>, Index); \
  template StartedProfile start_profile(const Cuda&, const CsrView<T>&, bool);                        \
  template std::string pattern_hash(const Cuda&, const CsrView<T>&);                                  \
  template LaterMark<Cuda>::LaterMark(const Cuda&, const CsrView<T>&, Index)
OSTINATO_INSTANTIATE(float);
OSTINATO_INSTANTIATE(double);

}  // namespace ostinato
