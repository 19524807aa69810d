// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

// JSON files of the program. Only json.cpp and options_file.cpp include the JSON library, because a file that includes
// it takes five seconds to compile.

namespace ostinato::cli {

struct SolveReport;
struct Inspection;
struct TuneReport;
struct BenchReport;
struct PaperReport;
struct CompareReport;

/// Writes a report as JSON, each key on a line of its own. The path "-" is the standard output; an empty path writes
/// nothing. Numbers that aren't finite become null.
/// Throws    FormatError when the file can't be written.
void write_json(const std::string& path, const SolveReport& report);
void write_json(const std::string& path, const Inspection& report);
void write_json(const std::string& path, const TuneReport& report);
void write_json(const std::string& path, const BenchReport& report);
void write_json(const std::string& path, const PaperReport& report);
void write_json(const std::string& path, const CompareReport& report);

/// Reads a JSON object: its keys, and their values as on a command line, "true" for a flag.
/// Throws    FormatError when the file isn't a JSON object; UsageError for a value that is neither a string, a number,
///           true nor false.
std::vector<std::pair<std::string, std::string>> read_options_file(const std::string& path);

}  // namespace ostinato::cli
