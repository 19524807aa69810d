// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/largest_eigenvalue_definition.hpp>

#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato {

double ritz_bound(const Tridiagonal& t) {
  if (t.diagonal.empty()) return 0;
  const double high = eigenvalue(t, t.diagonal.size() - 1);
  return high + t.beside.back() * largest_eigenvalue_definition::last_of_vector(t, high);
}

#define OSTINATO_INSTANTIATE(Space, T)                                                                                 \
  template class EigenvalueSearch<Space, T>;                                                                           \
  template LargestEigenvalue largest_eigenvalue(const Operator<Space, T>&, const CsrView<T>&, const Vector<Space, T>&, \
                                                int, int)
OSTINATO_FOR_ALL(OSTINATO_INSTANTIATE);

}  // namespace ostinato
