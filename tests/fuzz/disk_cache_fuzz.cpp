// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>

#include <fstream>
#include <iterator>

#include <ostinato/spmv/base/disk_cache.hpp>

#include "fuzz/input.hpp"

// The files of both caches, of compiled kernels and of measured times. Any bytes in a file give a value only when
// store() would write just these bytes, and any value comes back as it was stored.

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ostinato;
  static const fuzz::Folder folder;
  static const DiskCache cache{folder.path()};
  const std::string key = "a key", bytes(fuzz::text_of(data, size));
  fuzz::require(cache.store(key, bytes), "a value can be stored");
  fuzz::require(cache.load(key) == bytes, "a value comes back");
  const auto file = cache.file(key);
  {
    std::ofstream to(file, std::ios::binary);
    to << bytes;
  }
  ::chmod(file.c_str(), S_IRUSR | S_IWUSR);
  if (const auto value = cache.load(key)) {
    fuzz::require(cache.store(key, *value), "a value can be stored");
    std::ifstream from(file, std::ios::binary);
    fuzz::require(std::string{std::istreambuf_iterator<char>(from), {}} == bytes, "a foreign file gives no value");
  }
  return 0;
}
