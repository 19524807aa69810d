// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// For the .cpp file of a preconditioner: OSTINATO_DEFINE_PRECONDITIONER(jacobi, Jacobi) defines jacobi_entry, which the
// line DO(jacobi) in list.cpp declares. Entries are constants, so that the list is made without running code of each
// preconditioner, which would have to be read into memory first.

#include <ostinato/preconditioners/list.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>

#define OSTINATO_DEFINE_PRECONDITIONER(entry, Class)                                                     \
  template <class Space, class T>                                                                        \
  constinit const PreconditionerEntry<Space, T> entry##_entry = preconditioner_entry<Class<Space, T>>(); \
  template const PreconditionerEntry<Host, float> entry##_entry<Host, float>;                            \
  template const PreconditionerEntry<Host, double> entry##_entry<Host, double>;                          \
  template const PreconditionerEntry<Cuda, float> entry##_entry<Cuda, float>;                            \
  template const PreconditionerEntry<Cuda, double> entry##_entry<Cuda, double>;
