// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

// What the fuzzers of readers share. A fuzzer defines this function; libFuzzer or run_corpus.cpp calls it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace ostinato::fuzz {

/// Ends the program, as a failed check of a fuzzer has to.
inline void require(bool holds, const char* claim) {
  if (holds) return;
  std::fprintf(stderr, "not so: %s\n", claim);
  std::abort();
}

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// A file in memory.
class File {
 public:
  explicit File(std::string_view bytes = {}) : id_(::memfd_create("fuzz", MFD_CLOEXEC)) {
    const bool written = id_ >= 0 && ::write(id_, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size());
    require(written, "a file in memory can be written");
  }
  ~File() { ::close(id_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  std::string path() const { return "/proc/self/fd/" + std::to_string(id_); }

 private:
  int id_;
};

/// A new folder, in memory where that can be, which the destructor removes.
class Folder {
 public:
  Folder() : path_(::access("/dev/shm", W_OK) == 0 ? "/dev/shm/ostinato_XXXXXX" : "/tmp/ostinato_XXXXXX") {
    require(::mkdtemp(path_.data()) != nullptr, "a folder can be made");
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace ostinato::fuzz
