// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include "files.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include <ostinato/spmv/base/error.hpp>

#include "exit_code.hpp"
#include "text.hpp"

namespace ostinato::cli {

namespace {

namespace fs = std::filesystem;

/// Follows links also where the last one leads to a file that doesn't exist yet.
fs::path without_links(fs::path path) {
  constexpr int most = 40;  // as many as Linux follows
  std::error_code error;
  for (int k = 0; k < most && fs::is_symlink(fs::symlink_status(path, error)); ++k)
    path = path.parent_path() / fs::read_symlink(path, error);
  return fs::weakly_canonical(path, error);
}

/// What a path leads to: a file with an identity, or the place where a file would be made.
class Target {
 public:
  Target(const std::string& path, int standard) {
    const bool is_stream = path == "-";
    exists_ = (is_stream ? ::fstat(standard, &about_) : ::stat(path.c_str(), &about_)) == 0;
    std::error_code error;
    if (!exists_ && !is_stream) place_ = without_links(fs::absolute(path, error));
  }

  bool operator==(const Target& other) const {
    if (exists_ && other.exists_) return about_.st_dev == other.about_.st_dev && about_.st_ino == other.about_.st_ino;
    return exists_ == other.exists_ && !place_.empty() && place_ == other.place_;
  }

  /// False for a pipe or a device: writing destroys nothing there.
  bool keeps_data() const { return !exists_ || S_ISREG(about_.st_mode); }
  /// True for a device such as /dev/null, which any number of outputs may share.
  bool is_device() const { return exists_ && S_ISCHR(about_.st_mode); }

 private:
  struct stat about_ {};
  bool exists_ = false;
  fs::path place_;
};

std::string shown(const std::string& path, const char* stream) { return path == "-" ? stream : path; }

[[noreturn]] void refuse(const std::string& written, const std::string& other) {
  throw UsageError(shown(written, "the standard output") + " would be written over " + other + "; name another file");
}

void require_writable(const std::string& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) throw FormatError(path, 0, "can't be written: it is a folder");
  const fs::path folder = fs::path(path).parent_path();
  const std::string checked = fs::exists(path, error) ? path : folder.empty() ? "." : folder.string();
  if (::access(checked.c_str(), W_OK) != 0)
    throw FormatError(path, 0, std::string("can't be written: ") + std::strerror(errno));
}

void require_apart(const std::string& written, std::initializer_list<std::string> read) {
  const Target target(written, STDOUT_FILENO);
  for (const std::string& other : read) {
    if (!other.empty() && target.keeps_data() && target == Target(other, STDIN_FILENO))
      refuse(written, shown(other, "the standard input"));
  }
}

}  // namespace

void require_output(const std::string& written, std::initializer_list<std::string> read,
                    const std::string& written_too) {
  require_apart("-", read);  // the table is written there
  if (written.empty()) return;
  require_apart(written, read);
  const Target target(written, STDOUT_FILENO);
  if (!written_too.empty() && !target.is_device() && target == Target(written_too, STDOUT_FILENO))
    refuse(written, shown(written_too, "the standard output"));
  if (written != "-") require_writable(written);
}

void require_kind(const std::string& path, const char* what, std::initializer_list<std::string_view> endings) {
  constexpr std::string_view known[] = {".mtx.gz", ".mtx", ".npy", ".npz", ".csv", ".json", ".html"};
  const std::string name = lower(path);
  const auto ends = [&name](std::string_view ending) { return name.ends_with(ending); };
  const auto* const other = std::find_if(std::begin(known), std::end(known), ends);
  if (other == std::end(known) || std::any_of(endings.begin(), endings.end(), ends)) return;
  std::string fitting;
  for (const std::string_view ending : endings) fitting += (fitting.empty() ? "" : " or ") + std::string(ending);
  throw UsageError(fmt::format("{}: {}; name a file that ends in {}", path, what, fitting));
}

void require_reports(const std::string& json, const std::string& html, const std::string& matrix) {
  if (json == "-" && html == "-") throw UsageError("--json - and --html - can't share the standard output");
  require_output(json, {matrix});
  require_output(html, {matrix}, json);
  require_kind(json, "a report is written as JSON", {".json"});
  require_kind(html, "a page is written as HTML", {".html"});
}

std::FILE* table_stream(std::initializer_list<std::string> written) {
  const Target standard("-", STDOUT_FILENO);
  for (const std::string& path : written) {
    if (path == "-" || (!path.empty() && !standard.is_device() && Target(path, STDOUT_FILENO) == standard))
      return stderr;
  }
  return stdout;
}

double file_bytes(const std::string& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return 0;
  const auto bytes = fs::file_size(path, error);
  return error ? 0 : static_cast<double>(bytes);
}

}  // namespace ostinato::cli
