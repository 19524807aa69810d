// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace ostinato {

/// A cache on disk for results that later runs of a program reuse, such as compiled kernels and measured times.
///
/// Layout    One file per key, named by a hash of the key. The file holds a header, the key and the value. The header
///           holds both lengths and a checksum. A file that differs from what store() writes counts as absent.
/// Exec      Threads and processes may share a directory: a file is written under another name and then renamed.
/// Limits    A directory or file that can't be used is no error: load() finds nothing, and store() returns false.
///           load() ignores files that belong to another user or that other users may write.
class DiskCache {
 public:
  static constexpr std::size_t usual_files = 256;

  /// The cache in $OSTINATO_CACHE_DIR, else in $XDG_CACHE_HOME/ostinato, else in $HOME/.cache/ostinato. An empty
  /// OSTINATO_CACHE_DIR switches the cache off.
  static DiskCache of_user();

  /// Keeps at most `most_files` files; most_files is at least 1. An empty directory name switches the cache off.
  explicit DiskCache(std::filesystem::path directory, std::size_t most_files = usual_files);

  /// The value last stored for the key, or nothing.
  std::optional<std::string> load(std::string_view key) const;

  /// Stores the value and replaces an earlier value of the key. The least recently used files are deleted to make room.
  /// Returns false when the value couldn't be stored.
  bool store(std::string_view key, std::string_view value) const;

  const std::filesystem::path& directory() const { return directory_; }
  std::filesystem::path file(std::string_view key) const;  ///< the file for the key, which may not exist

 private:
  void make_room() const;

  std::filesystem::path directory_;
  std::size_t most_files_;
};

}  // namespace ostinato
