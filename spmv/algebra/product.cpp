// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/algebra/product_definition.hpp>

#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato {

#define OSTINATO_INSTANTIATE(Space, T)                                                                              \
  template std::shared_ptr<const CsrStorage<Space, T>> pattern_of_product(                                          \
      const Space&, const SpaceCsr<Space, T>&, const SpaceCsr<Space, T>&, const StopRequest&, const ProductTerms&); \
  template ProductTerms count_terms(const Space&, const SpaceCsr<Space, T>&, const SpaceCsr<Space, T>&)
OSTINATO_FOR_ALL(OSTINATO_INSTANTIATE);
OSTINATO_CLASS(MatrixProduct);

}  // namespace ostinato
