// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/program.hpp"

namespace ostinato::cli_tests {

using CliCompare = Cli;

std::string last_lines(const std::string& text, int count) {
  std::size_t at = text.size();
  for (; count >= 0 && at != std::string::npos && at > 0; --count) at = text.rfind('\n', at - 1);
  return at == std::string::npos ? text : text.substr(at + 1);
}

TEST_F(CliCompare, EndsWithTheCommandThatTakesTheFastestPair) {
  const Outcome r = run("compare variable2d:20 --device cpu --rtol 1e-9 --json report.json");
  EXPECT_EQ(r.code, 0) << r.err;
  const Json j = report();
  ASSERT_TRUE(j["best"].is_object());
  const std::string command = j["command"].get<std::string>();
  EXPECT_NE(r.out.find("\n" + command + "\n"), std::string::npos) << r.out;
  EXPECT_NE(command.find("--rtol 1e-09"), std::string::npos) << command;
  EXPECT_NE(command.find("--device cpu"), std::string::npos) << command;
  std::string cpp;
  for (const Json& line : j["cpp"]) cpp += line.get<std::string>() + "\n";
  EXPECT_EQ(last_lines(r.out, static_cast<int>(j["cpp"].size())), cpp);

  const std::string again = command.substr(std::string("ostinato ").size());
  EXPECT_EQ(run(again + " --json again.json").code, 0) << command;
  const Json solved = report("again.json");
  EXPECT_EQ(solved["status"], "converged");
  EXPECT_LE(solved["relative_residual"].get<double>(), 1e-9);
}

TEST_F(CliCompare, ReportsEachRun) {
  const Outcome r = run("compare poisson2d:12 --device cpu --budget 5 --json report.json");
  EXPECT_EQ(r.code, 0) << r.err;
  for (const char* phrase : {"144 x 144", "solver ", "preconditioner\n", "\ncg ", "\nauto ", "of a budget of 5.00 s",
                             "fastest ", "not run "}) {
    EXPECT_NE(r.out.find(phrase), std::string::npos) << phrase << "\n" << r.out;
  }
  const Json j = report();
  for (const char* key : {"matrix",      "rhs",     "device", "precision", "rows",     "cols",           "nonzeros",
                          "preparation", "format",  "budget", "rtol",      "seconds",  "common_seconds", "interrupted",
                          "best",        "command", "cpp",    "runs",      "left_out", "version"}) {
    EXPECT_TRUE(j.contains(key)) << key;
  }
  EXPECT_EQ(j["interrupted"], false);
  EXPECT_EQ(j["budget"], 5);
  ASSERT_GE(j["runs"].size(), 5u);
  double last = 0;
  for (const Json& row : j["runs"]) {
    for (const char* key : {"solver", "preconditioner", "ended_with", "status", "reason", "iterations", "setup_seconds",
                            "solve_seconds", "total_seconds", "bytes", "relative_residual"}) {
      ASSERT_TRUE(row.contains(key)) << key << " in " << row;
    }
    if (row["status"] != "converged") break;
    EXPECT_GE(row["total_seconds"].get<double>(), last);
    last = row["total_seconds"].get<double>();
    EXPECT_LE(row["relative_residual"].get<double>(), 1e-8);
  }
  EXPECT_EQ(j["runs"][0]["solver"], j["best"]["solver"]);
  for (const Json& item : j["left_out"]) EXPECT_TRUE(item.contains("why") && item.contains("reason")) << item;
}

TEST_F(CliCompare, TakesARightHandSideAndMatricesThatAreNotSquare) {
  write("a.mtx", "%%MatrixMarket matrix coordinate real general\n3 2 4\n1 1 1\n2 2 2\n3 1 1\n3 2 1\n");
  write("b.txt", "1\n2\n5\n");
  const Outcome r = run("compare a.mtx -f b.txt --device cpu --json report.json");
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_NE(r.out.find("b.txt"), std::string::npos) << r.out;
  const Json whole = report();
  for (const Json& row : whole["runs"]) EXPECT_EQ(row["ended_with"]["solver"], "lsmr") << row;
  write("short.txt", "1\n2\n");
  expect_complaint(run("compare a.mtx -f short.txt"), 3, "holds 2 values, but the matrix has 3 rows");
}

// Constants solve A x = 0, so that A * ones would tell nothing.
TEST_F(CliCompare, TakesAnotherRightHandSideWhereThatOfOnesVanishes) {
  write("ring.mtx",
        "%%MatrixMarket matrix coordinate real symmetric\n3 3 6\n1 1 2\n2 2 2\n3 3 2\n2 1 -1\n3 1 -1\n3 2 -1\n");
  const Outcome r = run("compare ring.mtx --device cpu --json report.json");
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(report()["rhs"], "b = A * (sin 1, sin 2, ...), as A * ones is 0");
}

TEST_F(CliCompare, EndsWithCodeOneWhereNoneConverged) {
  const Outcome r = run("compare poisson2d:8 --device cpu --budget 0 --json report.json");
  EXPECT_EQ(r.code, 1) << r.err;
  EXPECT_NE(r.out.find("none converged"), std::string::npos) << r.out;
  EXPECT_TRUE(report()["best"].is_null());
  EXPECT_EQ(report()["command"], "");
}

TEST_F(CliCompare, IsEndedByAnInterruptWithTheTableSoFar) {
  const Outcome r =
      run("compare poisson3d:48 --device cpu --budget 60 --json report.json", "timeout --preserve-status -s INT 2");
  EXPECT_EQ(r.code, 130) << r.err;
  EXPECT_NE(r.out.find("; interrupted"), std::string::npos) << r.out;
  EXPECT_EQ(report()["interrupted"], true);
}

TEST_F(CliCompare, RefusesBadOptions) {
  generate("poisson2d 2 p.mtx");
  expect_complaint(run("compare p.mtx --budget -1"), 2, "'-1' isn't a number of at least 0");
  expect_complaint(run("compare p.mtx --solver cg"), 2, "--solver is an option of solve");
  expect_complaint(run("compare none.mtx"), 3, "none.mtx");
  expect_complaint(run("compare p.mtx --json p.mtx"), 2, "p.mtx");
  expect_complaint(run("compare - -f -"), 2, "standard input");
  expect_complaint(run("compare p.mtx -f b.json --json b.json"), 2, "b.json");
}

TEST_F(CliCompare, TakesNamesOfOtherLibrariesInSolve) {
  const Outcome r = run("solve variable2d:12 --device cpu --solver BCGS --precond icc:drop=0.1 --json report.json");
  EXPECT_EQ(r.code, 0) << r.err;
  const Json j = report();
  EXPECT_EQ(j["solver"], "bicgstab");
  EXPECT_EQ(j["preconditioner"], "ict");
  EXPECT_NE(j["notes"].dump().find("bcgs is bicgstab here"), std::string::npos) << j["notes"];
  EXPECT_NE(r.out.find("icc is ict here"), std::string::npos) << r.out;
  EXPECT_EQ(run("solve variable2d:12 --device cpu --solver fgmres --restart 20").code, 0);
  expect_complaint(run("solve variable2d:12 --device cpu --solver pcg --restart 20"), 2, "restart = 20 is for gmres");
  expect_complaint(run("solve variable2d:12 --solver sor"), 2, "'sor' is unknown; known: auto, cg");
}

TEST_F(CliCompare, IsNamedByTune) {
  const Outcome r = run("tune poisson2d:8 --device cpu", "OSTINATO_CACHE_DIR=");
  EXPECT_NE(last_lines(r.out, 2).find("compare poisson2d:8"), std::string::npos) << r.out;
  EXPECT_NE(run("tune --help").out.find("ostinato compare"), std::string::npos);
}

}  // namespace ostinato::cli_tests
