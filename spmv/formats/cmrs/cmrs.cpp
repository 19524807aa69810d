// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/formats/cmrs/cmrs.hpp>

#include <ostinato/spmv/formats/contract/define_entry.hpp>

namespace ostinato::formats {

// Cmrs has a third template parameter, which only tests set.
template <class Space, class T>
using CmrsFormat = Cmrs<Space, T>;

OSTINATO_DEFINE_ENTRY(cmrs, CmrsFormat)

}  // namespace ostinato::formats
