// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The list of spaces and value types. Explicit instantiations go by these sets, and name neither a space nor a value
// type. DO is a macro of the caller's: DO(T), DO(Space), DO(Space, T); DO(Space, T, V) with the value types of matrix
// and vectors; DO(what, Space, T) in sets that end in OF. A build without CUDA instantiates nothing on Cuda: programs
// that name Cuda are linked with functions that throw DeviceError (cmake/cuda_stubs.sh).

#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>

#define OSTINATO_FOR_VALUES(DO) \
  DO(float);                    \
  DO(double)

// Complex values, which part of the library takes, on Host. The caller includes <complex>.
#define OSTINATO_FOR_COMPLEX_VALUES(DO) DO(std::complex<double>)
#define OSTINATO_FOR_COMPLEX(DO) DO(Host, std::complex<double>)
#define OSTINATO_FOR_COMPLEX_OF(DO, what) DO(what, Host, std::complex<double>)

// What there is on one space.
#define OSTINATO_ALL_ON(Space, DO) \
  DO(Space, float);                \
  DO(Space, double)
#define OSTINATO_ALL_ON_OF(Space, DO, what) \
  DO(what, Space, float);                   \
  DO(what, Space, double)
#define OSTINATO_ALL_MIXED_ON(Space, DO) \
  DO(Space, float, float);               \
  DO(Space, double, double);             \
  DO(Space, double, float)

// What headers declare, whatever the build.
#define OSTINATO_DECLARED_SPACES(DO) \
  DO(Host);                          \
  DO(Cuda)
#define OSTINATO_DECLARED_ALL_OF(DO, what) \
  OSTINATO_ALL_ON_OF(Host, DO, what);      \
  OSTINATO_ALL_ON_OF(Cuda, DO, what)
#define OSTINATO_DECLARED_ALL_MIXED(DO) \
  OSTINATO_ALL_MIXED_ON(Host, DO);      \
  OSTINATO_ALL_MIXED_ON(Cuda, DO)

// What the build instantiates.
#ifdef OSTINATO_HAS_CUDA
#define OSTINATO_FOR_SPACES(DO) OSTINATO_DECLARED_SPACES(DO)
#define OSTINATO_FOR_ALL(DO) \
  OSTINATO_ALL_ON(Host, DO); \
  OSTINATO_ALL_ON(Cuda, DO)
#define OSTINATO_FOR_ALL_OF(DO, what) OSTINATO_DECLARED_ALL_OF(DO, what)
#define OSTINATO_FOR_ALL_MIXED(DO) OSTINATO_DECLARED_ALL_MIXED(DO)
#else
#define OSTINATO_FOR_SPACES(DO) DO(Host)
#define OSTINATO_FOR_ALL(DO) OSTINATO_ALL_ON(Host, DO)
#define OSTINATO_FOR_ALL_OF(DO, what) OSTINATO_ALL_ON_OF(Host, DO, what)
#define OSTINATO_FOR_ALL_MIXED(DO) OSTINATO_ALL_MIXED_ON(Host, DO)
#endif

/// A class template of a space and a value type: instantiated in its .cpp file, and declared so in its header.
#define OSTINATO_CLASS(Class) OSTINATO_FOR_ALL_OF(OSTINATO_CLASS_ON, Class)
#define OSTINATO_EXTERN_CLASS(Class) OSTINATO_DECLARED_ALL_OF(OSTINATO_EXTERN_CLASS_ON, Class)
#define OSTINATO_COMPLEX_CLASS(Class) OSTINATO_FOR_COMPLEX_OF(OSTINATO_CLASS_ON, Class)
#define OSTINATO_CLASS_ON(Class, Space, T) template class Class<Space, T>
#define OSTINATO_EXTERN_CLASS_ON(Class, Space, T) extern template class Class<Space, T>
