// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ostinato {

/// "height=8,version=2"
std::string parameter_text(std::initializer_list<std::pair<std::string_view, int>> parameters);

/// Reads the parameters of a format from such a text, one by one.
///
/// Throws    ArgumentError naming the format and what is wrong: from the constructor for a text that isn't of that
///           form or names a parameter twice, from take() for a value that isn't allowed, from done() for a parameter
///           that nobody took.
class ParameterReader {
 public:
  ParameterReader(std::string_view format, std::string_view text);

  /// The value of `key`, or `otherwise` when the text doesn't give it.
  int take(std::string_view key, int otherwise, std::initializer_list<int> allowed);

  void done() const;

 private:
  struct Entry {
    std::string key;
    int value;
    bool taken;
  };

  std::string format_;
  std::string known_;  ///< keys asked for so far
  std::vector<Entry> entries_;
};

namespace detail {

/// Throws ArgumentError: the format has no parameters.
[[noreturn]] void refuse_parameters(std::string_view format);

}  // namespace detail

}  // namespace ostinato
