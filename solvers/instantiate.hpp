// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// For the .cpp file of a method: OSTINATO_INSTANTIATE_METHOD(Cg) instantiates Cg::run for all spaces and value types.

#include <ostinato/solvers/solver.hpp>
#include <ostinato/spmv/space/list.hpp>

#define OSTINATO_INSTANTIATE_RUN(Method, Space, T)                                            \
  template SolveResult Method::run(const Space&, const OperatorRef<Space, T>&, In<T>, Out<T>, \
                                   const PreconditionerRef<Space, T>&, const SolveOptions&)
#define OSTINATO_INSTANTIATE_METHOD(Method) OSTINATO_FOR_ALL_OF(OSTINATO_INSTANTIATE_RUN, Method)
