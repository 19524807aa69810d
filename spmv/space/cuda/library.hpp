// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Libraries of the CUDA toolkit that are opened when they are first needed: cuBLAS alone takes a tenth of a second.

#include <string>

namespace ostinato::cuda {

/// Versions of a library that will do: that of the CUDA of this build, or any.
enum class Versions { of_build, any };

/// Opens lib`stem`.so.`major` from the loader's path or next to the CUDA runtime in use, otherwise the library of
/// another version where any will do. Never closes the library. Returns null when there is none; `why` then has the
/// loader's reason.
void* open_library(const std::string& stem, int major, Versions versions, std::string& why);

/// A function of an open library; null when the library has none of this name.
void* function_of(void* library, const char* name);

/// Returns whether the library has the function, which is stored then.
template <class Function>
bool find_function(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(function_of(library, name));
  return function != nullptr;
}

}  // namespace ostinato::cuda
