// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include <ostinato/spmv/space/error.hpp>

#include "exit_code.hpp"
#include "json.hpp"

namespace ostinato::cli {

namespace {

using Json = nlohmann::ordered_json;

Json read_object(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw FormatError(path, 0, "can't be opened");
  try {
    std::set<std::string> keys;
    const auto refuse_twice = [&](int depth, Json::parse_event_t event, Json& at) {
      if (depth == 1 && event == Json::parse_event_t::key && !keys.insert(at.get<std::string>()).second)
        throw FormatError(path, 0, "holds '" + at.get<std::string>() + "' more than once; give it once");
      return true;
    };
    Json object = Json::parse(file, refuse_twice);
    if (!object.is_object()) throw FormatError(path, 0, "isn't a JSON object of options");
    return object;
  } catch (const std::ios_base::failure& e) {
    throw FormatError(path, 0, "can't be read; is it a folder?");
  } catch (const Json::exception& e) {
    const std::string reason = e.what();  // "[json.exception...] parse error at line 2, ..."
    throw FormatError(path, 0, "isn't JSON: " + reason.substr(reason.find("] ") + 2));
  }
}

std::string value_text(const std::string& path, const std::string& key, const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number() || value.is_boolean()) return value.dump();
  throw UsageError(path + ": the value of '" + key + "' has to be a string, a number, true or false");
}

}  // namespace

std::vector<std::pair<std::string, std::string>> read_options_file(const std::string& path) {
  std::vector<std::pair<std::string, std::string>> options;
  const Json object = read_object(path);
  for (const auto& [key, value] : object.items()) options.emplace_back(key, value_text(path, key, value));
  return options;
}

}  // namespace ostinato::cli
