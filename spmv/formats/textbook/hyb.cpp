// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/formats/textbook/hyb.hpp>

#include <ostinato/spmv/formats/contract/define_entry.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato::formats {

OSTINATO_DEFINE_ENTRY(hyb, Hyb)

}  // namespace ostinato::formats
