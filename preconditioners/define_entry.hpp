// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// For the .cpp file of a preconditioner: OSTINATO_DEFINE_PRECONDITIONER(jacobi, Jacobi) defines jacobi_entry(), which
// the line DO(jacobi) in list.cpp declares.

#include <ostinato/preconditioners/list.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>

#define OSTINATO_DEFINE_PRECONDITIONER(entry, Class)                        \
  template <class Space, class T>                                           \
  PreconditionerEntry<Space, T> entry##_entry() {                           \
    return preconditioner_entry<Class<Space, T>>();                         \
  }                                                                         \
  template PreconditionerEntry<Host, float> entry##_entry<Host, float>();   \
  template PreconditionerEntry<Host, double> entry##_entry<Host, double>(); \
  template PreconditionerEntry<Cuda, float> entry##_entry<Cuda, float>();   \
  template PreconditionerEntry<Cuda, double> entry##_entry<Cuda, double>();
