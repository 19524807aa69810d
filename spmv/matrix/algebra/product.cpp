// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/matrix/algebra/product_definition.hpp>

#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato {

#define OSTINATO_INSTANTIATE(Space, T)                                                                              \
  template std::shared_ptr<const CsrStorage<Space, T>> pattern_of_product(                                          \
      const Space&, const SpaceCsr<Space, T>&, const SpaceCsr<Space, T>&, const StopRequest&, const ProductTerms&); \
  template ProductTerms count_terms(const Space&, const SpaceCsr<Space, T>&, const SpaceCsr<Space, T>&)
OSTINATO_INSTANTIATE(Host, float);
OSTINATO_INSTANTIATE(Host, double);
OSTINATO_INSTANTIATE(Cuda, float);
OSTINATO_INSTANTIATE(Cuda, double);
template class MatrixProduct<Host, float>;
template class MatrixProduct<Host, double>;
template class MatrixProduct<Cuda, float>;
template class MatrixProduct<Cuda, double>;

}  // namespace ostinato
