// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace ostinato {

class Cuda;

/// for_each and sum of spmv/space/parallel.hpp on Cuda, as host code calls them. A .cu file instantiates them for each
/// functor.
template <class F>
void for_each(const Cuda& space, std::size_t n, F f);
template <class F>
void sum(const Cuda& space, std::size_t n, F f, double* slots);

}  // namespace ostinato
