// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include "program.hpp"
#include "short_waits.hpp"

int main(int argc, char** argv) {
  ostinato::cli::restart_with_short_waits(argv);
  return ostinato::cli::run_program(argc, argv);
}
