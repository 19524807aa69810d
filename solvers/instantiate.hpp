// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// For the .cpp file of a method: OSTINATO_INSTANTIATE_METHOD(Cg) instantiates Cg::run for both spaces and real value
// types, OSTINATO_INSTANTIATE_COMPLEX_METHOD(Cg) for complex values on Host.

#include <complex>

#include <ostinato/solvers/solver.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>

#define OSTINATO_INSTANTIATE_RUN(Method, Space, T)                                            \
  template SolveResult Method::run(const Space&, const OperatorRef<Space, T>&, In<T>, Out<T>, \
                                   const PreconditionerRef<Space, T>&, const SolveOptions&);
#define OSTINATO_INSTANTIATE_COMPLEX_METHOD(Method) OSTINATO_INSTANTIATE_RUN(Method, Host, std::complex<double>)
#define OSTINATO_INSTANTIATE_METHOD(Method)      \
  OSTINATO_INSTANTIATE_RUN(Method, Host, float)  \
  OSTINATO_INSTANTIATE_RUN(Method, Host, double) \
  OSTINATO_INSTANTIATE_RUN(Method, Cuda, float)  \
  OSTINATO_INSTANTIATE_RUN(Method, Cuda, double)
