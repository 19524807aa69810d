// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/operator_definition.hpp>
#include <ostinato/spmv/space/list.hpp>

namespace ostinato {

OSTINATO_CLASS(Operator);

}  // namespace ostinato
