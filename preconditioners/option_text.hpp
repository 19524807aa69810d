// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <string_view>

namespace ostinato {

/// An option of a preconditioner, as text.
struct PreconditionerOption {
  std::string_view key;
  std::string_view values;                           ///< that it may have, for messages: "0..8"
  std::function<bool(std::string_view value)> take;  ///< keeps a value; false when the value isn't possible
};

/// Reads a text "KEY=VALUE,KEY=VALUE"; an empty one sets nothing.
/// Throws    ArgumentError for a key or value that isn't possible, listing those that are, and for a key that is given
///           twice.
void read_options(std::string_view preconditioner, std::string_view text,
                  std::span<const PreconditionerOption> options);

/// Sets `to` to the whole number that `value` is. False when it isn't one, or not in least .. most.
bool read_number(std::string_view value, int least, int most, int& to);

}  // namespace ostinato
