// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ostinato::cli {

/// The program: runs a command line, whose first word is the program's name, and returns the exit code. Ctrl-C ends the
/// process, or the solve at hand.
int run_program(int argc, char** argv);

}  // namespace ostinato::cli
