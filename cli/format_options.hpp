// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <ostinato/spmv/selection/choice.hpp>

#include "command_line.hpp"

namespace ostinato::cli {

/// How a command is to store and multiply the matrix, in the words of its options.
struct FormatInput {
  std::string format = "auto", tune = "model", jit = "auto", compress = "auto";
  double products = 0;     ///< expected; 0: the library's default
  double tune_budget = 0;  ///< seconds; 0: chosen by the library
  bool retune = false;
};

/// --format: a name of the registry, with or without parameters, or what `in` holds at first.
void add_format_option(Command& command, FormatInput& in);

/// --tune, with the words that the command takes and what they mean there, and what goes with measuring.
void add_tune_option(Command& command, FormatInput& in, const std::string& known, const std::string& meaning);

/// --products, --tune-budget and --retune.
void add_measuring_options(Command& command, FormatInput& in);

/// --jit and --compress.
void add_kernel_options(Command& command, FormatInput& in);

/// Names and descriptions of the formats, for the end of a help text.
std::string format_listing();

FormatOptions format_options(const FormatInput& in);

}  // namespace ostinato::cli
