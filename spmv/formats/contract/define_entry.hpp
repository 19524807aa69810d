// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// OSTINATO_DEFINE_ENTRY(cmrs, Cmrs) stands in the object file of a format. The macro defines the function that the line
// DO(cmrs) in list.cpp declares.

#include <ostinato/spmv/formats/contract/format.hpp>
#include <ostinato/spmv/space/list.hpp>

#define OSTINATO_DEFINE_ENTRY(entry, Class) \
  template <class Space, class T>           \
  FormatEntry<Space, T> entry##_entry() {   \
    return format_entry<Class<Space, T>>(); \
  }                                         \
  OSTINATO_FOR_ALL_OF(OSTINATO_INSTANTIATE_ENTRY, entry);

#define OSTINATO_INSTANTIATE_ENTRY(entry, Space, T) template FormatEntry<Space, T> entry##_entry<Space, T>()
