// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace ostinato::cli {

/// Gives the options of a command that the command line leaves out the values of a JSON object, whose keys are their
/// long names. Does nothing when `path` is empty.
/// Throws    FormatError when the file isn't JSON; UsageError for a key that no option has, listing those there are.
void apply_options_file(CLI::App& command, const std::string& path);

}  // namespace ostinato::cli
