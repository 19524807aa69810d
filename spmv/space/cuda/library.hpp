// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Libraries of the CUDA toolkit that are opened when they are first needed: cuBLAS alone takes a tenth of a second.

#include <atomic>
#include <string>

#include <ostinato/spmv/base/error.hpp>

namespace ostinato::cuda {

/// Versions of a library that will do: that of the CUDA of this build, or any.
enum class Versions { of_build, any };

/// Opens lib`stem`.so.`major` from the loader's path, next to the CUDA runtime in use or in the toolkit of the build,
/// otherwise the library of another version where any will do. Never closes the library. Returns null when there is
/// none; `why` then has the loader's reason.
void* open_library(const std::string& stem, int major, Versions versions, std::string& why);

/// A function of an open library; null when the library has none of this name.
void* function_of(void* library, const char* name);

/// Returns whether the library has the function, which is stored then.
template <class Function>
bool find_function(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(function_of(library, name));
  return function != nullptr;
}

/// The functions of a library that the CUDA of this build needs.
class Functions {
 public:
  /// Opens lib`stem`.so.`major`. `title`: the library's name in messages.
  /// Throws    DeviceError when there is none.
  Functions(std::string title, const std::string& stem, int major);

  /// Throws    DeviceError when the library has no function of this name.
  template <class Function>
  void find(const char* name, Function& function) const {
    if (!find_function(library_, name, function)) throw_missing(name);
  }

 private:
  [[noreturn]] void throw_missing(const char* name) const;

  std::string title_;
  void* library_;
};

/// The functions of one library, which the first use opens. `Found` is a struct of them, with a static opened().
template <class Found>
class OnDemand {
 public:
  /// Throws    DeviceError when the library can't be opened.
  static const Found& get() {
    static const Found found = Found::opened();
    static const EndOfProgram end;
    return found;
  }
  /// Why the library can't be opened; empty when it can be.
  static std::string why_absent() {
    try {
      get();
      return "";
    } catch (const DeviceError& e) {
      return e.what();
    }
  }
  /// Whether the program ends and the library has begun to destroy what belongs to it: handles are left alone then.
  static bool is_closed() { return closed_; }

 private:
  /// Made after the library was opened, so that the destructor runs before those of the library.
  struct EndOfProgram {
    ~EndOfProgram() { closed_ = true; }
  };

  static inline std::atomic<bool> closed_ = false;
};

}  // namespace ostinato::cuda
