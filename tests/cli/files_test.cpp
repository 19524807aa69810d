// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/program.hpp"

// What the program does to files: nothing that it reads is written over, and an output that fails takes nothing with
// it.

namespace ostinato::cli_tests {
namespace {

class CliFiles : public Cli {
 protected:
  /// Runs the program with redirections of its own in the arguments.
  Outcome redirected(const std::string& arguments) const { return run(arguments + "; }", "{"); }

  void link(const std::string& to, const std::string& name) const { std::filesystem::create_symlink(to, path(name)); }

  bool exists(const std::string& name) const { return std::filesystem::exists(path(name)); }
};

constexpr const char* small = "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n2 2 2\n";
constexpr const char* vector_of_two = "%%MatrixMarket matrix array real general\n2 1\n3\n4\n";

TEST_F(CliFiles, NoCommandWritesOverItsMatrix) {
  write("a.mtx", small);
  link("a.mtx", "link.mtx");
  std::filesystem::create_hard_link(path("a.mtx"), path("hard.mtx"));
  for (const char* command : {"solve", "inspect", "tune", "bench"}) {
    for (const char* json : {"a.mtx", "./a.mtx", "link.mtx", "hard.mtx"}) {
      const std::string call = std::string(command) + " a.mtx --device cpu --json " + json;
      expect_complaint(run(call), 2, "would be written over a.mtx; name another file");
    }
    const std::string piped = std::string(command) + " - --device cpu --json a.mtx <a.mtx";
    expect_complaint(redirected(piped), 2, "a.mtx would be written over the standard input");
  }
  EXPECT_EQ(contents(path("a.mtx")), small);
}

TEST_F(CliFiles, SolveWritesOverNothingThatItReads) {
  write("a.mtx", small);
  write("b.mtx", vector_of_two);
  write("o.json", R"({"rtol": 1e-3})");
  const std::string call = "solve a.mtx -f b.mtx -x b.mtx -P o.json ";
  expect_complaint(run(call + "-o ./b.mtx"), 2, "./b.mtx would be written over b.mtx");
  expect_complaint(run(call + "--json ./b.mtx"), 2, "./b.mtx would be written over b.mtx");
  expect_complaint(run(call + "-o o.json"), 2, "o.json would be written over o.json");
  expect_complaint(run(call + "--json $PWD/o.json"), 2, "o.json would be written over o.json");
  EXPECT_EQ(contents(path("b.mtx")), vector_of_two);
  EXPECT_EQ(contents(path("o.json")), R"({"rtol": 1e-3})");
}

TEST_F(CliFiles, TheSolutionMayTakeThePlaceOfTheGuess) {
  write("a.mtx", small);
  write("b.mtx", vector_of_two);
  write("x.mtx", vector_of_two);
  EXPECT_EQ(run("solve a.mtx -f b.mtx -x x.mtx -o x.mtx --quiet").code, 0);
  EXPECT_NE(contents(path("x.mtx")).find("2 1\n3\n2\n"), std::string::npos);
}

TEST_F(CliFiles, TheTableIsWrittenOverNoOtherOutput) {
  generate("poisson2d 5 p.mtx");

  const Outcome r = run("solve p.mtx -o /dev/stdout");  // run() sends the standard output to a file
  EXPECT_EQ(r.code, 0);
  EXPECT_EQ(r.out.rfind("%%MatrixMarket", 0), 0u) << r.out;
  EXPECT_NE(r.err.find("converged"), std::string::npos) << r.err;

  EXPECT_EQ(run("inspect p.mtx --json /dev/stdout").code, 0);
  EXPECT_TRUE(Json::accept(contents(path("out"))));
}

TEST_F(CliFiles, TheTableIsNotAppendedToTheMatrix) {
  generate("poisson2d 5 p.mtx");
  const std::string before = contents(path("p.mtx"));

  EXPECT_EQ(run("solve p.mtx >>p.mtx; exit $?; true").code, 2);
  EXPECT_EQ(contents(path("p.mtx")), before);
}

TEST_F(CliFiles, TwoOutputsDoNotShareAFile) {
  write("a.mtx", small);
  link("x", "to_x");
  std::filesystem::create_directory(path("folder"));
  for (const char* json : {"x", "./x", "folder/../x", "to_x", "$PWD/x"}) {
    expect_complaint(run(std::string("solve a.mtx -o x --json ") + json), 2, "would be written over x; name another");
  }
  EXPECT_FALSE(exists("x"));
  expect_complaint(redirected("solve a.mtx -o - --json both >both"), 2, "written over the standard output");
  EXPECT_EQ(run("solve a.mtx -o /dev/null --json /dev/null --quiet").code, 0);
}

TEST_F(CliFiles, SaysThatAnOutputIsAFolder) {
  write("a.mtx", small);
  expect_complaint(run("solve a.mtx -o ."), 3, ".: can't be written: it is a folder");
  expect_complaint(run("inspect a.mtx --json ."), 3, ".: can't be written: it is a folder");
  expect_complaint(run("generate poisson2d 3 ."), 3, ".: can't be written: it is a folder");
}

TEST_F(CliFiles, AFailingOutputLeavesReportAndTable) {
  write("a.mtx", small);
  const Outcome r = run("solve a.mtx -o /dev/full --json report.json");
  EXPECT_EQ(r.code, 3);
  EXPECT_NE(r.out.find("converged after"), std::string::npos) << r.out;
  EXPECT_EQ(r.err, "ostinato: /dev/full: can't be written: No space left on device\n");
  EXPECT_EQ(report()["status"], "converged");
  EXPECT_EQ(report()["solution"], nullptr);
  EXPECT_EQ(run("solve a.mtx -o x.mtx --json /dev/full").code, 3);
  EXPECT_NE(contents(path("x.mtx")).find("2 1\n1\n1\n"), std::string::npos);
}

TEST_F(CliFiles, TheReportNamesTheSolution) {
  write("a.mtx", small);
  EXPECT_EQ(run("solve a.mtx -o x.mtx --json report.json --quiet").code, 0);
  EXPECT_EQ(report()["solution"], "x.mtx");
}

TEST_F(CliFiles, AClosedPipeLeavesTheReport) {
  generate("poisson2d 100 p.mtx");  // x is longer than a pipe holds
  run("solve p.mtx -o - --json report.json 2>said; echo $? >code; } | head -c 1", "{");
  EXPECT_EQ(contents(path("code")), "3\n");
  EXPECT_EQ(report()["status"], "converged");
  EXPECT_NE(contents(path("said")).find("standard output: can't be written: Broken pipe"), std::string::npos);
}

TEST_F(CliFiles, AFullOrClosedStandardOutputIsAnError) {
  write("a.mtx", small);
  for (const char* call :
       {"solve a.mtx --json -", "inspect a.mtx --json -", "bench a.mtx --repetitions 1 --json -", "tune a.mtx --json -",
        "solve a.mtx", "inspect a.mtx", "bench a.mtx --repetitions 1", "tune a.mtx", "solve a.mtx -o - --quiet",
        "generate poisson2d 3 -", "generate --list", "--help", "--version"}) {
    for (const auto& [to, reason] :
         {std::pair{" >/dev/full", "No space left on device"}, {" >&-", "Bad file descriptor"}}) {
      const Outcome r = redirected(std::string(call) + to);
      EXPECT_EQ(r.code, 3) << call << to;
      const std::string wanted = std::string("ostinato: standard output: can't be written: ") + reason + "\n";
      const std::size_t at = r.err.find(wanted);
      EXPECT_NE(at, std::string::npos) << call << to << ": " << r.err;
      EXPECT_EQ(r.err.find("ostinato: standard", at + 1), std::string::npos) << "told twice: " << r.err;
    }
  }
  EXPECT_EQ(redirected("solve a.mtx --quiet --json report.json >&-").code, 0) << "nothing was to be printed";
}

TEST_F(CliFiles, AFullStandardErrorChangesNothing) {
  write("a.mtx", small);
  EXPECT_EQ(redirected("solve a.mtx --json - 2>/dev/full").code, 0);
  EXPECT_EQ(redirected("solve none.mtx 2>/dev/full").code, 3);
  EXPECT_EQ(redirected("solve a.mtx 2>&-").code, 0);
}

TEST_F(CliFiles, GenerateWritesToPipesAndDevices) {
  const Outcome r = run("generate poisson2d 4 /dev/null");
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_NE(r.err.find("/dev/null: 16 x 16, 64 entries, generated in"), std::string::npos) << r.err;
  EXPECT_EQ(run("generate poisson2d 4 pipe", "mkfifo pipe; cat pipe >copy &").code, 0);
  EXPECT_EQ(run("generate poisson2d 4 file").code, 0);
  for (int k = 0; k < 100 && contents(path("copy")).size() < contents(path("file")).size(); ++k) ::usleep(20000);
  EXPECT_EQ(contents(path("copy")).substr(0, 40), contents(path("file")).substr(0, 40));
}

TEST_F(CliFiles, RefusesEmptyNames) {
  write("a.mtx", small);
  for (const char* option :
       {"--rhs", "--guess", "--coordinates", "--output", "--history", "--json", "--html", "--options"})
    expect_complaint(run("solve a.mtx " + std::string(option) + " \"$UNSET\""), 2,
                     std::string(option) + ": the name of the file is empty");
  for (const char* option : {"-f", "-b", "-x", "-o", "-P"})
    expect_complaint(run("solve a.mtx " + std::string(option) + " ''"), 2, ": the name of the file is empty");
  for (const char* command : {"inspect", "tune", "bench"}) {
    expect_complaint(run(command + std::string(" a.mtx --json ''")), 2, "--json: the name of the file is empty");
    expect_complaint(run(command + std::string(" a.mtx --html ''")), 2, "--html: the name of the file is empty");
    expect_complaint(run(command + std::string(" ''")), 2, "matrix: the name of the file is empty");
  }
  expect_complaint(run("solve ''"), 2, "matrix: the name of the file is empty");
  expect_complaint(run("generate poisson2d 3 ''"), 2, "output: the name of the file is empty");
  expect_complaint(run("generate elasticity3d 3 e.mtx --coordinates ''"), 2,
                   "--coordinates: the name of the file is empty");
  write("o.json", R"({"rhs": ""})");
  expect_complaint(run("solve a.mtx -P o.json"), 2, "o.json: --rhs: the name of the file is empty");
  expect_complaint(run("solve --rhs= a.mtx"), 2, "--rhs: nothing follows the sign =");
}

TEST_F(CliFiles, RefusesNamesWithANulCharacter) {
  write("a.mtx", small);
  write("o.json", R"({"output": "x\u0000y.mtx"})");
  expect_complaint(run("solve a.mtx -P o.json"), 2, "o.json: the value of 'output' holds a NUL character");
  EXPECT_FALSE(exists("x"));
}

TEST_F(CliFiles, ShowsNamesWithoutControlCharacters) {
  const std::string name = "a\x1b[31m\n\x7f\xc2\x9b\xff\xc3\xa9.mtx", shown = R"(a\x1b[31m\x0a\x7f\xc2\x9b\xff)"
                                                                              "\xc3\xa9.mtx";
  expect_complaint(run("solve '" + name + "'"), 3, shown + ": can't be opened");
  EXPECT_EQ(run("generate poisson2d 4 '" + name + "'").err.rfind(shown + ": 16 x 16", 0), 0u);
  for (const char* command : {"solve", "inspect", "bench --repetitions 1", "tune"}) {
    const Outcome r = run(std::string(command) + " '" + name + "' --device cpu");
    EXPECT_EQ(r.code, 0) << r.err;
    EXPECT_NE(r.out.find(shown), std::string::npos) << r.out;
    EXPECT_EQ(r.out.find_first_of("\x1b\x7f"), std::string::npos) << r.out;
  }
}

TEST_F(CliFiles, AFileMayBeNamedAsAReportSpeaksOfNone) {
  write("a.mtx", small);
  write("b = A * ones, no --rhs was given", vector_of_two);
  const Outcome r = run("solve a.mtx -f 'b = A * ones, no --rhs was given' -o x.mtx --json report.json");
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(report()["error"], nullptr) << "x isn't known";
  EXPECT_EQ(run("solve a.mtx --json report.json").code, 0);
  EXPECT_TRUE(report()["error"].is_number());
}

TEST_F(CliFiles, ALimitOfTheSizeOfFilesLeavesReportAndTable) {
  generate("poisson2d 100 p.mtx");
  const Outcome r = run("solve p.mtx -o x.mtx --json report.json --history h.csv", "ulimit -f 32;");
  EXPECT_EQ(r.code, 3);
  EXPECT_EQ(r.err, "ostinato: x.mtx: can't be written: File too large\n");
  EXPECT_NE(r.out.find("converged after"), std::string::npos) << r.out;
  EXPECT_EQ(report()["status"], "converged");
  EXPECT_EQ(report()["solution"], nullptr);
  EXPECT_TRUE(exists("h.csv"));
  for (const char* name : {"g.mtx", "g.mtx.gz"})
    expect_complaint(run("generate --quiet poisson2d 300 " + std::string(name), "ulimit -f 32;"), 3,
                     std::string(name) + ": can't be written: File too large");
  for (const auto& entry : std::filesystem::directory_iterator(path("")))
    EXPECT_EQ(entry.path().string().find(".part-"), std::string::npos) << entry.path();
  for (const char* name : {"x.mtx", "g.mtx", "g.mtx.gz"}) EXPECT_FALSE(exists(name)) << name;
}

TEST_F(CliFiles, RefusesNamesOfAnotherKind) {
  generate("poisson2d 4 a.mtx");
  expect_complaint(run("generate poisson2d 4 p.npy"), 2, "p.npy: a matrix is written as Matrix Market text");
  expect_complaint(run("solve a.mtx --history h.npy"), 2, "name a file that ends in .csv");
  expect_complaint(run("solve a.mtx --json j.html"), 2, "j.html: a report is written as JSON");
  expect_complaint(run("inspect a.mtx --html p.JSON"), 2, "name a file that ends in .html");
  for (const char* name : {"p.npy", "h.npy", "j.html", "p.JSON"}) EXPECT_FALSE(std::filesystem::exists(path(name)));
  EXPECT_EQ(run("generate --quiet poisson2d 4 plain").code, 0) << "a name without a kind is anyone's choice";
}

}  // namespace
}  // namespace ostinato::cli_tests
