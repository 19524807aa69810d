// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <initializer_list>
#include <string>
#include <string_view>

namespace ostinato::cli {

/// Checks, before any work, a file that the command will write: that the file can be written, and that it is none of
/// the files that the command reads and not the file that the command writes beside it. Two paths are compared by what
/// they lead to, so that links and "./x" are seen through. The standard output, which gets the table, is checked as
/// well, and alone when the path is empty. "-" is the standard output when it is written, and the standard input when
/// it is read.
/// Throws    UsageError when something would be lost; FormatError when the file can't be written.
void require_output(const std::string& written, std::initializer_list<std::string> read,
                    const std::string& written_too = {});

/// Checks that the name of a file doesn't promise another kind of file than the text that is written: no .npy for a
/// matrix as Matrix Market text. `what`: "a matrix is written as Matrix Market text". Other endings are anyone's
/// choice.
/// Throws    UsageError that names the endings that fit.
void require_kind(const std::string& path, const char* what, std::initializer_list<std::string_view> endings);

/// The same as require_output() for the reports of a command that reads a matrix: --json and --html.
void require_reports(const std::string& json, const std::string& html, const std::string& matrix);

/// Where the table goes: to stderr when one of the files that the command writes is the standard output, under whatever
/// name.
std::FILE* table_stream(std::initializer_list<std::string> written);

/// The size of the regular file at a path; 0 for a pipe, a device, or when there is no file.
double file_bytes(const std::string& path);

}  // namespace ostinato::cli
