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

/// A new folder in memory where there is one, removed at the end of the program when it is empty.
inline std::string new_folder() {
  std::string name = ::access("/dev/shm", W_OK) == 0 ? "/dev/shm/ostinato_fuzz_XXXXXX" : "/tmp/ostinato_fuzz_XXXXXX";
  require(::mkdtemp(name.data()) != nullptr, "a folder can be made");
  return name;
}

}  // namespace ostinato::fuzz
