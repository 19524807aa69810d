// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

#include <ostinato/spmv/space/memory.hpp>

namespace ostinato::io {

/// The whole text of a file in memory. Plain files are mapped; gzip files (recognised by their first bytes) are
/// inflated.
///
/// Path      "-" is the standard input. Pipes and devices are read to their end.
/// Throws    FormatError when the file can't be read, is a directory, or holds damaged or truncated gzip data, or when
///           a text that is inflated or piped has more than `most` bytes.
/// Limits    A file must not shrink while it is mapped. Inflation is serial.
class Text {
 public:
  explicit Text(const std::string& path, std::size_t most = host_memory() / 2);
  ~Text();
  Text(const Text&) = delete;
  Text& operator=(const Text&) = delete;

  std::string_view view() const { return view_; }

 private:
  void load(int file, const std::string& path, std::size_t most);
  void unmap();

  std::string_view view_;
  void* map_ = nullptr;
  std::size_t map_size_ = 0;
  Array<char> buffer_;
};

/// An output file. A name that ends in ".gz" selects gzip compression; the name "-" is the standard output.
///
/// The text goes to a temporary file in the same folder, which takes the place of the file in close(). So a file that
/// was there before stays whole until the new one is. Pipes, devices, and files in folders that take no new file are
/// written in place. A process that is killed leaves the temporary file behind, named as the file with ".part-" and a
/// number.
/// Throws    FormatError when the file can't be opened or written, for instance because the disk is full. Beyond the
///           limit of a file's size (ulimit -f) the system ends a process that doesn't ignore SIGXFSZ.
class Output {
 public:
  explicit Output(const std::string& path);
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  void write(std::string_view text);
  void close();  ///< must be called: without close() nothing is kept, and no write error reported

 private:
  int open_temporary();
  [[noreturn]] void fail(const char* doing, int error);

  std::string path_;
  std::string place_, temporary_;  ///< of the file, links followed; empty when the file is written in place
  std::FILE* plain_ = nullptr;
  void* gzip_ = nullptr;
};

/// Quotes text for a message: at most 40 characters, so chosen that the one at `fault` is among them. Shows unprintable
/// characters as \xNN.
std::string quote(std::string_view text, std::size_t fault = 0);

/// Throws FormatError for a name that the system would take for another one: it holds a NUL character.
void require_name(const std::string& path);

}  // namespace ostinato::io
