// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace ostinato::cli {

/// Checks before a long solve that the file to be written at its end can be written. Does nothing for an empty path and
/// for "-", the standard output.
/// Throws    FormatError when the file can't be written.
void require_writable(const std::string& path);

/// Whether two paths name the same file. False for an empty path and for "-".
bool same_file(const std::string& a, const std::string& b);

}  // namespace ostinato::cli
