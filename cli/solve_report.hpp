// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <string>
#include <vector>

#include <ostinato/strategy/set_up.hpp>

#include "report.hpp"
#include "solve_input.hpp"

// From the command line, a set-up and the end of a solve to the report.

namespace ostinato::cli {

/// The parts of the report that are known before any work.
SolveReport begun(const SolveInput& in);

/// Takes how a solve was set up and went, in the words of the command line.
void take_result(const SolveInput& in, SolveReport& report, SolveResult result, const SetUp& set_up);

/// Writes a line for each iteration: the number, and ||b - A x|| / ||b|| as the method has it. No path: nothing.
void write_history(const std::string& path, const std::vector<double>& history);

}  // namespace ostinato::cli
