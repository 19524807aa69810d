// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/matrix/space_csr_definition.hpp>

#include <complex>

#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>
#include <ostinato/spmv/space/list.hpp>

namespace ostinato {

OSTINATO_CLASS(SpaceCsr);
OSTINATO_COMPLEX_CLASS(SpaceCsr);

}  // namespace ostinato
