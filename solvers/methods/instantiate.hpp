// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// For the .cpp file of a method: OSTINATO_INSTANTIATE_METHOD(Cg) instantiates Cg::run for all spaces and real
// value types, OSTINATO_INSTANTIATE_COMPLEX_METHOD(Cg) for complex values.

#include <complex>

#include <ostinato/solvers/solver.hpp>
#include <ostinato/spmv/space/list.hpp>

#define OSTINATO_INSTANTIATE_RUN(Method, Space, T)                                            \
  template SolveResult Method::run(const Space&, const OperatorRef<Space, T>&, In<T>, Out<T>, \
                                   const PreconditionerRef<Space, T>&, const SolveOptions&)
#define OSTINATO_INSTANTIATE_METHOD(Method) OSTINATO_FOR_ALL_OF(OSTINATO_INSTANTIATE_RUN, Method)
#define OSTINATO_INSTANTIATE_COMPLEX_METHOD(Method) OSTINATO_FOR_COMPLEX_OF(OSTINATO_INSTANTIATE_RUN, Method)
/// On the ranks of a team.
#define OSTINATO_INSTANTIATE_RUN_ON_RANKS(Method, Local, T) OSTINATO_INSTANTIATE_RUN(Method, Distributed<Local>, T)
#define OSTINATO_INSTANTIATE_ON_RANKS(Method) OSTINATO_FOR_ALL_OF(OSTINATO_INSTANTIATE_RUN_ON_RANKS, Method)
