// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "command_line.hpp"

namespace ostinato::cli {

// Each function adds the options of its command, and returns the function that runs the command after parsing.
std::function<int()> define_solve(Command& command);
std::function<int()> define_compare(Command& command);
std::function<int()> define_inspect(Command& command);
std::function<int()> define_tune(Command& command);
std::function<int()> define_bench(Command& command);
std::function<int()> define_generate(Command& command);
std::function<int()> define_completion(Command& command);
std::function<int()> define_man(Command& command);

}  // namespace ostinato::cli
