// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include <ostinato/spmv/selection/choice.hpp>
#include <ostinato/spmv/analysis/structure.hpp>

namespace ostinato::cli {

using Json = nlohmann::ordered_json;

Json version_json();
Json to_json(const Structure& s);

/// The ranking: format, bytes, predicted_seconds and verdict of each candidate, and what else the model said. What
/// doesn't apply has null for bytes and seconds.
Json to_json(const std::vector<Candidate>& candidates);

/// Writes a report, each key on a line of its own; "-" is the standard output. Numbers that aren't finite become null.
/// Throws FormatError when the file can't be written.
void write_json(const std::string& path, const Json& report);

/// Throws FormatError when a file that is to be written in the end (none when empty, "-" for the standard output)
/// can't be: better before a long solve than after it.
void require_writable(const std::string& path);

}  // namespace ostinato::cli
