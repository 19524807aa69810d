// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

#include <ostinato/spmv/space/memory.hpp>

namespace ostinato::io {

/// The whole text of a file in memory: plain files are mapped, gzip files (known by their first bytes) inflated.
///
/// Path      "-" is the standard input. Pipes and devices are read to their end.
/// Throws    FormatError when the file can't be read, is a directory, or holds damaged or truncated gzip data;
///           std::bad_alloc when the inflated text doesn't fit into memory.
/// Limits    A file must not shrink while it is mapped. Inflation is serial.
class Text {
 public:
  explicit Text(const std::string& path);
  ~Text();
  Text(const Text&) = delete;
  Text& operator=(const Text&) = delete;

  std::string_view view() const { return view_; }

 private:
  void load(int file, const std::string& path);
  void unmap();

  std::string_view view_;
  void* map_ = nullptr;
  std::size_t map_size_ = 0;
  Array<char> buffer_;
};

/// A file to be written from its beginning; gzip when the name ends in ".gz", the standard output when it is "-".
///
/// Throws    FormatError when the file can't be opened or written, for instance because the disk is full.
class Output {
 public:
  explicit Output(const std::string& path);
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  void write(std::string_view text);
  void close();  ///< has to be called: only then is it known that everything was written

 private:
  [[noreturn]] void fail(const char* doing, int error);

  std::string path_;
  std::FILE* plain_ = nullptr;
  void* gzip_ = nullptr;
};

/// Text as it can stand in a message: in quotes, cut after 40 characters, with the unprintable ones as \xNN.
std::string quote(std::string_view text);

}  // namespace ostinato::io
