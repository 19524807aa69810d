// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/algebraic/hierarchy_definition.hpp>

#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato::algebraic {

OSTINATO_CLASS(AlgebraicHierarchy);
#define OSTINATO_INSTANTIATE(Space) template struct AlgebraicLevel<Space>
OSTINATO_FOR_SPACES(OSTINATO_INSTANTIATE);
#undef OSTINATO_INSTANTIATE

}  // namespace ostinato::algebraic
