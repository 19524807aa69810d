// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/base/disk_cache.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <system_error>
#include <utility>
#include <vector>

namespace ostinato {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t hash_digits = 32;
constexpr std::string_view suffix = ".cache";

/// The cache writes no longer files.
constexpr std::size_t most_bytes = std::size_t{1} << 28;

/// FNV-1a with 128 bits.
/// Source    Fowler, Noll & Vo, http://www.isthe.com/chongo/tech/comp/fnv.
class Hash {
 public:
  Hash& add(std::string_view bytes) {
    for (const char byte : bytes) bits_ = (bits_ ^ static_cast<unsigned char>(byte)) * prime;
    return *this;
  }

  std::array<std::uint64_t, 2> words() const {
    return {static_cast<std::uint64_t>(bits_ >> 64), static_cast<std::uint64_t>(bits_)};
  }

 private:
  using Bits = unsigned __int128;
  static constexpr Bits prime = (Bits{1} << 88) + 0x13b;
  Bits bits_ = (Bits{0x6c62272e07bb0142} << 64) + 0x62b821756295c58d;
};

struct Header {
  std::array<char, 8> magic{'o', 's', 't', 'i', 'n', 'a', 't', 'o'};
  std::uint64_t format_version = 1;
  std::uint64_t key_bytes;
  std::uint64_t value_bytes;
  std::array<std::uint64_t, 2> checksum;

  Header(std::string_view key, std::string_view value)
      : key_bytes(key.size()), value_bytes(value.size()), checksum(Hash().add(key).add(value).words()) {}

  std::string_view bytes() const { return {reinterpret_cast<const char*>(this), sizeof *this}; }
};

class FileDescriptor {
 public:
  explicit FileDescriptor(int fd) : fd_(fd) {}
  ~FileDescriptor() { close(); }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;

  explicit operator bool() const { return fd_ >= 0; }
  bool close() { return fd_ >= 0 && ::close(std::exchange(fd_, -1)) == 0; }

  bool write(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t done = ::write(fd_, bytes.data(), bytes.size());
      if (done < 0 && errno == EINTR) continue;
      if (done <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(done));
    }
    return true;
  }

  bool read(char* to, std::size_t bytes) {
    while (bytes > 0) {
      const ssize_t done = ::read(fd_, to, bytes);
      if (done < 0 && errno == EINTR) continue;
      if (done <= 0) return false;
      to += done;
      bytes -= static_cast<std::size_t>(done);
    }
    return true;
  }

  /// The size of the file, when it is a regular file of this user, writable by no one else, and not over most_bytes.
  std::optional<std::size_t> trusted_size() const {
    struct stat s {};
    if (::fstat(fd_, &s) != 0 || !S_ISREG(s.st_mode) || s.st_uid != ::geteuid()) return std::nullopt;
    const auto size = static_cast<std::size_t>(s.st_size);
    if ((s.st_mode & (S_IWGRP | S_IWOTH)) != 0 || size > most_bytes) return std::nullopt;
    return size;
  }

  void mark_as_used() { (void)::futimens(fd_, nullptr); }

 private:
  int fd_;
};

std::string environment(const char* name) {
  const char* const text = std::getenv(name);
  return text == nullptr ? "" : text;
}

/// True for the name of a file of this cache, also of a file that is still being written.
bool is_ours(const std::string& name) {
  const auto is_digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  return name.size() >= hash_digits + suffix.size() &&
         std::all_of(name.begin(), name.begin() + hash_digits, is_digit) &&
         name.compare(hash_digits, suffix.size(), suffix) == 0;
}

}  // namespace

// A slash at the end is removed, because store() also creates the parent directory, and the parent of "caches/" would
// be "caches".
DiskCache::DiskCache(fs::path directory, std::size_t most_files)
    : directory_(directory.has_filename() ? std::move(directory) : directory.parent_path()), most_files_(most_files) {}

DiskCache DiskCache::of_user() {
  if (std::getenv("OSTINATO_CACHE_DIR") != nullptr) return DiskCache(environment("OSTINATO_CACHE_DIR"));
  const fs::path caches = environment("XDG_CACHE_HOME");
  if (caches.is_absolute()) return DiskCache(caches / "ostinato");  // the XDG specification excludes relative paths
  const fs::path home = environment("HOME");
  return DiskCache(home.is_absolute() ? home / ".cache" / "ostinato" : fs::path());
}

fs::path DiskCache::file(std::string_view key) const {
  const std::array<std::uint64_t, 2> words = Hash().add(key).words();
  std::array<char, hash_digits + 1> digits{};
  std::snprintf(digits.data(), digits.size(), "%016llx%016llx", static_cast<unsigned long long>(words[0]),
                static_cast<unsigned long long>(words[1]));
  return directory_ / std::string(digits.data()).append(suffix);
}

std::optional<std::string> DiskCache::load(std::string_view key) const {
  if (directory_.empty()) return std::nullopt;
  // O_NOFOLLOW refuses symbolic links. O_NONBLOCK keeps open() from waiting on a pipe.
  FileDescriptor from(::open(file(key).c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  const std::optional<std::size_t> size = from ? from.trusted_size() : std::nullopt;
  const std::size_t before_value = sizeof(Header) + key.size();
  if (!size || *size < before_value) return std::nullopt;
  std::string start(before_value, '\0'), value(*size - before_value, '\0');
  if (!from.read(start.data(), start.size()) || !from.read(value.data(), value.size())) return std::nullopt;
  if (start != std::string(Header(key, value).bytes()).append(key)) return std::nullopt;
  from.mark_as_used();
  return value;
}

bool DiskCache::store(std::string_view key, std::string_view value) const {
  if (directory_.empty() || sizeof(Header) + key.size() + value.size() > most_bytes) return false;
  std::error_code ignored;
  fs::create_directories(directory_.parent_path(), ignored);
  (void)::mkdir(directory_.c_str(), S_IRWXU);
  make_room();
  const std::string to = file(key).string();
  std::string temporary = to + ".XXXXXX";
  FileDescriptor out(::mkostemp(temporary.data(), O_CLOEXEC));
  if (!out) return false;
  const bool written = out.write(Header(key, value).bytes()) && out.write(key) && out.write(value);
  const bool stored = out.close() && written && ::rename(temporary.c_str(), to.c_str()) == 0;
  if (!stored) (void)::unlink(temporary.c_str());
  return stored;
}

void DiskCache::make_room() const {
  std::vector<std::pair<fs::file_time_type, fs::path>> files;
  std::error_code error, ignored;
  for (fs::directory_iterator at(directory_, error), end; !error && at != end; at.increment(error)) {
    if (is_ours(at->path().filename().string())) files.emplace_back(at->last_write_time(ignored), at->path());
  }
  if (files.size() < most_files_) return;
  const auto kept = files.end() - static_cast<std::ptrdiff_t>(most_files_ - 1);
  std::nth_element(files.begin(), kept, files.end());
  std::for_each(files.begin(), kept, [&](const auto& file) { fs::remove(file.second, ignored); });
}

}  // namespace ostinato
