// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/formats/bccoo/bccoo.hpp>

#include <ostinato/spmv/formats/contract/define_entry.hpp>

namespace ostinato::formats {

OSTINATO_DEFINE_ENTRY(bccoo, Bccoo)
OSTINATO_DEFINE_ENTRY(bccoo_plus, BccooPlus)

}  // namespace ostinato::formats
