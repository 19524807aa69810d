// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/formats/textbook/coo.hpp>

#include <ostinato/spmv/formats/contract/define_entry.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato::formats {

OSTINATO_DEFINE_ENTRY(coo, Coo)

}  // namespace ostinato::formats
