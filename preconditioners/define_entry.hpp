// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// For the .cpp file of a preconditioner: OSTINATO_DEFINE_PRECONDITIONER(jacobi, Jacobi) defines jacobi_entry, which the
// line DO(jacobi) in list.cpp declares. Entries are constants, so that the list is made without running code of each
// preconditioner, which would have to be read into memory first.

#include <ostinato/preconditioners/list.hpp>
#include <ostinato/spmv/space/list.hpp>

#define OSTINATO_DEFINE_PRECONDITIONER(entry, Class)                                                     \
  template <class Space, class T>                                                                        \
  constinit const PreconditionerEntry<Space, T> entry##_entry = preconditioner_entry<Class<Space, T>>(); \
  OSTINATO_FOR_ALL_OF(OSTINATO_INSTANTIATE_ENTRY, entry);
#define OSTINATO_INSTANTIATE_ENTRY(entry, Space, T) template const PreconditionerEntry<Space, T> entry##_entry<Space, T>
