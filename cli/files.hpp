// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace ostinato::cli {

/// Throws FormatError when a file that is to be written in the end (none when empty, "-" for the standard output)
/// can't be: better before a long solve than after it.
void require_writable(const std::string& path);

/// Whether two paths name one file. False for none and for "-".
bool same_file(const std::string& a, const std::string& b);

}  // namespace ostinato::cli
