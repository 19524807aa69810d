// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/matrix/algebra/sum_definition.hpp>

#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato {

template class MatrixSum<Host, float>;
template class MatrixSum<Host, double>;
template class MatrixSum<Cuda, float>;
template class MatrixSum<Cuda, double>;

}  // namespace ostinato
