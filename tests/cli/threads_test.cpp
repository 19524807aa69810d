// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0

// How many threads the program takes.

#include "program.hpp"

namespace ostinato::cli_tests {
namespace {

class CliThreads : public Cli {};

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

}  // namespace
}  // namespace ostinato::cli_tests
