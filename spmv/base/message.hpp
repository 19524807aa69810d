// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

// What the messages of errors have in common, so that names, ranges and rows are worded in one way everywhere.

namespace ostinato {

std::string lower(std::string_view text);  ///< in lower case

/// Whether two names are the same. Names are taken in any case.
bool same_name(std::string_view a, std::string_view b);

/// "did you mean solve? " when one of the names is so near to `word` that a slip of the finger explains the difference,
/// or when `word` is its beginning; empty otherwise.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& known);

/// "unknown solver 'cgs'; did you mean cg? known: auto, cg, bicgstab", where `what` is "solver".
std::string unknown_name(std::string_view what, std::string_view given, const std::vector<std::string>& known);

/// "row 5 (counted from 0)": a row in a message of the library. Where files count from 1, messages about files give the
/// line, too (FormatError).
std::string row_text(std::size_t row);
std::string row_text(std::size_t first, std::size_t last);  ///< "rows 5 to 7 (counted from 0)", or one row

/// Checks an option of a solver or preconditioner, whose name begins the message. `value` may be NaN.
/// Throws    ArgumentError "ssor: omega is 3; it has to be 0.01 to 1.99", or "at least" where there is no `most`.
void require_between(std::string_view owner, std::string_view option, double value, double least,
                     double most = std::numeric_limits<double>::infinity());

}  // namespace ostinato
