// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/program.hpp"

namespace ostinato::cli_tests {

class CliTune : public Cli {
 protected:
  /// Runs the program with a new cache folder, without trials of other tests.
  Outcome run_cached(const std::string& arguments) const {
    return run(arguments, "OSTINATO_CACHE_DIR='" + path("cache") + "'");
  }
};

TEST_F(CliTune, TimesEveryFormat) {
  generate("poisson2d 20 p.mtx");
  const Outcome r = run_cached("tune p.mtx --device cpu --json report.json");
  EXPECT_EQ(r.code, 0) << r.err;
  for (const char* phrase : {"400 x 400", "format ", "x csr", "\ncsr ", "\ndia ", "500 products",
                             "of a budget of 10.0 s", "used by ", "ostinato solve p.mtx --tune measure"}) {
    EXPECT_NE(r.out.find(phrase), std::string::npos) << phrase << "\n" << r.out;
  }
  const Json j = report();
  for (const char* key : {"matrix", "device", "precision", "format", "parameters", "reason", "budget", "seconds",
                          "measured_before", "file", "trials", "version"}) {
    EXPECT_TRUE(j.contains(key)) << key;
  }
  ASSERT_GE(j["trials"].size(), 2u);
  for (const Json& trial : j["trials"]) {
    ASSERT_TRUE(trial.contains("format") && trial.contains("parameters")) << trial;
    if (trial.contains("why_not")) continue;
    for (const char* key : {"bytes", "predicted_seconds", "measured_seconds", "setup_seconds", "setup_products",
                            "total_seconds", "ratio_to_csr"}) {
      EXPECT_TRUE(trial[key].is_number()) << key << " in " << trial;
    }
  }
  EXPECT_EQ(j["measured_before"], false);
}

TEST_F(CliTune, SortsByMeasuredTime) {
  generate("poisson2d 60 p.mtx");
  EXPECT_EQ(run_cached("tune p.mtx --device cpu --json report.json").code, 0);
  const Json j = report();
  double last = 0;
  for (const Json& trial : j["trials"]) {
    if (trial.contains("why_not")) break;
    EXPECT_GE(trial["measured_seconds"].get<double>(), last);
    last = trial["measured_seconds"].get<double>();
  }
  EXPECT_GT(last, 0);
}

TEST_F(CliTune, KeepsTheVerdictForTheNextRun) {
  generate("poisson2d 20 p.mtx");
  EXPECT_EQ(run_cached("tune p.mtx --device cpu --json report.json").code, 0);
  const Json first = report();
  const Outcome again = run_cached("tune p.mtx --device cpu --json report.json");
  EXPECT_NE(again.out.find("measured before"), std::string::npos) << again.out;
  EXPECT_EQ(report()["trials"].size(), first["trials"].size());
  EXPECT_EQ(report()["format"], first["format"]);
  EXPECT_EQ(report()["measured_before"], true);
  EXPECT_TRUE(std::filesystem::exists(report()["file"].get<std::string>()));
  const Outcome solved = run_cached("solve p.mtx --device cpu --tune measure --json report.json");
  EXPECT_NE(solved.out.find("measured before"), std::string::npos) << solved.out;
  EXPECT_EQ(report()["format"], first["format"]);
  const Outcome anew = run_cached("tune p.mtx --device cpu --retune");
  EXPECT_EQ(anew.out.find("measured before"), std::string::npos) << anew.out;
}

TEST_F(CliTune, KeepsNothingWithoutACache) {
  generate("poisson2d 20 p.mtx");
  const Outcome r = run("tune p.mtx --device cpu --json report.json", "OSTINATO_CACHE_DIR=");
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_NE(r.out.find("kept "), std::string::npos) << r.out;
  EXPECT_NE(r.out.find("nowhere"), std::string::npos) << r.out;
  EXPECT_EQ(report()["file"], "");
}

TEST_F(CliTune, RepeatsTheOptionsThatCount) {
  generate("poisson2d 20 p.mtx");
  const Outcome r = run_cached("tune p.mtx --device cpu --products 7 --precision single --json report.json");
  EXPECT_NE(r.out.find("7 products"), std::string::npos) << r.out;
  EXPECT_NE(r.out.find("--products 7"), std::string::npos) << r.out;
  EXPECT_NE(r.out.find("--precision single"), std::string::npos) << r.out;
  EXPECT_EQ(report()["products"], 7);
}

TEST_F(CliTune, TakesMatricesWithoutEntries) {
  write("empty.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 0\n");
  const Outcome r = run_cached("tune empty.mtx --device cpu --json report.json");
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_NE(r.out.find("nothing to measure"), std::string::npos) << r.out;
  EXPECT_TRUE(report()["trials"].empty());
}

TEST_F(CliTune, RefusesBadOptions) {
  generate("poisson2d 2 p.mtx");
  for (const char* command : {"tune", "solve", "inspect", "bench"}) {
    const std::string start = std::string(command) + " p.mtx ";
    expect_complaint(run(start + "--tune-budget -1"), 2, "'-1' isn't a number of at least 0");
    expect_complaint(run(start + "--tune-budget soon"), 2, "--tune-budget: 'soon'");
    expect_complaint(run(start + "--products 0.5"), 2, "--products: '0.5'");
  }
  expect_complaint(run("tune p.mtx --format csr"), 2, "unknown option '--format'");
  expect_complaint(run("tune none.mtx"), 3, "none.mtx");
}

TEST_F(CliTune, ParametersNeedAFormatThatHasThem) {
  generate("poisson2d 2 p.mtx");
  expect_complaint(run("solve p.mtx --format csr:height=8"), 2, "format csr has no parameters");
  expect_complaint(run("solve p.mtx --format auto:height=8"), 2, "format auto has no parameters");
  expect_complaint(run("solve p.mtx --format x:height=8"), 2, "'x' is unknown; known: auto, csr, dia");
  expect_complaint(run("bench p.mtx --format all:height=8"), 2, "format all has no parameters");
}

TEST_F(CliTune, BenchTakesTheFastestVariants) {
  generate("poisson2d 20 p.mtx");
  const Outcome r = run_cached("bench p.mtx --device cpu --repetitions 1 --tune measure --json report.json");
  EXPECT_EQ(r.code, 0) << r.err;
  const Json j = report();
  for (const Json& format : j["formats"])
    EXPECT_TRUE(format.contains("parameters") || format.contains("why_not")) << format;
  expect_complaint(run("bench p.mtx --tune off"), 2, "known: model, measure");
}

}  // namespace ostinato::cli_tests
