// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace ostinato {

/// Base of everything that the library throws by itself. Memory that runs out on the host stays std::bad_alloc.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A file that can't be read or isn't what it says. what() is "path:line: reason", without ":line" when line() is 0.
class FormatError : public Error {
 public:
  FormatError(std::string path, std::int64_t line, const std::string& reason)
      : Error(path + (line > 0 ? std::string(":").append(std::to_string(line)) : std::string()) + ": " + reason),
        path_(std::move(path)),
        line_(line) {}

  const std::string& path() const noexcept { return path_; }
  std::int64_t line() const noexcept { return line_; }  ///< from 1; 0 when the reason isn't at a line

 private:
  std::string path_;
  std::int64_t line_;
};

/// Shapes that don't fit together. The message names the operation and both shapes.
class DimensionError : public Error {
 public:
  using Error::Error;
};

/// An argument that can't be used: an unknown name, a matrix that the forced format can't hold, a zero on the diagonal
/// where the preconditioner divides by it. The message says what would do.
class ArgumentError : public Error {
 public:
  using Error::Error;
};

/// No device, a build without CUDA, device memory that ran out, or a call of the CUDA libraries that failed.
class DeviceError : public Error {
 public:
  using Error::Error;
};

}  // namespace ostinato
