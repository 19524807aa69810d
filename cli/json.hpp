// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

// What the program reads and writes as JSON. The library for JSON is known to json.cpp alone, because every file that
// includes it takes five seconds to compile.

namespace ostinato::cli {

struct SolveReport;
struct Inspection;
struct TuneReport;
struct BenchReport;

/// Writes a report as JSON, each key on a line of its own; "-" is the standard output, and an empty path writes nothing.
/// Numbers that aren't finite become null.
/// Throws FormatError when the file can't be written.
void write_json(const std::string& path, const SolveReport& report);
void write_json(const std::string& path, const Inspection& report);
void write_json(const std::string& path, const TuneReport& report);
void write_json(const std::string& path, const BenchReport& report);

/// The keys of a JSON object with their values as the command line would have them: "true" for a flag.
/// Throws    FormatError when the file isn't a JSON object; UsageError for a value that is neither a string, a number,
///           true nor false.
std::vector<std::pair<std::string, std::string>> read_options_file(const std::string& path);

}  // namespace ostinato::cli
