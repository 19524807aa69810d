// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/matrix/space_csr_definition.hpp>

#include <complex>

#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>

namespace ostinato {

template class SpaceCsr<Host, float>;
template class SpaceCsr<Host, double>;
template class SpaceCsr<Host, std::complex<double>>;
template class SpaceCsr<Cuda, float>;
template class SpaceCsr<Cuda, double>;

}  // namespace ostinato
