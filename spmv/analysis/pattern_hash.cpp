// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/analysis/pattern_hash_steps.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato {

template <class T>
std::string pattern_hash(const Host& space, const CsrView<T>& a) {
  return detail::pattern_hash_on(space, a);
}

template std::string pattern_hash(const Host&, const CsrView<float>&);
template std::string pattern_hash(const Host&, const CsrView<double>&);

}  // namespace ostinato
