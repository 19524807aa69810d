// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <pty.h>

#include "cli/program.hpp"

// Checks the curve of the residuals in the table of solve, which is there on a terminal that shows UTF-8.

namespace ostinato::cli_tests {
namespace {

using CliSparkline = Cli;

/// Runs a shell command with a terminal as its standard output, and returns what the terminal gets.
std::string on_terminal(const std::string& command) {
  int terminal = -1;
  const pid_t child = forkpty(&terminal, nullptr, nullptr, nullptr);
  if (child == 0) {
    execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    _exit(127);
  }
  EXPECT_GT(child, 0);
  std::string text;
  char part[4096];
  for (ssize_t n = 0; (n = read(terminal, part, sizeof part)) > 0;) text.append(part, static_cast<std::size_t>(n));
  close(terminal);
  int status = 0;
  waitpid(child, &status, 0);
  return text;
}

std::size_t blocks_in(const std::string& text) {
  std::size_t blocks = 0;
  for (std::size_t k = 0; k + 2 < text.size(); ++k) {
    const unsigned char last = static_cast<unsigned char>(text[k + 2]);
    blocks += text.compare(k, 2, "\xE2\x96") == 0 && last >= 0x81 && last <= 0x88;
  }
  return blocks;
}

/// A shell command that solves under a locale. (Sums of texts give false warnings with GCC 12.)
std::string solve(const char* locale) {
  std::ostringstream command;
  command << "LC_ALL=" << locale << " '" << OSTINATO_PROGRAM << "' solve '" << OSTINATO_EXAMPLES_DIR
          << "/matrices/nos3.mtx.gz' 2>/dev/null";
  return command.str();
}

TEST_F(CliSparkline, StandsInTheTableOnATerminalThatShowsUtf8) {
  const std::string shown = on_terminal(solve("C.UTF-8"));

  EXPECT_NE(shown.find("convergence"), std::string::npos) << shown;
  EXPECT_EQ(blocks_in(shown), 32u) << shown;
  EXPECT_NE(shown.find("\xE2\x96\x88"), std::string::npos);  // the greatest residual is a whole block
  EXPECT_NE(shown.find("\xE2\x96\x81"), std::string::npos);  // the least is the lowest
}

TEST_F(CliSparkline, IsLeftOutElsewhere) {
  EXPECT_EQ(blocks_in(on_terminal(solve("C"))), 0u);
  generate("poisson2d 20 a.mtx");
  EXPECT_EQ(blocks_in(run("solve a.mtx", "LC_ALL=C.UTF-8").out), 0u);
}

}  // namespace
}  // namespace ostinato::cli_tests
