// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ostinato {

/// Writes parameters as "height=8,version=2".
std::string parameter_text(std::initializer_list<std::pair<std::string_view, int>> parameters);

/// Reads a format's parameters, one by one, from a text such as "height=8,version=2".
///
/// Throws    ArgumentError naming the format and the mistake. The constructor throws for a text that isn't of this form
///           or names a parameter twice, take() for a value that isn't allowed, done() for a parameter that nobody
///           took.
class ParameterReader {
 public:
  ParameterReader(std::string_view format, std::string_view text);

  /// Returns the value of `key`, or `otherwise` when the text doesn't give the key.
  int take(std::string_view key, int otherwise, std::initializer_list<int> allowed);

  /// Throws when the text has a parameter that no take() asked for.
  void done() const;

 private:
  struct Entry {
    std::string key;
    int value;
    bool taken;
  };

  std::string format_;
  std::string known_;  ///< keys that take() was asked for so far
  std::vector<Entry> entries_;
};

namespace detail {

/// Throws the ArgumentError for parameters given to a format that has none.
[[noreturn]] void refuse_parameters(std::string_view format);

}  // namespace detail

}  // namespace ostinato
