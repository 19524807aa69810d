// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/jacobi_definition.hpp>

#include <complex>

#include <ostinato/preconditioners/define_entry.hpp>
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato {

OSTINATO_CLASS(Jacobi);
OSTINATO_COMPLEX_CLASS(Jacobi);
OSTINATO_DEFINE_PRECONDITIONER(jacobi, Jacobi)

}  // namespace ostinato
