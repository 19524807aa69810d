// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include <ostinato/spmv/base/error.hpp>

#include "exit_code.hpp"
#include "json.hpp"

namespace ostinato::cli {

namespace {

using Json = nlohmann::ordered_json;

/// Takes the keys and values of a flat object as the parser meets them, numbers as they are written.
class OptionsReader : public nlohmann::json_sax<Json> {
 public:
  explicit OptionsReader(const std::string& path) : path_(path) {}

  std::vector<std::pair<std::string, std::string>> options;

  bool null() override { refuse_value(); }
  bool boolean(bool value) override { return take(value ? "true" : "false"); }
  bool number_integer(number_integer_t value) override { return take(std::to_string(value)); }
  bool number_unsigned(number_unsigned_t value) override { return take(std::to_string(value)); }
  bool number_float(number_float_t, const string_t& text) override { return take(text); }
  bool string(string_t& value) override { return take(value); }
  bool binary(binary_t&) override { refuse_value(); }
  bool start_array(std::size_t) override { refuse_value(); }
  bool end_array() override { return true; }
  bool end_object() override { return true; }

  bool start_object(std::size_t) override {
    if (is_open_) refuse_value();
    is_open_ = true;
    return true;
  }

  bool key(string_t& name) override {
    const auto is_same = [&name](const auto& option) { return option.first == name; };
    if (std::any_of(options.begin(), options.end(), is_same))
      throw FormatError(path_, 0, "holds '" + name + "' more than once; give it once");
    options.emplace_back(name, "");
    return true;
  }

  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& e) override {
    const std::string reason = e.what();  // "[json.exception...] parse error at line 2, ..."
    throw FormatError(path_, 0, "isn't JSON: " + reason.substr(reason.find("] ") + 2));
  }

 private:
  bool take(const std::string& value) {
    if (!is_open_) refuse_value();
    if (value.find('\0') != std::string::npos)
      throw UsageError(path_ + ": the value of '" + options.back().first + "' holds a NUL character");
    options.back().second = value;
    return true;
  }

  [[noreturn]] void refuse_value() const {
    if (!is_open_) throw FormatError(path_, 0, "isn't a JSON object of options");
    throw UsageError(path_ + ": the value of '" + options.back().first +
                     "' has to be a string, a number, true or false");
  }

  const std::string& path_;
  bool is_open_ = false;
};

}  // namespace

std::vector<std::pair<std::string, std::string>> read_options_file(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw FormatError(path, 0, "can't be opened");
  OptionsReader reader(path);
  try {
    (void)Json::sax_parse(file, &reader);
  } catch (const std::ios_base::failure&) {
    throw FormatError(path, 0, "can't be read; is it a folder?");
  }
  return std::move(reader.options);
}

}  // namespace ostinato::cli
