// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/program.hpp"

namespace ostinato::cli_tests {

using CliHelp = Cli;
using CliGenerate = Cli;
using CliInspect = Cli;
using CliBench = Cli;

TEST_F(CliHelp, FitsInEightyColumnsAndNamesDefaults) {
  for (const char* command : {"--help", "solve --help", "inspect --help", "bench --help", "generate --help"}) {
    const Outcome r = run(command);
    EXPECT_EQ(r.code, 0);
    std::istringstream lines(r.out);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80u) << line;
  }
  const std::string help = run("solve --help").out;
  for (const char* phrase : {"--solver NAME", "auto, cg, bicgstab, gmres [auto]", "[1e-8;", "[10000]", "130"}) {
    EXPECT_NE(help.find(phrase), std::string::npos) << phrase;
  }
}

TEST_F(CliHelp, VersionIsOneLine) {
  const Outcome r = run("--version");
  EXPECT_EQ(r.code, 0);
  EXPECT_TRUE(is_one_line(r.out));
}

TEST_F(CliHelp, NoCommandIsAUsageErrorWithHelp) {
  const Outcome r = run("");
  EXPECT_EQ(r.code, 2);
  EXPECT_NE(r.err.find("Commands:"), std::string::npos);
}

TEST_F(CliHelp, UnknownCommandListsTheKnownOnes) {
  expect_complaint(run("slove A.mtx"), 2, "unknown command 'slove'; known: solve, inspect, bench, generate");
}

TEST_F(CliGenerate, WritesWhatItSays) {
  const Outcome r = run("generate poisson2d 20 p.mtx");
  EXPECT_EQ(r.code, 0);
  EXPECT_EQ(r.out, "");
  EXPECT_NE(r.err.find("p.mtx: 400 x 400, 1,920 entries"), std::string::npos) << r.err;
  EXPECT_NE(contents(path("p.mtx")).find("% ostinato generate poisson2d 20\n"), std::string::npos);
}

TEST_F(CliGenerate, DashIsTheStandardOutput) {
  const Outcome r = run("generate convection-diffusion2d 4 - --peclet 3 --rotating");
  EXPECT_EQ(r.code, 0);
  EXPECT_EQ(r.out.rfind("%%MatrixMarket matrix coordinate real general\n", 0), 0u);
  EXPECT_NE(r.out.find("--peclet 3 --rotating"), std::string::npos);
}

TEST_F(CliGenerate, RefusesWhatWouldChangeNothing) {
  expect_complaint(run("generate nofamily 3 -"), 2, "known: poisson2d, poisson3d");
  expect_complaint(run("generate poisson2d 3 - --peclet 1"), 2, "poisson2d has no use for --peclet");
  expect_complaint(run("generate poisson2d"), 2, "a size is missing");
  expect_complaint(run("generate poisson2d 3"), 2, "an output file is missing");
  expect_complaint(run("generate banded 3 - --broken 2"), 2, "broken = 2 is not within 0 .. 1");
}

TEST_F(CliGenerate, ListsTheFamilies) {
  const Outcome r = run("generate --list");
  EXPECT_EQ(r.code, 0);
  EXPECT_NE(r.out.find("maxwell2d"), std::string::npos);
}

TEST_F(CliInspect, ShowsEveryFormatWithAVerdict) {
  generate("poisson2d 20 p.mtx");
  const Outcome r = run("inspect p.mtx --json report.json");
  EXPECT_EQ(r.code, 0);
  for (const char* phrase :
       {"diagonals       5: -20 -1 0 1 20", "symmetric", "solver          cg", "B/entry", "chosen"}) {
    EXPECT_NE(r.out.find(phrase), std::string::npos) << phrase << "\n" << r.out;
  }
  EXPECT_GE(report()["selection"].size(), 2u);
  EXPECT_EQ(report()["structure"]["diagonals"], 5);
}

TEST_F(CliInspect, TakesRectangularMatrices) {
  write("rectangular.mtx", rectangular);
  const Outcome r = run("inspect rectangular.mtx");
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_NE(r.out.find("the matrix isn't square"), std::string::npos);
}

TEST_F(CliInspect, CanMeasure) {
  generate("poisson2d 20 p.mtx");
  const Outcome r = run("inspect p.mtx --tune measure");
  EXPECT_EQ(r.code, 0);
  EXPECT_NE(r.out.find("measured"), std::string::npos);
}

TEST_F(CliBench, ChecksAndTimesEachFormat) {
  generate("poisson2d 30 p.mtx");
  const Outcome r = run("bench p.mtx --repetitions 1 --device cpu --json report.json");
  EXPECT_EQ(r.code, 0) << r.err;
  for (const char* phrase : {"bandwidth", "x csr", "x floor", "eps"}) EXPECT_NE(r.out.find(phrase), std::string::npos);
  const Json json = report();
  EXPECT_FALSE(json["formats"].empty());
  for (const Json& format : json["formats"]) {
    EXPECT_TRUE(format.contains("seconds") || format.contains("why_not")) << format;
    if (format.contains("seconds")) {
      EXPECT_LE(format["error_in_eps"].get<double>(), 10) << format;
    }
  }
}

}  // namespace ostinato::cli_tests
