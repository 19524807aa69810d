// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/matrix/io/text.hpp>

#include <fcntl.h>
#include <stdio_ext.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <system_error>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/units.hpp>

namespace ostinato::io {
namespace {

constexpr std::string_view gzip_magic = "\x1f\x8b";

[[noreturn]] void fail(const std::string& path, const std::string& reason) { throw FormatError(path, 0, reason); }

std::string reason(int error) { return std::strerror(error); }

int open_for_reading(const std::string& path) {
  require_name(path);
  return path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
}

/// An open file. The destructor closes the file, but never the standard input.
struct File {
  int id;
  explicit File(const std::string& path) : id(open_for_reading(path)) {
    if (id < 0) fail(path, "can't be opened: " + reason(errno));
  }
  ~File() {
    if (id != STDIN_FILENO) ::close(id);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
};

[[noreturn]] void fail_for_memory(const std::string& path, const char* doing, std::size_t most) {
  fail(path, std::string(doing) + " more than " + bytes_text(static_cast<double>(most)) +
                 " of text, the most that there is memory for");
}

Array<char> read_all(int file, const std::string& path, std::size_t most) {
  Array<char> data;
  std::size_t size = 0;
  for (;;) {
    if (size > most) fail_for_memory(path, "gives", most);
    if (data.size() - size < 4096) data.resize(std::max<std::size_t>(std::size_t{1} << 16, 2 * data.size()));
    const ssize_t n = ::read(file, data.data() + size, data.size() - size);
    if (n == 0) break;
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail(path, "can't be read: " + reason(errno));
    size += static_cast<std::size_t>(n);
  }
  data.resize(size);
  return data;
}

class Inflater {
 public:
  Inflater(std::string_view packed, const std::string& path, std::size_t most)
      : rest_(packed), path_(path), most_(most) {
    constexpr int gzip_only = 15 + 16;
    if (inflateInit2(&stream_, gzip_only) != Z_OK) throw std::bad_alloc();
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  Array<char> run() {
    reserve();
    do {
      member();
      inflateReset(&stream_);
    } while (rest_.substr(0, 2) == gzip_magic);
    // Tape blocks are padded with zeros; anything else means that bytes were lost or added.
    if (rest_.find_first_not_of('\0') != std::string_view::npos) fail(path_, "bytes that aren't gzip follow its end");
    out_.resize(size_);
    return std::move(out_);
  }

 private:
  /// The last four bytes give the size of the last gzip member modulo 2^32. A damaged file may give any size, so the
  /// first guess is bounded by a usual compression ratio.
  void reserve() {
    std::size_t told = 0;
    for (std::size_t k = 0; k < 4 && rest_.size() >= 18; ++k) {
      told |= std::size_t{static_cast<unsigned char>(rest_[rest_.size() - 4 + k])} << (8 * k);
    }
    constexpr std::size_t usual_ratio = 8;
    out_.resize(std::clamp<std::size_t>(told + 1, 4096, 4096 + usual_ratio * rest_.size()));
  }

  void member() {
    int state = Z_OK;
    while (state != Z_STREAM_END) {
      if (size_ > most_) fail_for_memory(path_, "inflates to", most_);
      if (size_ == out_.size()) out_.resize(out_.size() + out_.size() / 2);
      constexpr std::size_t at_once = std::size_t{1} << 30;  // zlib counts in unsigned int
      const std::size_t in = std::min(rest_.size(), at_once);
      const std::size_t room = std::min(out_.size() - size_, at_once);
      stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(rest_.data()));
      stream_.avail_in = static_cast<uInt>(in);
      stream_.next_out = reinterpret_cast<Bytef*>(out_.data() + size_);
      stream_.avail_out = static_cast<uInt>(room);
      state = inflate(&stream_, Z_NO_FLUSH);
      rest_.remove_prefix(in - stream_.avail_in);
      size_ += room - stream_.avail_out;
      if (state == Z_MEM_ERROR) throw std::bad_alloc();
      const bool starved = rest_.empty() && stream_.avail_out > 0;
      if (state == Z_BUF_ERROR || (state == Z_OK && starved)) fail(path_, "the gzip data ends early: it was truncated");
      if (state != Z_OK && state != Z_STREAM_END) {
        fail(path_,
             std::string("the gzip data is damaged: ") + (stream_.msg != nullptr ? stream_.msg : "no reason told"));
      }
    }
  }

  std::string_view rest_;
  const std::string& path_;
  std::size_t most_;
  z_stream stream_{};
  Array<char> out_;
  std::size_t size_ = 0;
};

}  // namespace

Text::Text(const std::string& path, std::size_t most) {
  const File file(path);
  try {
    load(file.id, path, most);
    if (view_.substr(0, 2) == gzip_magic) {
      buffer_ = Inflater(view_, path, most).run();
      view_ = {buffer_.data(), buffer_.size()};
      unmap();
    }
  } catch (...) {
    unmap();
    throw;
  }
}

Text::~Text() { unmap(); }

void Text::load(int file, const std::string& path, std::size_t most) {
  struct stat about {};
  if (::fstat(file, &about) != 0) fail(path, "can't be read: " + reason(errno));
  if (S_ISDIR(about.st_mode)) fail(path, "is a directory, not a file");
  const bool from_start = ::lseek(file, 0, SEEK_CUR) == 0;  // the standard input may already have been read in part
  if (S_ISREG(about.st_mode) && about.st_size > 0 && from_start) {
    map_size_ = static_cast<std::size_t>(about.st_size);
    void* map = ::mmap(nullptr, map_size_, PROT_READ, MAP_PRIVATE, file, 0);
    if (map != MAP_FAILED) {
      map_ = map;
      ::madvise(map_, map_size_, MADV_WILLNEED);
      view_ = {static_cast<const char*>(map_), map_size_};
      return;
    }
  }
  buffer_ = read_all(file, path, most);
  view_ = {buffer_.data(), buffer_.size()};
}

void Text::unmap() {
  if (map_ != nullptr) ::munmap(map_, map_size_);
  map_ = nullptr;
}

Output::Output(const std::string& path) : path_(path) {
  require_name(path);
  errno = 0;
  if (path == "-") {
    plain_ = stdout;
  } else {
    int file = open_temporary();
    if (file < 0) file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0) fail("opened for writing", errno);
    if (path.ends_with(".gz")) {
      gzip_ = ::gzdopen(file, "wb");
      if (gzip_ != nullptr) ::gzbuffer(static_cast<gzFile>(gzip_), 1u << 18);
    } else {
      plain_ = ::fdopen(file, "wb");
    }
    if (plain_ == nullptr && gzip_ == nullptr) ::close(file);
  }
  if (plain_ == nullptr && gzip_ == nullptr) fail("opened for writing", errno);
}

Output::~Output() {
  if (plain_ != nullptr && plain_ != stdout) std::fclose(plain_);
  if (gzip_ != nullptr) ::gzclose(static_cast<gzFile>(gzip_));
  if (!temporary_.empty()) (void)::unlink(temporary_.c_str());
}

/// Opens a new file beside the file that is to be written, with its permissions. Negative where the file is written in
/// place.
int Output::open_temporary() {
  struct stat about {};
  const bool exists = ::stat(path_.c_str(), &about) == 0;
  struct stat link {};
  if (exists ? !S_ISREG(about.st_mode) || ::access(path_.c_str(), W_OK) != 0 : ::lstat(path_.c_str(), &link) == 0)
    return -1;
  std::error_code error;
  place_ = exists ? std::filesystem::canonical(path_, error).string() : path_;
  constexpr int attempts = 100;
  for (int k = 0; k < attempts && !error; ++k) {
    temporary_ = place_ + ".part-" + std::to_string(::getpid()) + (k == 0 ? "" : "-" + std::to_string(k));
    const int file = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file >= 0 && exists) (void)::fchmod(file, about.st_mode & 07777);
    if (file >= 0) return file;
    if (errno != EEXIST) break;
  }
  temporary_.clear();
  return -1;
}

void Output::write(std::string_view text) {
  errno = 0;
  constexpr std::size_t most = std::size_t{1} << 30;
  while (!text.empty()) {
    const std::string_view part = text.substr(0, most);
    const std::size_t n = plain_ != nullptr ? std::fwrite(part.data(), 1, part.size(), plain_)
                                            : ::gzfwrite(part.data(), 1, part.size(), static_cast<gzFile>(gzip_));
    if (n != part.size()) fail("written", errno);
    text.remove_prefix(part.size());
  }
}

void Output::close() {
  errno = 0;
  bool good = true;
  if (plain_ == stdout) {
    good = std::fflush(stdout) == 0;
  } else if (plain_ != nullptr) {
    good = std::fclose(plain_) == 0;
  } else if (gzip_ != nullptr) {
    good = ::gzclose(static_cast<gzFile>(gzip_)) == Z_OK;
  }
  plain_ = nullptr;
  gzip_ = nullptr;
  if (good && !temporary_.empty()) {
    good = ::rename(temporary_.c_str(), place_.c_str()) == 0;
    if (good) temporary_.clear();
  }
  if (!good) fail("written", errno);
}

void Output::fail(const char* doing, int error) {
  if (path_ == "-") {  // what is left in the buffer isn't tried again
    ::__fpurge(stdout);
    std::clearerr(stdout);
  }
  throw FormatError(path_ == "-" ? "standard output" : path_, 0,
                    std::string("can't be ") + doing + (error != 0 ? ": " + reason(error) : ""));
}

void require_name(const std::string& path) {
  if (path.find('\0') != std::string::npos) fail(quote(path), "the name of a file can't hold a NUL character");
}

std::string quote(std::string_view text, std::size_t fault) {
  constexpr std::size_t most = 40, before = 20;
  constexpr char hex[] = "0123456789abcdef";
  const std::size_t begin = fault < most || text.size() <= most ? 0 : std::min(fault - before, text.size() - most);
  std::string out = begin > 0 ? "'..." : "'";
  for (const char c : text.substr(begin, most)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f) {
      out += c;
    } else {
      out += {'\\', 'x', hex[byte >> 4], hex[byte & 15]};
    }
  }
  return out + (text.size() - begin > most ? "...'" : "'");
}

}  // namespace ostinato::io
