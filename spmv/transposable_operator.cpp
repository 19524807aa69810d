// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/transposable_operator_definition.hpp>

namespace ostinato {

OSTINATO_CLASS(TransposableOperator);

}  // namespace ostinato
