// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/program.hpp"

#include <iterator>
#include <sstream>
#include <string>

// Numbers on the command line and in options files: decimal, within their range, and read once.

namespace ostinato::cli_tests {
namespace {

class CliNumbers : public Cli {
 protected:
  int rows_of(const std::string& size) const {
    EXPECT_EQ(run("generate --quiet poisson2d " + size + " s.mtx").code, 0) << size;
    std::istringstream text(contents(path("s.mtx")));
    std::string line;
    while (std::getline(text, line) && line[0] == '%') {
    }
    return std::stoi(line);
  }

  int iterations_of(const std::string& options) const {
    run("solve poisson2d:20 --precond none --effort quick --quiet --json report.json " + options);
    return report()["iterations"].get<int>();
  }
};

TEST_F(CliNumbers, AreDecimalWhateverTheyBeginWith) {
  EXPECT_EQ(rows_of("032"), 32 * 32);
  EXPECT_EQ(rows_of("008"), 64);
  EXPECT_EQ(rows_of("+016"), 256);
  EXPECT_EQ(iterations_of("--maxiter 020"), 20);
  EXPECT_EQ(iterations_of("--maxiter 00000000000000000000011"), 11);
  write("o.json", R"({"maxiter": "020", "threads": "02", "check_every": "010"})");
  EXPECT_EQ(iterations_of("-P o.json"), 20);
  EXPECT_NE(report()["device"].get<std::string>().find("2 threads"), std::string::npos);
  EXPECT_NE(run("solve poisson2d:20 --solver gmres --precond none --restart 010 --maxiter 3").out.find("gmres(10)"),
            std::string::npos);
  EXPECT_NE(run("solve poisson2d:20 --solver idr --precond none --shadow 03 --maxiter 3").out.find("idr(3)"),
            std::string::npos);
}

TEST_F(CliNumbers, AreRefusedInOtherWritings) {
  const std::string options[] = {"--maxiter", "--restart", "--recycle", "--shadow", "--threads", "--check-every"};
  std::size_t k = 0;
  for (const std::string text : {"0x10", "020x", "1e1", " 5", "5 ", "", "5,", "1_000", "++5", "+-5", "0b11", "five"}) {
    const std::string option = options[k++ % std::size(options)];
    expect_complaint(run("solve poisson2d:5 " + option + " '" + text + "'"), 2,
                     option + ": '" + text + "' isn't a whole number in ");
    expect_complaint(run("generate poisson2d '" + text + "' s.mtx"), 2, "n: '" + text + "' isn't a whole number in ");
    expect_complaint(run("solve 'poisson2d:" + text + "'"), 2, "'" + text + "' isn't a whole number in ");
  }
  for (const std::string text : {"0x1p-3", "inf", "nan", "1,5", "", "1e-5x", "-1", "1d-5"})
    expect_complaint(run("solve poisson2d:5 --rtol '" + text + "'"), 2, "'" + text + "' isn't a number of at least 0");
  for (const std::string text : {"0x10", "1e3", "10_000", "1.5.2G", ".", "-5M"})
    expect_complaint(run("solve poisson2d:5 --mem-limit=" + text), 2, "'" + text + "' isn't a size such as 500M");
}

TEST_F(CliNumbers, AreRefusedBeyondTheirRange) {
  for (const char* text : {"2147483648", "4294967297", "18446744073709551617", "99999999999999999999999", "-1"})
    expect_complaint(run("solve poisson2d:5 --maxiter=" + std::string(text)), 2,
                     "'" + std::string(text) + "' isn't a whole number in 0 .. 2147483647");
  EXPECT_EQ(run("generate --quiet random 5 s.mtx --seed 18446744073709551615").code, 0);
  for (const char* text : {"18446744073709551616", "99999999999999999999999", "-1"}) {
    expect_complaint(run("generate random 5 s.mtx --seed=" + std::string(text)), 2,
                     "isn't a whole number in 0 .. 18446744073709551615");
    expect_complaint(run("solve random:5:seed=" + std::string(text)), 2, "isn't a whole number in 0 .. ");
  }
  for (const char* text : {"1e-400", "1e400", "-1e999"})
    expect_complaint(run("solve poisson2d:5 --rtol=" + std::string(text)), 2, "is beyond double precision");
  EXPECT_EQ(run("solve poisson2d:5 --quiet --rtol 4.9e-324 --maxiter 0 --effort quick").code, 1) << "a denormal";
}

TEST_F(CliNumbers, OfAnOptionsFileAreReadAsTheyAreWritten) {
  const auto complaint = [this](const std::string& object, const std::string& phrase) {
    write("o.json", object);
    expect_complaint(run("solve poisson2d:5 -P o.json"), 2, "o.json: " + phrase);
  };
  complaint(R"({"rtol": 1e-400})", "--rtol: '1e-400' is beyond double precision");
  complaint(R"({"maxiter": 99999999999999999999999})", "--maxiter: '99999999999999999999999' isn't a whole number");
  complaint(R"({"maxiter": 2.0})", "--maxiter: '2.0' isn't a whole number");
  complaint(R"({"maxiter": "0x10"})", "--maxiter: '0x10' isn't a whole number");
  complaint(R"({"restart": 0})", "--restart: '0' isn't a whole number in 1 .. 2147483647, nor auto");
  write("o.json", R"({"maxiter": 7, "rtol": 1E-30, "restart": "auto"})");
  EXPECT_EQ(iterations_of("-P o.json"), 7);
  EXPECT_EQ(report()["rtol"], 1e-30);
}

TEST_F(CliNumbers, NeedATextBehindTheSign) {
  for (const char* call : {"solve --maxiter= poisson2d:5", "solve poisson2d:5 --maxiter=", "solve --maxiter= 5 x"})
    expect_complaint(run(call), 2, "--maxiter: nothing follows the sign =");
}

}  // namespace
}  // namespace ostinato::cli_tests
