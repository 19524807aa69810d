// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include "files.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include <ostinato/spmv/space/error.hpp>

namespace ostinato::cli {

void require_writable(const std::string& path) {
  if (path.empty() || path == "-") return;
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  const bool exists = access(path.c_str(), F_OK) == 0;
  const std::string& checked = exists ? path : folder.empty() ? "." : folder.string();
  if (access(checked.c_str(), W_OK) == 0 && !(exists && std::filesystem::is_directory(path))) return;
  throw FormatError(path, 0, std::string("can't be written: ") + std::strerror(errno != 0 ? errno : EISDIR));
}

bool same_file(const std::string& a, const std::string& b) {
  std::error_code none;
  return !a.empty() && a != "-" && (a == b || std::filesystem::equivalent(a, b, none));
}

}  // namespace ostinato::cli
