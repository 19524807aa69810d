// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0

// How the program's threads wait.

#include "program.hpp"

namespace ostinato::cli_tests {
namespace {

class CliThreads : public Cli {
 protected:
  /// Starts the program, which waits for its matrix, and returns GOMP_SPINCOUNT and MARK of its environment. The file
  /// `name` then has the name of the process.
  std::string spin_count(const std::string& environment) const {
    // The program takes the shell's place, so that $$ is its number, and waits for the matrix.
    const std::string look =
        "sleep 1; tr '\\0' '\\n' </proc/$(cat pid)/environ | grep -E '^(GOMP_SPINCOUNT|MARK)' | sort >spin; "
        "cat /proc/$(cat pid)/comm >name; echo x";
    const std::string start = "sh -c 'echo $$ >pid; exec \"" OSTINATO_PROGRAM "\" inspect -' >out 2>err";
    const std::string command = "cd '" + path("") + "' && unset OMP_WAIT_POLICY GOMP_SPINCOUNT; (" + look + ") | " +
                                environment + " MARK=1 " + start;
    static_cast<void>(std::system(command.c_str()));
    return contents(path("spin"));
  }
};

TEST_F(CliThreads, WaitShortlyUnlessToldOtherwise) { EXPECT_EQ(spin_count(""), "GOMP_SPINCOUNT=2000\nMARK=1\n"); }

TEST_F(CliThreads, WaitAsTheUserSays) { EXPECT_EQ(spin_count("OMP_WAIT_POLICY=active"), "MARK=1\n"); }

TEST_F(CliThreads, WaitAsLongAsTheUserSays) { EXPECT_EQ(spin_count("GOMP_SPINCOUNT=7"), "GOMP_SPINCOUNT=7\nMARK=1\n"); }

TEST_F(CliThreads, AreAtMost512WhateverTheEnvironmentSays) {
  generate("poisson2d 10 p.mtx");
  for (const char* many : {"3000", "33000", "100000", "2147483648", "4294967296", "4294967297000"}) {
    const Outcome r = run("solve p.mtx --device cpu", "OMP_NUM_THREADS=" + std::string(many));
    EXPECT_EQ(r.code, 0) << many << ": " << r.err;
    EXPECT_NE(r.out.find(", 512 threads"), std::string::npos) << many << ": " << r.out;
  }
  const Outcome two = run("solve p.mtx --device cpu --threads 2", "OMP_NUM_THREADS=100000");
  EXPECT_EQ(two.code, 0) << two.err;
  EXPECT_NE(two.out.find(", 2 threads"), std::string::npos) << two.out;
}

TEST_F(CliThreads, LeaveTheProcessItsName) {
  spin_count("");

  EXPECT_EQ(contents(path("name")), "ostinato\n");
}

}  // namespace
}  // namespace ostinato::cli_tests
