// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/program.hpp"

#include <ostinato/spmv/space/cuda.hpp>

namespace ostinato::cli_tests {

using CliHelp = Cli;
using CliGenerate = Cli;
using CliInspect = Cli;
using CliBench = Cli;

TEST_F(CliHelp, FitsInEightyColumnsAndNamesDefaults) {
  for (const char* command :
       {"--help", "solve --help", "inspect --help", "compare --help", "tune --help", "bench --help", "generate --help",
        "completion --help", "man --help", "help", "help solve"}) {
    const Outcome r = run(command);
    EXPECT_EQ(r.code, 0);
    std::istringstream lines(r.out);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80u) << line;
  }
  const std::string help = run("solve --help").out;
  for (const char* phrase :
       {"--solver NAME", "auto, cg, bicgstab, gmres, minres", "bicgstab2", "[1e-8;", "[10000]", "130"}) {
    EXPECT_NE(help.find(phrase), std::string::npos) << phrase;
  }
}

TEST_F(CliHelp, VersionIsOneLine) {
  const Outcome r = run("--version");
  EXPECT_EQ(r.code, 0);
  EXPECT_TRUE(is_one_line(r.out));
  EXPECT_EQ(run("-V").out, r.out);
  for (const char* word : {"CUDA", "OpenMP", "METIS", "SuiteSparse", "LAPACK", " processor"})
    EXPECT_NE(r.out.find(word), std::string::npos) << r.out;
}

TEST_F(CliHelp, HelpIsACommandToo) {
  EXPECT_EQ(run("help").out, run("--help").out);
  EXPECT_EQ(run("help inspect").out, run("inspect --help").out);
  expect_complaint(run("help inspekt"), 2, "did you mean inspect? ");
}

TEST_F(CliHelp, SuggestsANameThatIsNear) {
  write("o.json", R"({"max_iteration": 3})");
  expect_complaint(run("solve poisson2d:4 --max-iter 3"), 2, "did you mean --max");
  expect_complaint(run("solve poisson2d:4 --presicion single"), 2,
                   "did you mean --precision? See ostinato solve --help");
  expect_complaint(run("solve poisson2d:4 --solver bicgsatb"), 2, "did you mean bicgstab? known: auto, cg");
  expect_complaint(run("solve poisson2d:4 --precond jacoby"), 2, "did you mean jacobi? known: auto, none");
  expect_complaint(run("solve poisson2d:4 --format sliced-el"), 2, "did you mean sliced-ell? known: auto, csr");
  expect_complaint(run("solve poison2d:4"), 2, "did you mean poisson2d? known: ");
  expect_complaint(run("solve poisson2d:4 -P o.json"), 2, "did you mean max");
  expect_complaint(run("solve poisson2d:4 -o"), 2, "--output needs FILE; see");
  const Outcome far = run("solve poisson2d:4 --xyz 3");
  expect_complaint(far, 2, "unknown option '--xyz'; see ostinato solve --help");
}

TEST_F(CliHelp, NamesMayBeInAnyCase) {
  const Outcome r = run("Solve poisson2d:8 --solver CG --precond Jacobi --format DIA --device CPU --json report.json");
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(report()["solver"], "cg");
  EXPECT_EQ(report()["preconditioner"], "jacobi");
  EXPECT_EQ(report()["format"], "dia");
  EXPECT_EQ(run("inspect poisson2d:8 --tune Model --precision SINGLE").code, 0);
}

TEST_F(CliHelp, NoCommandIsAUsageErrorWithHelp) {
  expect_complaint(run("version"), 2, "did you mean --version? ");
  expect_complaint(run("-v"), 2, "did you mean --version?");
  const Outcome r = run("");
  EXPECT_EQ(r.code, 2);
  EXPECT_NE(r.err.find("Commands:"), std::string::npos);
}

TEST_F(CliHelp, SaysWhichCommandHasAnOption) {
  expect_complaint(run("inspect poisson2d:4 --maxiter 5"), 2,
                   "--maxiter is an option of solve; see ostinato inspect --help");
}

TEST_F(CliHelp, UnknownCommandListsTheKnownOnes) {
  expect_complaint(
      run("slove A.mtx"), 2,
      "unknown command 'slove'; did you mean solve? known: solve, inspect, compare, tune, bench, generate");
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

TEST_F(CliGenerate, RefusesWhatThereIsNoMemoryFor) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "AddressSanitizer takes more address space than any limit leaves";
#endif
  for (const char* what :
       {"banded 1000000000 f.mtx --bandwidth 100", "random 2000000000 f.mtx --entries-per-row 1000",
        "rmat 1000000000 f.mtx --entries-per-row 1000", "banded 2000000000 f.mtx --bandwidth 2000000000",
        "poisson3d 1280 f.mtx", "mesh3d 1280 f.mtx", "powerlaw 2000000000 f.mtx"}) {
    const Outcome r = run("generate " + std::string(what), "ulimit -v 8000000; OMP_NUM_THREADS=1");
    expect_complaint(r, 5, ", the memory that there is; a smaller one takes less");
    EXPECT_FALSE(std::filesystem::exists(path("f.mtx")));
  }
  expect_complaint(run("solve banded:1000000000:bandwidth=100", "ulimit -v 8000000; OMP_NUM_THREADS=1"), 5,
                   "generate: a matrix of 1000000000 rows takes more than ");
}

TEST_F(CliGenerate, AdvisesWhatItHasOptionsForWhereMemoryEnds) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "AddressSanitizer takes more address space than any limit leaves";
#endif
  const Outcome r = run("generate poisson2d 3000 f.mtx --renumbered", "ulimit -v 1000000; OMP_NUM_THREADS=1");
  expect_complaint(r, 5, "out of memory; a smaller N takes less");
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
       {"diagonals        5: -20 -1 0 1 20", "symmetric", "solver           cg", "B/entry", "chosen"}) {
    EXPECT_NE(r.out.find(phrase), std::string::npos) << phrase << "\n" << r.out;
  }
  EXPECT_GE(report()["selection"].size(), 2u);
  EXPECT_EQ(report()["structure"]["diagonals"], 5);
}

TEST_F(CliInspect, ExaminesTheMatrix) {
  write("a.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 4\n1 1 2\n1 2 1\n2 1 1\n3 1 5\n");
  const Outcome r = run("inspect a.mtx --device cpu --json report.json");
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_NE(r.out.find("trouble: column 3 has no entry"), std::string::npos) << r.out;
  const Json e = report()["examination"];
  EXPECT_EQ(e["structural_rank"], 2);
  EXPECT_EQ(e["findings"][0]["subject"], "empty columns");
  EXPECT_EQ(e["findings"][0]["weight"], "trouble");
  EXPECT_EQ(e["definiteness"], "unknown");
  EXPECT_TRUE(e["condition"]["at_least"].is_null());  // infinite
  EXPECT_EQ(e["stronger"], Json({"ilut", "lu"}));
}

TEST_F(CliInspect, ExpectsTheIterationsToTheGoalOfThePrecision) {
  EXPECT_NE(run("inspect poisson2d:20 --device cpu").out.find("iterations to 1e-08"), std::string::npos);
  EXPECT_NE(run("inspect poisson2d:20 --device cpu --precision single").out.find("iterations to 1e-05"),
            std::string::npos);
}

TEST_F(CliInspect, PredictsTheMemoryOfPreconditioners) {
  generate("convection-diffusion2d 30 u.mtx");
  const Outcome r = run("inspect u.mtx --device cpu --json report.json");
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_NE(r.out.find("jacobi          7.20 kB"), std::string::npos) << r.out;
  EXPECT_NE(r.out.find("ilut            at most "), std::string::npos) << r.out;
  EXPECT_EQ(r.out.find("\nic0 "), std::string::npos) << "isn't for unsymmetric matrices\n" << r.out;
  const Json all = report()["preconditioners"];
  Json by_name;
  for (const Json& p : all) by_name[p["name"].get<std::string>()] = p;
  EXPECT_EQ(by_name["jacobi"]["predicted"], Json({{"bytes", 7200}, {"is", "close"}}));
  EXPECT_EQ(by_name["ilut"]["predicted"]["is"], "at_most");
  EXPECT_TRUE(by_name["lu"]["predicted"].is_null());
  EXPECT_EQ(by_name["ic0"]["why_not"], "the matrix isn't symmetric");
}

TEST_F(CliInspect, LeavesOutWhatTakesTooLongUnlessAsked) {
  const Outcome quick = run("inspect poisson2d:150 --device cpu --json report.json");
  EXPECT_EQ(report()["examination"]["definiteness"], "unknown");
  EXPECT_NE(quick.out.find("left out"), std::string::npos) << quick.out;
  const Outcome thorough = run("inspect poisson2d:150 --device cpu --all --json report.json");
  EXPECT_EQ(report()["examination"]["definiteness"], "positive definite");
  EXPECT_EQ(thorough.out.find("left out"), std::string::npos) << thorough.out;
}

TEST_F(CliInspect, TellsWhatTheConversionCosts) {
  generate("poisson2d 40 p.mtx");
  const Outcome r = run("inspect p.mtx --device cpu --json report.json");
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_NE(r.out.find("for the conversion"), std::string::npos) << r.out;
  EXPECT_EQ(r.out.find("set-up"), std::string::npos) << r.out;
  expect_amortisation(report()["amortisation"]);
  EXPECT_EQ(report()["amortisation"]["csr_is"], "csr, measured");
}

TEST_F(CliInspect, CudaCountsTheSetUpInProductsOfCuSparse) {
  if (Cuda::device_count() == 0) GTEST_SKIP() << Cuda::why_absent();
  generate("poisson2d 40 p.mtx");
  for (const char* precision : {"double", "single"}) {
    EXPECT_EQ(run(std::string("inspect p.mtx --device cuda --json report.json --precision ") + precision).code, 0);
    expect_amortisation(report()["amortisation"]);
    EXPECT_EQ(report()["amortisation"]["csr_is"], "cuSPARSE ALG1, measured");
  }
}

TEST_F(CliInspect, TakesTheOptionsOfTheFormat) {
  generate("poisson2d 60 p.mtx");
  EXPECT_EQ(run("inspect p.mtx --device cpu --jit off --compress off --json report.json").code, 0);
  const Json off = report();
  EXPECT_EQ(off["format_details"]["jit"], "off");
  EXPECT_EQ(off["format_details"]["compress"], "off");
  EXPECT_EQ(run("inspect p.mtx --device cpu --compress on --json report.json").code, 0);
  const auto dia_bytes = [](const Json& json) {
    for (const Json& candidate : json["selection"]) {
      if (candidate["format"] == "dia") return candidate["bytes"].get<std::size_t>();
    }
    return std::size_t{0};
  };
  EXPECT_LT(2 * dia_bytes(report()), dia_bytes(off));
  expect_complaint(run("inspect p.mtx --jit x"), 2, "known: off, on, auto");
  expect_complaint(run("inspect p.mtx --compress x"), 2, "known: off, on, auto");
  expect_complaint(run("inspect p.mtx --tune off"), 2, "known: model, measure");
}

TEST_F(CliInspect, HidesFormatsThatRunElsewhere) {
  for (const std::string command : {"inspect", "bench --repetitions 1"}) {
    const Outcome some = run(command + " poisson2d:8 --device cpu --json report.json");
    const Outcome all = run(command + " poisson2d:8 --device cpu --all");
    EXPECT_EQ(some.out.find("cusparse"), std::string::npos) << some.out;
    EXPECT_NE(all.out.find("cusparse-alg1"), std::string::npos) << all.out;
    EXPECT_NE(contents(path("report.json")).find("cusparse-alg1"), std::string::npos) << "the report has all";
  }
  EXPECT_NE(run("bench poisson2d:8 --device cpu --format cusparse-alg1").out.find("cuSPARSE runs on"),
            std::string::npos);
}

TEST_F(CliInspect, TakesMatricesWithoutEntries) {
  write("empty.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 0\n");
  const Outcome r = run("inspect empty.mtx");
  EXPECT_EQ(r.code, 0) << r.err;
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

TEST_F(CliBench, TakesTheOptionsOfTheFormat) {
  generate("poisson2d 60 p.mtx");
  const auto dia_bytes = [this](const std::string& options) {
    const Outcome r = run("bench p.mtx --device cpu --repetitions 1 --format dia --json report.json " + options);
    EXPECT_EQ(r.code, 0) << r.err;
    EXPECT_EQ(report()["formats"].size(), 1u);
    return report()["formats"][0]["bytes"].get<std::size_t>();
  };
  const std::size_t compressed = dia_bytes("--compress on");
  EXPECT_LT(2 * compressed, dia_bytes("--compress off --jit off"));
  EXPECT_EQ(report()["compress"], "off");
  EXPECT_EQ(report()["jit"], "off");
  expect_complaint(run("bench p.mtx --jit x"), 2, "known: off, on, auto");
  expect_complaint(run("bench p.mtx --compress x"), 2, "known: off, on, auto");
  expect_complaint(run("bench p.mtx --format auto"), 2, "known: all, csr, dia");
}

TEST_F(CliBench, AloneHasTheFormatsToCompareWith) {
  generate("poisson2d 20 p.mtx");
  for (const std::string format :
       {"ell", "hyb", "coo", "bsr", "hdi", "csr-scalar", "csr-vector", "crsd", "csr-adaptive"}) {
    const Outcome r = run("bench p.mtx --device cpu --repetitions 1 --format " + format + " --json report.json");
    EXPECT_EQ(r.code, 0) << r.err;
    EXPECT_EQ(report()["formats"][0]["format"], format);
    const Outcome refused = run("solve p.mtx --format " + format);
    expect_complaint(refused, 2,
                     "'" + format + "' is there to compare with, in ostinato bench alone; known: auto, csr, dia");
  }
  expect_complaint(run("solve p.mtx --format bsr:block=3"), 2,
                   "'bsr' is there to compare with, in ostinato bench alone");
  EXPECT_EQ(run("inspect p.mtx --all --device cpu").out.find("csr-scalar"), std::string::npos);
}

}  // namespace ostinato::cli_tests
