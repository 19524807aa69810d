// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace ostinato {

/// Base class of the library's exceptions. Only exhausted host memory is reported as std::bad_alloc instead.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Reports a file that can't be read or written or has invalid content. what() is "path:line: reason", without ":line"
/// when line() is 0.
class FormatError : public Error {
 public:
  FormatError(std::string path, std::int64_t line, const std::string& reason)
      : Error(path + (line > 0 ? std::string(":").append(std::to_string(line)) : std::string()) + ": " + reason),
        path_(std::move(path)),
        line_(line) {}

  const std::string& path() const noexcept { return path_; }
  std::int64_t line() const noexcept { return line_; }  ///< counts from 1; 0 when the error belongs to no line

 private:
  std::string path_;
  std::int64_t line_;
};

/// Reports shapes that don't match. The message names the operation and both shapes.
class DimensionError : public Error {
 public:
  using Error::Error;
};

/// Reports an invalid argument: an unknown name, a matrix that the requested format can't hold, or a zero on the
/// diagonal when a preconditioner divides by the diagonal. The message says what is allowed.
class ArgumentError : public Error {
 public:
  using Error::Error;
};

/// Reports what would take more memory than a limit allows, or than is free, before that memory is taken. The message
/// names what takes it, how much, the limit, and what takes less.
class MemoryLimitError : public ArgumentError {
 public:
  using ArgumentError::ArgumentError;
};

/// Reports a missing GPU, a build without CUDA, exhausted GPU memory, or a failed call of a CUDA library.
class DeviceError : public Error {
 public:
  using Error::Error;
};

/// Reports exhausted GPU memory. The device can still be used: what takes less memory may be tried.
class DeviceMemoryError : public DeviceError {
 public:
  using DeviceError::DeviceError;
};

}  // namespace ostinato
