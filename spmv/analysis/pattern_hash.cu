// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/analysis/pattern_hash_steps.hpp>
#include <ostinato/spmv/space/cuda/parallel.cuh>

namespace ostinato {

template <class T>
std::string pattern_hash(const Cuda& space, const CsrView<T>& a) {
  return detail::pattern_hash_on(space, a);
}

template std::string pattern_hash(const Cuda&, const CsrView<float>&);
template std::string pattern_hash(const Cuda&, const CsrView<double>&);

}  // namespace ostinato
