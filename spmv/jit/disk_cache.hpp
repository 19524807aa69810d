// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace ostinato {

/// Results that are worth keeping from one run to the next, such as compiled kernels and measured verdicts.
///
/// Layout    One file for each key, named by a hash of it, holds a header, the key and the value. The header holds both
///           lengths and a checksum. Whatever isn't exactly what store() writes for the key counts as absent.
/// Exec      Threads and processes may share a directory: a file is written under another name and then renamed.
/// Limits    A directory or file that can't be used is no error: nothing is found there, and nothing is kept.
///           Files that belong to another user, or that others may write, are left alone.
class DiskCache {
 public:
  static constexpr std::size_t usual_files = 256;

  /// In $OSTINATO_CACHE_DIR, else in $XDG_CACHE_HOME/ostinato, else in $HOME/.cache/ostinato. An empty
  /// OSTINATO_CACHE_DIR switches it off.
  static DiskCache of_user();

  /// Keeps up to `most_files` files, of which there must be room for one. An empty directory name switches it off.
  explicit DiskCache(std::filesystem::path directory, std::size_t most_files = usual_files);

  /// The value last stored for the key, or nothing.
  std::optional<std::string> load(std::string_view key) const;

  /// Keeps the value in place of an earlier one; the files that were used the longest ago make room. False when it
  /// couldn't be kept.
  bool store(std::string_view key, std::string_view value) const;

  const std::filesystem::path& directory() const { return directory_; }
  std::filesystem::path file(std::string_view key) const;  ///< where the value of the key is, or would be

 private:
  void make_room() const;

  std::filesystem::path directory_;
  std::size_t most_files_;
};

}  // namespace ostinato
