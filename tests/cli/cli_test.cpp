// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

// The program as a person or a script meets it: exit codes, what is said, the keys of the report.

namespace {

using Json = nlohmann::json;

std::string contents(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

struct Outcome {
  int code = -1;
  std::string out, err;
};

/// A folder of its own for each test, and the program run in it.
class Cli : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "ostinato_cli_XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return folder_ + "/" + name; }

  void write(const std::string& name, const std::string& text) const { std::ofstream(path(name)) << text; }

  /// `before` goes in front of the program: a pipe, a setting, a wrapper.
  Outcome run(const std::string& arguments, const std::string& before = "") const {
    const std::string command = "cd '" + folder_ + "' && " + before + " '" + OSTINATO_PROGRAM + "' " + arguments +
                                " >'" + path("out") + "' 2>'" + path("err") + "'";
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, contents(path("out")), contents(path("err"))};
  }

  void generate(const std::string& family_and_file) const {
    ASSERT_EQ(run("generate --quiet " + family_and_file).code, 0);
  }

  Json report(const std::string& name = "report.json") const { return Json::parse(contents(path(name))); }

 private:
  std::string folder_;
};

constexpr const char* indefinite = "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n2 2 -1\n";
constexpr const char* rectangular = "%%MatrixMarket matrix coordinate real general\n2 3 1\n1 1 1\n";
constexpr const char* vector_of_two = "%%MatrixMarket matrix array real general\n2 1\n3\n4\n";

bool is_one_line(const std::string& text) { return !text.empty() && text.find('\n') == text.size() - 1; }

void expect_complaint(const Outcome& r, int code, const std::string& phrase) {
  EXPECT_EQ(r.code, code) << r.err;
  EXPECT_EQ(r.out, "");
  EXPECT_TRUE(is_one_line(r.err)) << r.err;
  EXPECT_EQ(r.err.rfind("ostinato: ", 0), 0u) << r.err;
  EXPECT_NE(r.err.find(phrase), std::string::npos) << r.err;
}

using CliHelp = Cli;
using CliGenerate = Cli;
using CliSolve = Cli;
using CliInspect = Cli;
using CliBench = Cli;
using CliOptionsFile = Cli;

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

TEST_F(CliSolve, TellsWhatItDid) {
  generate("poisson2d 20 p.mtx");
  const Outcome r = run("solve p.mtx --device cpu");
  EXPECT_EQ(r.code, 0);
  EXPECT_EQ(r.err, "") << "quiet when piped";
  for (const char* phrase : {"device ", "400 x 400, 1,920 entries", "b = A * ones", "cg: ", "none: the diagonal is",
                             "dia: ", "not csr: ", "memory ", "recomputed", "converged after "}) {
    EXPECT_NE(r.out.find(phrase), std::string::npos) << phrase << "\n" << r.out;
  }
  EXPECT_EQ(r.out.find('\x1b'), std::string::npos) << "no colours when piped";
}

TEST_F(CliSolve, ReportHasTheStableKeys) {
  generate("poisson2d 20 p.mtx");
  const Outcome r = run("solve p.mtx --json report.json --quiet");
  EXPECT_EQ(r.code, 0);
  EXPECT_EQ(r.out + r.err, "");
  const Json j = report();
  for (const char* key : {"status", "solver", "preconditioner", "format", "device", "rows", "cols", "nonzeros",
                          "iterations", "relative_residual", "history", "times", "bytes", "selection"}) {
    EXPECT_TRUE(j.contains(key)) << key;
  }
  for (const char* key : {"read", "analyse", "convert", "precondition", "solve", "total"}) {
    EXPECT_TRUE(j["times"][key].is_number()) << key;
  }
  for (const char* key : {"matrix", "workspace"}) EXPECT_TRUE(j["bytes"][key].is_number_unsigned()) << key;
  for (const Json& candidate : j["selection"]) {
    for (const char* key : {"format", "bytes", "predicted_seconds", "verdict"}) EXPECT_TRUE(candidate.contains(key));
  }
  EXPECT_EQ(j["status"], "converged");
  EXPECT_EQ(j["history"].size(), j["iterations"].get<std::size_t>() + 1);
  EXPECT_LE(j["relative_residual"].get<double>(), 1e-8);
}

TEST_F(CliSolve, JsonDashLeavesTheStandardOutputToTheReport) {
  generate("poisson2d 8 p.mtx");
  const Outcome r = run("solve p.mtx --json -");
  EXPECT_EQ(Json::parse(r.out)["status"], "converged");
  EXPECT_NE(r.err.find("converged after"), std::string::npos);
}

TEST_F(CliSolve, ReadsTheMatrixFromAPipe) {
  generate("poisson2d 8 p.mtx");
  EXPECT_EQ(run("solve - --quiet", "cat p.mtx |").code, 0);
}

TEST_F(CliSolve, TakesRightHandSideAndGuessAndWritesTheSolution) {
  write("a.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n2 2 2\n");
  write("b.mtx", vector_of_two);
  EXPECT_EQ(run("solve a.mtx -f b.mtx -x b.mtx -o x.mtx --quiet").code, 0);
  const std::string x = contents(path("x.mtx"));
  EXPECT_NE(x.find("2 1\n3\n2\n"), std::string::npos) << x;
}

TEST_F(CliSolve, EachEndHasItsExitCode) {
  generate("poisson2d 40 p.mtx");
  write("indefinite.mtx", indefinite);
  EXPECT_EQ(run("solve p.mtx --quiet").code, 0);
  const Outcome limit = run("solve p.mtx --maxiter 3 --json report.json");
  EXPECT_EQ(limit.code, 1);
  EXPECT_NE(limit.out.find("iteration limit after 3 iterations"), std::string::npos);
  EXPECT_NE(limit.out.find("raise --maxiter"), std::string::npos);
  EXPECT_EQ(report()["status"], "iteration_limit");
  EXPECT_EQ(run("solve indefinite.mtx --solver cg --quiet --json report.json").code, 4);
  EXPECT_EQ(report()["status"], "breakdown");
}

TEST_F(CliSolve, ReportOfNumbersThatAreNotFiniteIsStillJson) {
  write("a.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1e308\n2 2 1e308\n");
  write("b.mtx", "%%MatrixMarket matrix array real general\n2 1\n1e308\n1e308\n");
  const Outcome r = run("solve a.mtx -f b.mtx --solver bicgstab --precond none --json report.json --quiet");
  EXPECT_EQ(r.code, 4);
  EXPECT_EQ(report()["status"], "not_finite");
}

TEST_F(CliSolve, RefusesBadInput) {
  write("rectangular.mtx", rectangular);
  write("b.mtx", vector_of_two);
  write("bad.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 3 1\n");
  generate("poisson2d 2 p.mtx");
  expect_complaint(run("solve none.mtx"), 3, "none.mtx");
  expect_complaint(run("solve bad.mtx"), 3, "bad.mtx:3:");
  expect_complaint(run("solve rectangular.mtx"), 3, "2 x 3");
  expect_complaint(run("solve p.mtx -f b.mtx"), 3, "b.mtx: holds 2 values, but the matrix has 4 rows");
  expect_complaint(run("solve p.mtx -o nowhere/x.mtx"), 3, "nowhere/x.mtx: can't be written");
}

TEST_F(CliSolve, UnknownValuesListTheKnownOnes) {
  generate("poisson2d 2 p.mtx");
  expect_complaint(run("solve p.mtx --solver cgs"), 2, "'cgs' is unknown; known: auto, cg, bicgstab, gmres");
  expect_complaint(run("solve p.mtx --precond x"), 2, "known: auto, none, jacobi");
  expect_complaint(run("solve p.mtx --format x"), 2, "known: auto, csr, dia");
  expect_complaint(run("solve p.mtx --device gpu"), 2, "known: auto, cpu, cuda, cuda:N");
  expect_complaint(run("solve p.mtx --precision mixed"), 2, "known: double, single");
  expect_complaint(run("solve p.mtx --tune x"), 2, "known: off, model, measure");
  expect_complaint(run("solve p.mtx --bogus"), 2, "unknown option '--bogus'; see ostinato solve --help");
  expect_complaint(run("solve p.mtx --rtol nan"), 2, "--rtol: 'nan'");
  expect_complaint(run("solve p.mtx --maxiter 2.5"), 2, "'2.5' isn't a whole number");
  expect_complaint(run("solve"), 2, "matrix is required");
}

TEST_F(CliSolve, SaysWhenTheDeviceIsNotThere) {
  generate("poisson2d 2 p.mtx");
  const Outcome r = run("solve p.mtx --device cuda:4096");
  expect_complaint(r, 5, "");
}

TEST_F(CliSolve, SinglePrecisionHasARealisticTolerance) {
  generate("poisson2d 20 p.mtx");
  EXPECT_EQ(run("solve p.mtx --precision single --json report.json --quiet").code, 0);
  EXPECT_EQ(report()["rtol"], 1e-5);
}

TEST_F(CliSolve, InterruptWritesWhatItHas) {
  generate("poisson2d 200 p.mtx");
  const Outcome r =
      run("solve p.mtx --solver gmres --restart 1 --rtol 1e-12 --maxiter 2000000000 -o x.mtx --json report.json",
          "timeout --preserve-status -s INT 3");
  EXPECT_EQ(r.code, 130) << r.out << r.err;
  EXPECT_NE(r.out.find("interrupted after"), std::string::npos) << r.out;
  EXPECT_EQ(report()["status"], "interrupted");
  EXPECT_NE(contents(path("x.mtx")).find("\n40000 1\n"), std::string::npos);
}

TEST_F(CliOptionsFile, TheCommandLineGoesFirst) {
  generate("poisson2d 20 p.mtx");
  write("o.json", R"({"solver": "gmres", "restart": 7, "flexible": true, "rtol": 1e-3, "quiet": true})");
  EXPECT_EQ(run("solve p.mtx -P o.json --rtol 1e-5 --json report.json").code, 0);
  EXPECT_EQ(report()["solver"], "gmres");
  EXPECT_EQ(report()["rtol"], 1e-5);
}

TEST_F(CliOptionsFile, RefusesWhatItDoesNotKnow) {
  generate("poisson2d 2 p.mtx");
  write("key.json", R"({"solvr": "cg"})");
  write("value.json", R"({"solver": "cgs"})");
  write("type.json", R"({"rtol": [1]})");
  write("broken.json", R"({"rtol": )");
  expect_complaint(run("solve p.mtx -P key.json"), 2, "unknown option 'solvr'; known: rhs, guess, output");
  expect_complaint(run("solve p.mtx -P value.json"), 2, "known: auto, cg, bicgstab, gmres");
  expect_complaint(run("solve p.mtx -P type.json"), 2, "the value of 'rtol'");
  expect_complaint(run("solve p.mtx -P broken.json"), 3, "broken.json: isn't JSON");
  expect_complaint(run("solve p.mtx -P none.json"), 3, "none.json: can't be opened");
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
  for (const Json& format : report()["formats"]) {
    EXPECT_TRUE(format.contains("seconds") || format.contains("why_not")) << format;
    if (format.contains("seconds")) {
      EXPECT_LE(format["error_in_eps"].get<double>(), 10) << format;
    }
  }
}

}  // namespace
