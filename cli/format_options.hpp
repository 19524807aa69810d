// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include <ostinato/spmv/selection/choice.hpp>

#include "json.hpp"

namespace ostinato::cli {

/// How a command is to store and multiply the matrix, in the words of its options.
struct FormatInput {
  std::string format = "auto", tune = "model", jit = "auto", compress = "auto";
  double products = 0;     ///< expected; 0: the library's default
  double tune_budget = 0;  ///< seconds; 0: chosen by the library
  bool retune = false;
};

/// --format: a name of the registry, with or without parameters, or what `in` holds at first.
void add_format_option(CLI::App& command, FormatInput& in);

/// --tune, with the words that the command takes and what they mean there, and what goes with measuring.
void add_tune_option(CLI::App& command, FormatInput& in, const std::string& known, const std::string& meaning);

/// --products, --tune-budget and --retune.
void add_measuring_options(CLI::App& command, FormatInput& in);

/// --jit and --compress.
void add_kernel_options(CLI::App& command, FormatInput& in);

FormatOptions format_options(const FormatInput& in);

/// What was asked of the format, and what became of the kernels generated for it.
Json format_details(const FormatInput& in, const std::string& generated);

}  // namespace ostinato::cli
