// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include "json.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <ostinato/spmv/space/error.hpp>
#include <ostinato/spmv/version.hpp>

namespace ostinato::cli {

Json version_json() { return fmt::format("{}.{}.{}", version.major, version.minor, version.patch); }

Json to_json(const Structure& s) {
  return {{"diagonals", s.diagonals},
          {"longest_row", s.longest_row},
          {"empty_rows", s.empty_rows},
          {"mean_row", s.mean_row},
          {"row_deviation", s.row_deviation},
          {"pattern_symmetric", s.pattern_symmetric},
          {"symmetric", s.symmetric},
          {"missing_diagonal", s.missing_diagonal},
          {"positive_diagonal", s.positive_diagonal},
          {"constant_diagonal", s.constant_diagonal},
          {"finite", s.finite}};
}

Json to_json(const std::vector<Candidate>& candidates) {
  Json list = Json::array();
  for (const Candidate& c : candidates) {
    const auto known = [&c](double value) { return c.cost.applies() ? Json(value) : Json(nullptr); };
    Json item = {{"format", c.name},
                 {"parameters", c.parameters},
                 {"bytes", c.cost.applies() ? Json(c.cost.bytes) : Json(nullptr)},
                 {"predicted_seconds", known(c.cost.seconds)},
                 {"verdict", c.verdict},
                 {"moved_bytes", known(c.cost.moved)},
                 {"padding", known(c.cost.padding)},
                 {"setup_seconds", known(c.setup_seconds())}};
    if (c.is_measured()) item["measured_seconds"] = c.measured_seconds;
    list.push_back(std::move(item));
  }
  return list;
}

void write_json(const std::string& path, const Json& report) {
  std::string text = "{";
  for (const auto& [key, value] : report.items()) {
    text += text.size() > 1 ? ",\n  " : "\n  ";
    text += Json(key).dump() + ": " + value.dump(-1, ' ', false, Json::error_handler_t::replace);
  }
  text += "\n}\n";
  if (path == "-") {
    fmt::print("{}", text);
    return;
  }
  std::ofstream file(path);
  file << text << std::flush;
  if (!file) throw FormatError(path, 0, "the report can't be written");
}

void require_writable(const std::string& path) {
  if (path.empty() || path == "-") return;
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  const bool exists = access(path.c_str(), F_OK) == 0;
  const std::string& checked = exists ? path : folder.empty() ? "." : folder.string();
  if (access(checked.c_str(), W_OK) == 0 && !(exists && std::filesystem::is_directory(path))) return;
  throw FormatError(path, 0, std::string("can't be written: ") + std::strerror(errno != 0 ? errno : EISDIR));
}

}  // namespace ostinato::cli
