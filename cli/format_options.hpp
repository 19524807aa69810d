// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <ostinato/spmv/selection/choice.hpp>

namespace ostinato::cli {

class Command;

/// The options that say how a command stores and multiplies the matrix, as texts.
struct FormatInput {
  std::string format = "auto", tune = "model", jit = "auto", compress = "auto";
  double products = 0;     ///< expected number; 0: the library's default
  double tune_budget = 0;  ///< seconds; 0: chosen by the library
  bool retune = false;
};

/// Adds --format: the name of a format of the library, with or without parameters. The default is the value in `in`.
void add_format_option(Command& command, FormatInput& in);

/// Adds --format with the formats that are there to compare with, too (bench/formats).
void add_bench_format_option(Command& command, FormatInput& in);

/// Adds --tune with the words that the command accepts and their meaning, and the other options for measuring.
void add_tune_option(Command& command, FormatInput& in, const std::string& known, const std::string& meaning);

/// Adds --products, --tune-budget and --retune.
void add_measuring_options(Command& command, FormatInput& in);

/// Adds --jit and --compress.
void add_kernel_options(Command& command, FormatInput& in);

/// Returns names and descriptions of the library's formats, for the end of a help text.
std::string format_listing();

/// The same with the formats that are there to compare with.
std::string bench_format_listing();

FormatOptions format_options(const FormatInput& in);

/// Throws    UsageError for an option that would do nothing with the others.
void require_use_of_formats(const FormatInput& in, const std::string& device);

}  // namespace ostinato::cli
