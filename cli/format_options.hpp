// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include <ostinato/spmv/select.hpp>

#include "json.hpp"

namespace ostinato::cli {

/// How a command is to store and multiply the matrix, in the words of its options.
struct FormatInput {
  std::string format = "auto", tune = "model", jit = "auto", compress = "auto";
};

/// --format: a name of the registry, or what `in` holds at first.
void add_format_option(CLI::App& command, FormatInput& in);

/// --tune, with the words that the command takes and what they mean there.
void add_tune_option(CLI::App& command, FormatInput& in, const std::string& known, const std::string& meaning);

/// --jit and --compress.
void add_kernel_options(CLI::App& command, FormatInput& in);

FormatOptions format_options(const FormatInput& in);

/// What was asked of the format, and what became of the kernels generated for it.
Json format_details(const FormatInput& in, const std::string& generated);

}  // namespace ostinato::cli
