// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include "options_file.hpp"

#include <fstream>
#include <nlohmann/json.hpp>

#include <ostinato/spmv/space/error.hpp>

#include "exit_code.hpp"

namespace ostinato::cli {

namespace {

nlohmann::json read_object(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw FormatError(path, 0, "can't be opened");
  try {
    nlohmann::json object = nlohmann::json::parse(file);
    if (!object.is_object()) throw FormatError(path, 0, "isn't a JSON object of options");
    return object;
  } catch (const std::ios_base::failure& e) {
    throw FormatError(path, 0, "can't be read; is it a folder?");
  } catch (const nlohmann::json::exception& e) {
    const std::string reason = e.what();  // "[json.exception...] parse error at line 2, ..."
    throw FormatError(path, 0, "isn't JSON: " + reason.substr(reason.find("] ") + 2));
  }
}

bool is_settable(const CLI::Option* option) {
  if (option->get_lnames().empty()) return false;
  const std::string& name = option->get_lnames().front();
  return name != "help" && name != "options";
}

std::string known_keys(CLI::App& command) {
  std::string known;
  for (const CLI::Option* option : command.get_options()) {
    if (is_settable(option)) known += (known.empty() ? "" : ", ") + option->get_lnames().front();
  }
  return known;
}

std::string value_text(const std::string& path, const std::string& key, const nlohmann::json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number() || value.is_boolean()) return value.dump();
  throw UsageError(path + ": the value of '" + key + "' has to be a string, a number, true or false");
}

}  // namespace

void apply_options_file(CLI::App& command, const std::string& path) {
  if (path.empty()) return;
  const nlohmann::json object = read_object(path);
  for (const auto& [key, value] : object.items()) {
    CLI::Option* const option = command.get_option_no_throw("--" + key);
    if (option == nullptr || !is_settable(option)) {
      throw UsageError(path + ": unknown option '" + key + "'; known: " + known_keys(command));
    }
    const std::string text = value_text(path, key, value);
    if (option->count() > 0) continue;
    option->add_result(text);
    try {
      option->run_callback();
    } catch (const CLI::ParseError& e) {
      throw UsageError(path + ": " + e.what());
    }
  }
}

}  // namespace ostinato::cli
