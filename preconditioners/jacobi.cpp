// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/jacobi_definition.hpp>

#include <complex>

#include <ostinato/preconditioners/define_entry.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato {

template class Jacobi<Host, float>;
template class Jacobi<Host, double>;
template class Jacobi<Host, std::complex<double>>;
template class Jacobi<Cuda, float>;
template class Jacobi<Cuda, double>;

OSTINATO_DEFINE_PRECONDITIONER(jacobi, Jacobi)

}  // namespace ostinato
