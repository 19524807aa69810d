// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/formats/contract/parameters.hpp>

#include <algorithm>
#include <charconv>
#include <string>
#include <vector>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/message.hpp>

namespace ostinato {

namespace {

int number(std::string_view format, std::string_view key, std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) {
    throw ArgumentError("format " + std::string(format) + ": " + std::string(key) + " is '" + std::string(text) +
                        "'; it has to be a whole number");
  }
  return value;
}

/// The words of "a, b, c".
std::vector<std::string> words_of(std::string_view list) {
  std::vector<std::string> words;
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(", "), list.size());
    words.emplace_back(list.substr(0, comma));
    list.remove_prefix(std::min(comma + 2, list.size()));
  }
  return words;
}

}  // namespace

std::string parameter_text(std::initializer_list<std::pair<std::string_view, int>> parameters) {
  std::string text;
  for (const auto& [key, value] : parameters) {
    if (!text.empty()) text += ',';
    text += std::string(key) + '=' + std::to_string(value);
  }
  return text;
}

ParameterReader::ParameterReader(std::string_view format, std::string_view text) : format_(format) {
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(','));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos) {
      throw ArgumentError("format " + format_ + ": '" + std::string(word) + "' isn't of the form key=value");
    }
    const std::string key(word.substr(0, equals));
    if (std::any_of(entries_.begin(), entries_.end(), [&](const Entry& e) { return e.key == key; }))
      throw ArgumentError("format " + format_ + ": " + key + " is given twice");
    entries_.push_back({key, number(format_, key, word.substr(equals + 1)), false});
  }
}

int ParameterReader::take(std::string_view key, int otherwise, std::initializer_list<int> allowed) {
  known_ += (known_.empty() ? "" : ", ") + std::string(key);
  const auto at = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& e) { return e.key == key; });
  if (at == entries_.end()) return otherwise;
  at->taken = true;
  if (std::find(allowed.begin(), allowed.end(), at->value) != allowed.end()) return at->value;
  std::string known;
  for (const int value : allowed) known += (known.empty() ? "" : ", ") + std::to_string(value);
  const std::size_t last = known.rfind(", ");
  if (last != std::string::npos) known.replace(last, 2, " or ");
  throw ArgumentError("format " + format_ + ": " + at->key + " is " + std::to_string(at->value) + "; it has to be " +
                      known);
}

void ParameterReader::done() const {
  for (const Entry& e : entries_) {
    if (!e.taken) throw ArgumentError("format " + format_ + ": " + unknown_name("parameter", e.key, words_of(known_)));
  }
}

namespace detail {

void refuse_parameters(std::string_view format) {
  throw ArgumentError("format " + std::string(format) + " has no parameters");
}

}  // namespace detail

}  // namespace ostinato
