// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/program.hpp"

#include <algorithm>
#include <string>
#include <thread>

#include <ostinato/spmv/matrix/io/matrix_market.hpp>
#include <ostinato/spmv/space/cuda.hpp>

namespace ostinato::cli_tests {

constexpr const char* indefinite = "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n2 2 -1\n";
constexpr const char* vector_of_two = "%%MatrixMarket matrix array real general\n2 1\n3\n4\n";

using CliSolve = Cli;
using CliOptionsFile = Cli;

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

TEST_F(CliSolve, TakesTheCpuForASmallSystemAndSaysWhatEachDeviceWouldTake) {
  for (const char* matrix : {"poisson2d:20", "poisson2d:20:renumbered"}) {
    EXPECT_EQ(run(std::string("solve ") + matrix + " --json report.json --quiet --threads 2").code, 0);
    const Json taken = report()["device_seconds"];
    EXPECT_NE(report()["device"].get<std::string>().find("2 threads"), std::string::npos);
    EXPECT_GT(taken["cpu"].get<double>(), 0);
    EXPECT_LT(taken["cpu"].get<double>(), taken["gpu"].get<double>());
  }
  EXPECT_EQ(run("inspect poisson2d:20 --json report.json").code, 0);
  EXPECT_GT(report()["device_seconds"]["gpu"].get<double>(), report()["device_seconds"]["cpu"].get<double>());
}

TEST_F(CliSolve, RenumbersAndWritesXAsTheFileNumbersIt) {
  generate("variable2d 20 p.mtx");
  std::string b = "%%MatrixMarket matrix array real general\n400 1\n";
  for (int i = 0; i < 400; ++i) b += std::to_string(i % 7) + "\n";
  write("b.mtx", b);

  const Outcome r = run("solve p.mtx -f b.mtx --renumber on --device cpu --rtol 1e-12 -o x.mtx --json report.json");

  EXPECT_EQ(r.code, 0) << r.err;
  for (const char* phrase : {"breadth first: asked for", "32 entries now read x from"})
    EXPECT_NE(r.out.find(phrase), std::string::npos) << phrase << "\n" << r.out;
  EXPECT_EQ(report()["renumbering"]["reason"], "asked for");
  EXPECT_GT(report()["times"]["renumber"].get<double>(), 0);
  // From the solution nothing is left to do, for a solve in the numbers of the file and for another renumbered one.
  EXPECT_EQ(run("solve p.mtx -f b.mtx -x x.mtx --rtol 1e-11 --renumber off --json report.json").code, 0);
  EXPECT_EQ(report()["iterations"], 0);
  EXPECT_EQ(report()["renumbering"], nullptr);
  EXPECT_EQ(run("solve p.mtx -f b.mtx -x x.mtx --rtol 1e-11 --renumber on --json report.json").code, 0);
  EXPECT_EQ(report()["iterations"], 0);
}

TEST_F(CliSolve, KeepsTheNumbersThatThePreconditionerRefersTo) {
  generate("mesh2d 300 p.mtx");
  const auto is_renumbered = [this](const std::string& precond) {
    run("solve p.mtx --device cpu --rtol 0.3 --products 1e6 --maxiter 1000000 --effort quick --quiet --json "
        "report.json "
        "--precond " +
        precond);
    return !report()["renumbering"].is_null();
  };
  if (!is_renumbered("ilu0")) GTEST_SKIP() << "new numbers don't pay on this machine";
  for (const char* order : {"ilu0:order=natural", "iluk:order=natural", "ilut:order=natural,drop=0.1",
                            "ic0:order=natural", "ict:order=natural,drop=0.1", "ssor:order=natural",
                            "block-jacobi:block=8", "multigrid:kind=aggregation,unknowns=2"})
    EXPECT_FALSE(is_renumbered(order)) << order;
  for (const char* free : {"ilu0:order=rcm", "ssor:order=colour", "block-jacobi", "block-jacobi:block=1",
                           "multigrid:kind=aggregation,unknowns=1", "jacobi", "none"})
    EXPECT_TRUE(is_renumbered(free)) << free;
}

TEST_F(CliSolve, CudaRenumbersByClustersAndWritesXAsTheFileNumbersIt) {
  if (Cuda::device_count() == 0) GTEST_SKIP() << Cuda::why_absent();
  generate("variable2d 40 p.mtx --renumbered");
  std::string b = "%%MatrixMarket matrix array real general\n1600 1\n";
  for (int i = 0; i < 1600; ++i) b += std::to_string(i % 7) + "\n";
  write("b.mtx", b);
  const auto solution = [&](const std::string& how) {
    const Outcome r = run("solve p.mtx -f b.mtx --device cuda --rtol 1e-12 -o x.mtx --json report.json " + how);
    EXPECT_EQ(r.code, 0) << r.err;
    return read_vector<double>(path("x.mtx"));
  };
  const auto off = solution("--renumber off");
  EXPECT_EQ(report()["renumbering"], nullptr);
  const auto on = solution("--renumber on");
  EXPECT_EQ(report()["renumbering"]["order"], "clusters");
  EXPECT_LT(report()["renumbering"]["places"], report()["renumbering"]["places_before"]);
  ASSERT_EQ(on.size(), off.size());
  double size = 0;
  for (const double v : off) size = std::max(size, std::abs(v));
  for (std::size_t i = 0; i < off.size(); ++i) EXPECT_NEAR(on[i], off[i], 1e-8 * size) << i;
}

TEST_F(CliSolve, TakesAMatrixWithoutRows) {
  write("empty.mtx", "%%MatrixMarket matrix coordinate real general\n0 0 0\n");
  for (const char* precond : {"auto", "none", "multigrid:kind=classical", "multigrid:kind=aggregation",
                              "multigrid:kind=pairwise", "multigrid:kind=plain"}) {
    const Outcome r = run("solve empty.mtx --device cpu --json report.json --precond " + std::string(precond));
    EXPECT_EQ(r.code, 0) << r.err;
    EXPECT_EQ(r.out.find("nan"), std::string::npos) << r.out;
    EXPECT_EQ(contents(path("report.json")).find("nan"), std::string::npos) << precond;
  }
}

TEST_F(CliSolve, RenumberedPeriodicProblemsHaveTheSameSolution) {
  const auto solution = [&](const std::string& how) {
    EXPECT_EQ(run("solve poisson2d:9:periodic --device cpu --rtol 1e-12 -o x.mtx --renumber " + how).code, 0);
    return read_vector<double>(path("x.mtx"));
  };
  const auto off = solution("off"), on = solution("on");
  for (std::size_t i = 0; i < off.size(); ++i) EXPECT_NEAR(on[i] - on[0], off[i] - off[0], 1e-9) << i;
}

TEST_F(CliSolve, RefusesToRenumberWhatStaysTogether) {
  generate("fem27 4 p.mtx --unknowns 3");
  expect_complaint(run("solve p.mtx --renumber on --precond multigrid:kind=aggregation,unknowns=3"), 2,
                   "--renumber on takes the unknowns of a point apart");
  EXPECT_EQ(run("solve p.mtx --quiet --renumber on --precond multigrid:kind=aggregation,unknowns=1").code, 0);
  write("wide.mtx", "%%MatrixMarket matrix coordinate real general\n1 2 1\n1 1 1\n");
  expect_complaint(run("solve wide.mtx --renumber on"), 2, "--renumber on is for square matrices");
  write("hole.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 4\n1 3 1\n3 1 1\n2 2 0\n3 3 1\n");
  for (const std::string how : {"on", "off"})
    expect_complaint(run("solve hole.mtx --precond jacobi --device cpu --renumber " + how), 3, "jacobi: row 1 has no");
  EXPECT_EQ(run("solve hole.mtx --solver lsmr --precond jacobi --renumber on --device cpu --quiet").code, 0)
      << "columns of norm 1 need no diagonal";
  expect_complaint(run("solve hole.mtx --precond cholesky --device cpu"), 3,
                   "ostinato: cholesky: row 1 has no positive");
  generate("convection-diffusion2d 5 u.mtx");
  const Outcome no_row = run("solve u.mtx --precond cholesky --renumber on --device cpu");
  expect_complaint(no_row, 3, "cholesky: the matrix isn't symmetric");
  EXPECT_EQ(no_row.err.find("numbered anew"), std::string::npos) << no_row.err;
  generate("poisson2d 9 grid.mtx");
  expect_complaint(run("solve grid.mtx --precond multigrid:kind=structured --renumber on --device cpu"), 3,
                   "; rows were numbered anew, --renumber off keeps the numbers of the file");
  write("tiny.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 3\n1 1 1\n2 2 1e-42\n3 3 1\n");
  for (const std::string how : {"on", "off"}) {
    run("solve tiny.mtx --prepare off --precision single --device cpu --json report.json --renumber " + how);
    const auto why = report()["reasons"]["preconditioner"].get<std::string>();
    EXPECT_NE(why.find("jacobi: row 2 has no diagonal entry that can be divided by"), std::string::npos) << why;
  }
  expect_complaint(run("solve p.mtx --renumber maybe"), 2, "known: auto, on, off");
}

/// Without a diagonal, so that auto goes on with factors at once.
std::string ring_of_shifts(int n) {
  std::string text = "%%MatrixMarket matrix coordinate real general\n";
  const auto line = [&text](int i, int j, int k) {
    text += std::to_string(i) + " " + std::to_string(j) + " " + std::to_string(k) + "\n";
  };
  line(n, n, n);
  for (int i = 1; i <= n; ++i) line(i, i % n + 1, 1 + i % 3);
  return text;
}

TEST_F(CliSolve, NamesThePreconditionerThatItEndedWith) {
  write("ring.mtx", ring_of_shifts(150));

  const Outcome r = run("solve ring.mtx --device cpu --json report.json");

  EXPECT_EQ(r.code, 0) << r.err;
  const Json j = report();
  EXPECT_EQ(j["solver"], "gmres");
  EXPECT_EQ(j["preconditioner"], "ilut");
  ASSERT_EQ(j["changes"].size(), 1u);
  EXPECT_EQ(j["changes"][0]["from"], "bicgstab2 with none");
  EXPECT_EQ(j["changes"][0]["to"], "gmres with ilut");
  EXPECT_NE(j["reasons"]["preconditioner"].get<std::string>().find("after none (150 rows"), std::string::npos);
  EXPECT_NE(r.out.find("ilut: after none"), std::string::npos) << r.out;
}

TEST_F(CliSolve, TellsWhatEachStageTook) {
  write("ring.mtx", ring_of_shifts(150));

  const Outcome r = run("solve ring.mtx --device cpu --json report.json");

  const Json j = report(), stages = j["stages"];
  ASSERT_EQ(stages.size(), 2u);
  EXPECT_EQ(stages[0]["solver"], "bicgstab2");
  EXPECT_EQ(stages[0]["preconditioner"], "none");
  EXPECT_EQ(stages[1]["preconditioner"], "ilut");
  EXPECT_EQ(stages[0]["iterations"], j["changes"][0]["iteration"]);
  EXPECT_EQ(stages[0]["iterations"].get<int>() + stages[1]["iterations"].get<int>(), j["iterations"]);
  EXPECT_EQ(stages[1]["relative_residual"], j["relative_residual"]);
  EXPECT_EQ(stages[1]["preconditioner_bytes"], j["bytes"]["preconditioner"]);
  EXPECT_GT(stages[1]["setup_seconds"], 0);
  EXPECT_LT(stages[1]["rate"], 1);
  for (const char* phrase : {"stages", "bicgstab2 with none", "gmres with ilut: ", ", made in "})
    EXPECT_NE(r.out.find(phrase), std::string::npos) << phrase << "\n" << r.out;
}

TEST_F(CliSolve, TellsHowFarXMayBeFromTheSolution) {
  generate("poisson2d 20 p.mtx");

  const Outcome r = run("solve p.mtx --precond cholesky --json report.json");

  const Json j = report();
  EXPECT_EQ(j["condition"]["of"], "matrix");
  EXPECT_GT(j["condition"]["value"], 50);
  EXPECT_LT(j["condition"]["value"], 500);
  EXPECT_GE(j["forward_error"].get<double>(), 0.1 * j["error"].get<double>());
  EXPECT_EQ(j["singular"], false);
  EXPECT_NE(r.out.find("forward error"), std::string::npos) << r.out;
  EXPECT_NE(r.out.find("condition of A about"), std::string::npos) << r.out;

  const Outcome unknown = run("solve p.mtx --solver gmres --precond jacobi --json report.json");

  EXPECT_EQ(report()["condition"], nullptr);
  EXPECT_EQ(report()["forward_error"], nullptr);
  EXPECT_EQ(unknown.out.find("forward error"), std::string::npos) << unknown.out;
}

TEST_F(CliSolve, SaysInTheEndThatAMatrixIsSingular) {
  write("a.mtx",
        "%%MatrixMarket matrix coordinate real general\n5 5 12\n1 2 1\n1 4 1\n2 1 1\n2 2 1\n2 5 1\n4 1 1\n4 5 1\n"
        "5 1 1\n5 2 1\n5 3 1\n5 4 1\n5 5 1\n");
  write("b.txt", "1\n2\n0\n5\n9\n");
  for (const char* options : {"", "--precond lu", "--precond lu --solver gmres"}) {
    const Outcome r = run("solve a.mtx -b b.txt --json report.json " + std::string(options));
    EXPECT_EQ(report()["singular"], true) << options;
    const std::size_t end = r.out.find(" after ", r.out.rfind("\n\n"));
    EXPECT_NE(r.out.find("A is singular to working precision", end), std::string::npos) << r.out;
  }
}

TEST_F(CliSolve, ReportsAHierarchy) {
  generate("poisson2d 32 p.mtx");
  const Outcome r = run("solve p.mtx --device cpu --precond multigrid:sweeps=2,smoother=chebyshev --json report.json");
  EXPECT_EQ(r.code, 0) << r.err;
  for (const char* phrase : {"4 grids, down to 4 x 4, 9-point",
                             "1.33 times the points, 1.54 times the entries, kept as classes", "set-up: ", " products"})
    EXPECT_NE(r.out.find(phrase), std::string::npos) << phrase << "\n" << r.out;
  const Json j = report();
  EXPECT_EQ(j["preconditioner"], "multigrid");
  EXPECT_NEAR(j["grid_complexity"].get<double>(), (1024 + 256 + 64 + 16) / 1024.0, 1e-12);
  EXPECT_NEAR(j["operator_complexity"].get<double>(), (4992 + 46 * 46 + 22 * 22 + 10 * 10) / 4992.0, 1e-12);
  EXPECT_NEAR(j["precondition_products"].get<double>(),
              j["times"]["precondition"].get<double>() / j["selection"][0]["predicted_seconds"].get<double>(), 1e-6);
  run("solve p.mtx --precond jacobi --json report.json --quiet");
  EXPECT_TRUE(report()["grid_complexity"].is_null());
  EXPECT_TRUE(report()["precondition_products"].is_null());
}

TEST_F(CliSolve, TellsWhatTheConversionCosts) {
  generate("poisson2d 40 p.mtx");
  const Outcome r = run("solve p.mtx --device cpu --format dia --json report.json");
  EXPECT_EQ(r.code, 0);
  for (const char* phrase : {"conversion       took ", ", predicted ", "ahead of csr"}) {
    EXPECT_NE(r.out.find(phrase), std::string::npos) << phrase << "\n" << r.out;
  }
  EXPECT_EQ(r.out.find("kernels "), std::string::npos) << "none are generated on the CPU";
  expect_amortisation(report()["amortisation"]);
  EXPECT_EQ(report()["amortisation"]["csr_is"], "csr, predicted");
}

TEST_F(CliSolve, CsrIsNotComparedWithItself) {
  generate("poisson2d 40 p.mtx");
  const Outcome r = run("solve p.mtx --device cpu --format csr --json report.json");
  EXPECT_EQ(r.out.find("conversion  "), std::string::npos) << r.out;
  expect_amortisation(report()["amortisation"]);
  EXPECT_EQ(report()["amortisation"]["break_even_products"], 0);
}

TEST_F(CliSolve, SaysWhenTheProductOfCsrWasMeasured) {
  generate("random 2000 r.mtx");  // too many diagonals for any format but csr
  EXPECT_EQ(run("solve r.mtx --device cpu --tune measure --quiet --json report.json").code, 0);
  EXPECT_EQ(report()["amortisation"]["csr_is"], "csr, measured");
}

TEST_F(CliSolve, StoresMoreWithoutCompression) {
  generate("poisson2d 60 p.mtx");
  const auto bytes = [this](const std::string& compress) {
    EXPECT_EQ(run("solve p.mtx --device cpu --format dia --json report.json --quiet --compress " + compress).code, 0);
    EXPECT_EQ(report()["format_details"]["compress"], compress);
    return report()["bytes"]["matrix"].get<std::size_t>();
  };
  EXPECT_LT(2 * bytes("on"), bytes("off"));
}

TEST_F(CliSolve, ReportHoldsWhatWasAskedOfTheFormat) {
  generate("poisson2d 20 p.mtx");
  EXPECT_EQ(run("solve p.mtx --device cpu --jit off --quiet --json report.json").code, 0);
  const Json details = report()["format_details"];
  EXPECT_EQ(details["jit"], "off");
  EXPECT_EQ(details["compress"], "auto");
  EXPECT_EQ(details["generated"], "");
}

TEST_F(CliSolve, CudaGeneratesKernelsWhenAsked) {
  if (Cuda::device_count() == 0) GTEST_SKIP() << Cuda::why_absent();
  generate("poisson2d 100 p.mtx");
  const Outcome r = run("solve p.mtx --device cuda --format dia --jit on --json report.json");
  if (r.code == 5) return expect_complaint(r, 5, "generated kernels");  // no run-time compiler on this machine
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_NE(r.out.find("kernels "), std::string::npos) << r.out;
  EXPECT_NE(report()["format_details"]["generated"], "");
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
  write("a.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1e-10\n2 2 1e-10\n");
  write("b.mtx", "%%MatrixMarket matrix array real general\n2 1\n1e308\n1e308\n");
  const Outcome r = run("solve a.mtx -f b.mtx --solver bicgstab --precond none --json report.json --quiet");
  EXPECT_EQ(r.code, 4);
  EXPECT_EQ(report()["status"], "not_finite");
}

TEST_F(CliSolve, SolvesLeastSquaresProblems) {
  // A line through the points (0, 1), (1, 0), (2, 2), (3, 5): -0.1 + 1.4 t.
  write("a.mtx",
        "%%MatrixMarket matrix coordinate real general\n4 2 7\n1 1 1\n2 1 1\n3 1 1\n4 1 1\n2 2 1\n3 2 2\n4 2 3\n");
  write("b.mtx", "%%MatrixMarket matrix array real general\n4 1\n1\n0\n2\n5\n");
  const Outcome r = run("solve a.mtx -f b.mtx -o x.mtx --json report.json");
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_NE(r.out.find("lsmr: the matrix isn't square"), std::string::npos) << r.out;
  EXPECT_NE(r.out.find("least squares after"), std::string::npos) << r.out;
  EXPECT_EQ(report()["status"], "least_squares");
  EXPECT_LE(report()["gradient"], 1e-8);
  const auto x = read_vector<double>(path("x.mtx"));
  ASSERT_EQ(x.size(), 2u);
  EXPECT_NEAR(x[0], -0.1, 1e-6);
  EXPECT_NEAR(x[1], 1.4, 1e-6);
}

/// Levels by the distance in nanometres, with a second column of 1e-9 times the distance in metres.
constexpr const char* regression =
    "%%MatrixMarket matrix coordinate real general\n6 2 11\n1 1 1\n2 1 1\n2 2 1e-9\n3 1 1\n3 2 2e-9\n4 1 1\n4 2 3e-9\n"
    "5 1 1\n5 2 4e-9\n6 1 1\n6 2 5e-9\n";

TEST_F(CliSolve, ScalesTheColumnsOfLeastSquaresProblems) {
  write("a.mtx", regression);
  write("b.txt", "1\n3\n2\n5\n7\n11\n");
  for (const std::string options : {"", " --precond jacobi", " --precond cholesky", " --precond none"}) {
    const Outcome r = run("solve a.mtx -f b.txt -o x.txt --json report.json --device cpu" + options);
    EXPECT_EQ(r.code, 0) << r.out << r.err;
    EXPECT_EQ(report()["status"], "least_squares") << options;
    EXPECT_LE(report()["gradient"], 1e-8) << options;
    EXPECT_NEAR(report()["residual"].get<double>(), 2.9114, 1e-4) << options;
    const auto x = read_vector<double>(path("x.txt"));
    ASSERT_EQ(x.size(), 2u);
    EXPECT_NEAR(x[0], 4.0 / 21, 1e-6) << options;
    EXPECT_NEAR(x[1], 13e9 / 7, 10) << options;
  }
  const Outcome r = run("solve a.mtx -f b.txt --json report.json --device cpu");
  EXPECT_NE(r.out.find("jacobi: columns scaled to norm 1"), std::string::npos) << r.out;
  EXPECT_NE(report()["reason"].get<std::string>().find("x makes ||b - A x|| smallest"), std::string::npos);
  EXPECT_EQ(report()["reasons"]["preconditioner"], "columns scaled to norm 1");
}

TEST_F(CliSolve, NamesThePreconditionersOfLeastSquaresProblems) {
  write("a.mtx", regression);
  for (const std::string name : {"ilu0", "ssor", "lu", "multigrid", "fsai", "block-jacobi"})
    expect_complaint(run("solve a.mtx --precond " + name), 3,
                     name +
                         " is for square systems; least squares has none, jacobi (columns, or rows, of norm 1), ic0, "
                         "ict and cholesky (factors of A^T A or A A^T)");
  for (const std::string name : {"ic0", "ict:drop=1e-4", "cholesky:order=natural"}) {
    EXPECT_EQ(run("solve a.mtx --device cpu --quiet --json report.json --precond " + name).code, 0);
    EXPECT_NE(report()["reasons"]["preconditioner"].get<std::string>().find("factors of A^T A"), std::string::npos);
  }
}

TEST_F(CliSolve, TellsTheLimitOfThePrecisionOfLeastSquaresProblems) {
  // 1, t, .. t^11 at t = 1/40 .. 1.
  std::string matrix = "%%MatrixMarket matrix coordinate real general\n40 12 480\n", b;
  for (int i = 1; i <= 40; ++i) {
    double power = 1;
    for (int k = 1; k <= 12; ++k, power *= i / 40.0) {
      char entry[64];
      std::snprintf(entry, sizeof entry, "%d %d %.17g\n", i, k, power);
      matrix += entry;
    }
    b += i % 3 == 0 ? "1\n" : "-1\n";
  }
  write("a.mtx", matrix);
  write("b.txt", b);
  const Outcome r = run("solve a.mtx -f b.txt --rtol 1e-13 --json report.json --device cpu");
  EXPECT_EQ(r.code, 1) << r.err;
  EXPECT_EQ(report()["status"], "stagnated");
  EXPECT_EQ(report()["at_precision_limit"], true);
  EXPECT_NE(r.out.find("A^T (b - A x) is at the limit of double precision: the gradient, "), std::string::npos)
      << r.out;
  EXPECT_NE(r.out.find("a looser --rtol ends as least squares"), std::string::npos) << r.out;
  EXPECT_EQ(r.out.find("raise --maxiter"), std::string::npos) << r.out;
  EXPECT_EQ(r.out.find("of the residual on average"), std::string::npos) << r.out;
}

TEST_F(CliSolve, RestartIsAutomaticUnlessGiven) {
  generate("convection-diffusion2d 20 p.mtx");
  const Outcome automatic = run("solve p.mtx --solver gmres --restart auto"),
                given = run("solve p.mtx --solver gmres --restart 7");
  EXPECT_EQ(automatic.code, 0) << automatic.err;
  EXPECT_NE(automatic.out.find("gmres: asked for"), std::string::npos) << automatic.out;
  EXPECT_NE(given.out.find("gmres(7): asked for"), std::string::npos) << given.out;
  expect_complaint(run("solve p.mtx --restart 0"), 2, "'0' isn't a whole number in 1 .. 2147483647, nor auto");
  expect_complaint(run("solve p.mtx --shadow 7"), 2, "'7' isn't a whole number in 1 .. 6");
}

TEST_F(CliSolve, MemoryIsPredictedAndLimited) {
  generate("convection-diffusion2d 30 p.mtx");
  const auto bytes = [&](const std::string& options) {
    const Outcome r = run("solve p.mtx --precond ilu0 --json report.json " + options);
    EXPECT_EQ(r.code, 0) << r.err;
    return report()["bytes"];
  };
  const auto free = bytes(""), limited = bytes("--mem-limit 1.5MiB");
  EXPECT_EQ(free["preconditioner_predicted"]["is"], "close");
  EXPECT_EQ(free["preconditioner_predicted"]["bytes"], free["preconditioner"]);
  EXPECT_EQ(limited["preconditioner"], free["preconditioner"]);
  EXPECT_LE(limited["preconditioner"].get<double>() + limited["workspace"].get<double>(), 1.5 * 1024 * 1024 + 1e5);
  expect_complaint(run("solve p.mtx --precond ilu0 --mem-limit 10k -o x.mtx"), 5,
                   "ilu0: takes 92.2 kB of memory, and the limit is 10.0 kB");
  EXPECT_NE(run("solve p.mtx --precond ilu0 --mem-limit 10kB")
                .err.find("of memory, and the limit is 10.0 kB; raise the limit, or use preconditioner jacobi"),
            std::string::npos);
  EXPECT_EQ(run("solve p.mtx --precond none --json report.json").code, 0);
  EXPECT_TRUE(report()["bytes"]["preconditioner_predicted"].is_null());
  expect_complaint(run("solve p.mtx --solver gmres --restart 500 --mem-limit 100k"), 5,
                   "gmres: a basis of 500 vectors takes 3.60 MB, and the limit of memory leaves");
  for (const char* wrong : {"5X", "M", "-1", "1e3", "2.G.", "5MM", "5 M"})
    expect_complaint(run("solve p.mtx --mem-limit '" + std::string(wrong) + "'"), 2,
                     "'" + std::string(wrong) + "' isn't a size such as 500M, 2G or 1.5GiB");
}

TEST_F(CliSolve, AutoPassesOverWhatTheLimitOfMemoryLeavesNoRoomFor) {
  generate("variable2d 150 v.mtx");
  ASSERT_EQ(run("solve v.mtx --json report.json").code, 0);
  ASSERT_EQ(report()["preconditioner"], "multigrid") << "or the case shows nothing";
  const Outcome r = run("solve v.mtx --mem-limit 500k --json report.json");
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(report()["preconditioner"], "jacobi");
  EXPECT_NE(report()["reasons"]["preconditioner"].get<std::string>().find("multigrid: takes at least"),
            std::string::npos);
  EXPECT_EQ(run("solve poisson2d:200 --mem-limit 100k --json report.json").code, 0);
  EXPECT_EQ(report()["preconditioner"], "none") << "of a stencil";
  write("o.json", R"({"mem_limit": "500K"})");
  EXPECT_EQ(run("solve v.mtx -P o.json --json report.json").code, 0);
  EXPECT_EQ(report()["preconditioner"], "jacobi");
  write("o.json", R"({"mem_limit": 500000})");
  EXPECT_EQ(run("solve v.mtx -P o.json --json report.json").code, 0);
  EXPECT_EQ(report()["preconditioner"], "jacobi");
}

TEST_F(CliSolve, RefusesOptionsThatTheSolverDoesNotUse) {
  expect_complaint(run("solve poisson2d:5 --solver gmres --shadow 3"), 2,
                   "shadow = 3 is for idr, and --solver is gmres");
  expect_complaint(run("solve poisson2d:5 --solver cg --restart 9"), 2,
                   "restart = 9 is for gmres and gcrodr, and --solver is cg");
  EXPECT_EQ(run("solve poisson2d:5 --quiet --solver idr --shadow 3").code, 0);
  EXPECT_EQ(run("solve poisson2d:5 --quiet --restart 9").code, 0);
}

TEST_F(CliSolve, TheTimeLimitEndsTheFactorisationOfAPreconditioner) {
  generate("poisson3d 40 p.mtx");
  const Outcome r = run("solve p.mtx --precond lu:order=natural --time-limit 0.05 --json report.json -o x.mtx");
  EXPECT_EQ(r.code, 1) << r.err;
  EXPECT_EQ(report()["status"], "time_limit");
  EXPECT_EQ(report()["iterations"], 0);
  EXPECT_NE(r.out.find("time limit in the set-up, after "), std::string::npos) << r.out;
  EXPECT_NE(r.out.find("the limit of 0.05 s was reached while lu:order=natural was made"), std::string::npos) << r.out;
  EXPECT_TRUE(r.out.find("none") == std::string::npos && r.out.find("nan") == std::string::npos) << r.out;
  EXPECT_EQ(report()["preconditioner"], "lu");
  EXPECT_TRUE(report()["set_up_stopped"]);
  EXPECT_EQ(read_vector<double>(path("x.mtx")).size(), 64000u) << "x so far is written";
}

TEST_F(CliSolve, TheTimeLimitEndsTheSetUpOfMultigridAndFsai) {
  generate("elasticity3d 12 e.mtx");
  for (const std::string which : {"multigrid:kind=aggregation", "fsai:pattern=adaptive",
                                  "multigrid:kind=aggregation --coordinates elasticity3d:12"}) {
    const Outcome r = run("solve e.mtx --time-limit 1e-6 --json report.json -o x.mtx --precond " + which);
    EXPECT_EQ(r.code, 1) << r.err;
    EXPECT_EQ(report()["status"], "time_limit") << which;
    EXPECT_EQ(report()["preconditioner"], which.substr(0, which.find(':'))) << which;
    EXPECT_EQ(report()["iterations"], 0) << which;
  }
}

TEST_F(CliSolve, SaysHowAPreconditionerWasAskedForAndWhatWasMade) {
  generate("poisson2d 10 p.mtx");
  const auto reason = [this](const std::string& arguments) {
    EXPECT_EQ(run("solve " + arguments + " --json report.json --quiet").code, 0);
    return report()["reasons"]["preconditioner"].get<std::string>();
  };
  EXPECT_EQ(reason("p.mtx --precond ilu0:match=no,order=natural"),
            "asked for with match=no,order=natural; 1 times the entries of A");
  EXPECT_EQ(reason("p.mtx --precond block-jacobi:block=4"), "asked for with block=4; 25 blocks");
  EXPECT_EQ(reason("poisson2d:10 --precond multigrid:sweeps=2"), "asked for with sweeps=2");
  EXPECT_EQ(reason("p.mtx --precond multigrid:sweeps=2"), "asked for with sweeps=2");
  EXPECT_EQ(reason("p.mtx --precond jacobi"), "asked for");
}

TEST_F(CliSolve, AGuessThatIsGoodEnoughNeedsNoPreconditionerInTime) {
  generate("elasticity3d 12 e.mtx");
  const Outcome r =
      run("solve e.mtx --time-limit 1e-6 --atol 1e300 --json report.json --precond fsai:pattern=adaptive");
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(report()["status"], "converged");
  EXPECT_EQ(report()["preconditioner"], "none") << "else nothing was tested";
}

TEST_F(CliSolve, RefusesBadInput) {
  write("rectangular.mtx", rectangular);
  write("b.mtx", vector_of_two);
  write("bad.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 3 1\n");
  generate("poisson2d 2 p.mtx");
  expect_complaint(run("solve none.mtx"), 3, "none.mtx");
  expect_complaint(run("solve bad.mtx"), 3, "bad.mtx:3:");
  expect_complaint(run("solve rectangular.mtx --solver cg"), 3, "2 x 3, and cg needs a square one");
  expect_complaint(run("solve rectangular.mtx --precond ssor"), 3, "ssor is for square systems");
  write("guess.mtx", vector_of_two);
  expect_complaint(run("solve rectangular.mtx -x guess.mtx"), 3, "holds 2 values, but the matrix has 3 columns");
  expect_complaint(run("solve p.mtx -f b.mtx"), 3, "b.mtx: holds 2 values, but the matrix has 4 rows");
  expect_complaint(run("solve p.mtx -o nowhere/x.mtx"), 3, "nowhere/x.mtx: can't be written");
}

TEST_F(CliSolve, UnknownValuesListTheKnownOnes) {
  generate("poisson2d 2 p.mtx");
  expect_complaint(run("solve p.mtx --solver cga"), 2,
                   "'cga' is unknown; did you mean cg? known: auto, cg, bicgstab, gmres");
  expect_complaint(run("solve p.mtx --precond x"), 2, "known: auto, none, jacobi");
  expect_complaint(run("solve p.mtx --precond jacobi:a=1"), 2, "--precond: jacobi takes no options");
  expect_complaint(run("solve p.mtx --precond multigrid:sweeps=9"), 2,
                   "--precond: multigrid: sweeps is '9'; it has to be 0 to 8");
  expect_complaint(run("solve p.mtx --format x"), 2, "known: auto, csr, dia");
  expect_complaint(run("solve p.mtx --device gpu"), 2, "known: auto, cpu, cuda, cuda:N");
  expect_complaint(run("solve p.mtx --precision half"), 2, "'half' is unknown; known: double, single");
  expect_complaint(run("solve p.mtx --precision mixed"), 2, "'mixed' is planned and can't be had yet; known: double");
  expect_complaint(run("solve p.mtx --tune x"), 2, "known: off, model, measure");
  expect_complaint(run("solve p.mtx --jit maybe"), 2, "--jit: 'maybe' is unknown; known: off, on, auto");
  expect_complaint(run("solve p.mtx --jit on --device cpu"), 2, "--jit on compiles kernels for a GPU");
  expect_complaint(run("solve p.mtx --compress x"), 2, "--compress: 'x' is unknown; known: off, on, auto");
  expect_complaint(run("solve p.mtx --bogus"), 2, "unknown option '--bogus'; see ostinato solve --help");
  expect_complaint(run("solve p.mtx --rtol nan"), 2, "--rtol: 'nan'");
  expect_complaint(run("solve p.mtx --maxiter 2.5"), 2, "'2.5' isn't a whole number");
  expect_complaint(run("solve"), 2, "matrix is required");
  expect_complaint(run("solve p.mtx --solver cg --solver gmres"), 2, "--solver is given more than once; give it once;");
  expect_complaint(run("solve p.mtx --solver gcrodr --restart 5 --recycle 5"), 2,
                   "--recycle is 5; it has to be less than --restart, 5");
  expect_complaint(run("solve p.mtx --precond multigrid:kind=pairwise,reuse=interpolation"), 2,
                   "is for kind=classical and kind=aggregation; see");
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

std::string diagonal_of(const std::string& first, const std::string& second) {
  return "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 " + first + "\n2 2 " + second + "\n";
}

std::string vector_of(const std::string& first, const std::string& second) {
  return "%%MatrixMarket matrix array real general\n2 1\n" + first + "\n" + second + "\n";
}

TEST_F(CliSolve, SolutionOutOfRangeIsNotConverged) {
  write("small.mtx", diagonal_of("1e-20", "2e-20"));
  write("large.mtx", diagonal_of("1e30", "2e30"));
  write("large_b.mtx", vector_of("1e300", "1e300"));
  write("small_b.mtx", vector_of("1e-300", "1e-300"));

  const Outcome over = run("solve small.mtx -f large_b.mtx -o over.mtx --json over.json");
  const Outcome under = run("solve large.mtx -f small_b.mtx -o under.mtx --json under.json");

  EXPECT_EQ(over.code, 4) << over.out;
  EXPECT_EQ(report("over.json")["status"], "not_finite");
  EXPECT_NE(over.out.find("too large for double precision"), std::string::npos) << over.out;
  EXPECT_EQ(contents(path("over.mtx")).find("inf\n"), std::string::npos);
  EXPECT_EQ(under.code, 1) << under.out;
  EXPECT_NEAR(report("under.json")["relative_residual"].get<double>(), 1, 1e-12);
}

TEST_F(CliSolve, SinglePrecisionRefusesWhatVanishesInIt) {
  write("d.mtx", diagonal_of("2", "3"));
  write("tiny.mtx", diagonal_of("2e-50", "3e-50"));
  write("b.mtx", vector_of("1e-50", "3e-50"));
  write("huge_b.mtx", vector_of("1", "1e39"));
  write("one_small.mtx", vector_of("1", "1e-50"));

  const std::string reason =
      ": every value is below 1.18e-38, too small for single precision; --precision double holds smaller ones";
  expect_complaint(run("solve d.mtx -f b.mtx --precision single"), 3, "b.mtx" + reason);
  expect_complaint(run("solve d.mtx -x b.mtx --precision single"), 3, "b.mtx" + reason);
  expect_complaint(run("solve tiny.mtx --precision single"), 3, "tiny.mtx" + reason);
  expect_complaint(run("solve - --precision single <tiny.mtx"), 3, "-" + reason);
  expect_complaint(run("solve d.mtx -f huge_b.mtx --precision single"), 3, "too large for single precision");
  EXPECT_EQ(run("solve d.mtx -f one_small.mtx --precision single --quiet").code, 0) << "rounding of 1";
  EXPECT_EQ(run("solve tiny.mtx -f b.mtx --quiet").code, 0);
}

TEST_F(CliSolve, DoublePrecisionRefusesWhatVanishesInIt) {
  write("d.mtx", diagonal_of("2", "3"));
  write("tiny.mtx", diagonal_of("2e-400", "3e-400"));
  write("b.mtx", vector_of("0", "1D-400"));
  write("b.txt", "0\n-1e-400\n");
  write("zero.mtx", vector_of("0", "0e5"));
  write("one_small.mtx", vector_of("1", "1e-400"));

  const std::string reason =
      ": every value is below 4.94e-324, too small for double precision; multiply all values by a power of 2";
  for (const std::string name : {"b.mtx", "b.txt"}) {
    expect_complaint(run("solve d.mtx -f " + name), 3, name + reason);
    expect_complaint(run("solve d.mtx -x " + name), 3, name + reason);
  }
  expect_complaint(run("solve tiny.mtx"), 3, "tiny.mtx" + reason);
  EXPECT_EQ(run("solve d.mtx -f one_small.mtx --quiet").code, 0) << "rounding of 1";
  EXPECT_EQ(run("solve d.mtx -f zero.mtx --quiet").code, 0) << "zeros that are meant";
}

TEST_F(CliSolve, PreconditionerThatNobodyAskedForDoesNotFail) {
  write("d.mtx", diagonal_of("1e-310", "3e-310"));

  EXPECT_EQ(run("solve d.mtx --json report.json --quiet").code, 0);

  EXPECT_EQ(report()["preconditioner"], "none");
  EXPECT_NE(report()["reasons"]["preconditioner"].get<std::string>().find("row 1 "), std::string::npos);
  expect_complaint(run("solve d.mtx --precond jacobi"), 3, "jacobi: row 1 has");
  expect_complaint(run("solve d.mtx --precond block-jacobi:block=2"), 3, "block of rows 1 to 2 has");
}

TEST_F(CliSolve, ReportsTheBackwardError) {
  generate("poisson2d 20 p.mtx");

  const Outcome r = run("solve p.mtx --json report.json");

  EXPECT_NE(r.out.find("backward error   ||b - A x|| / (||A|| ||x|| + ||b||) = "), std::string::npos) << r.out;
  EXPECT_GT(report()["backward_error"], 0);
  EXPECT_LT(report()["backward_error"], report()["relative_residual"]);
  EXPECT_EQ(report()["at_precision_limit"], false);
}

TEST_F(CliSolve, SaysThatRoundingIsTheLimit) {
  generate("variable2d 20 p.mtx");
  for (const std::string precision : {"double", "single"}) {
    const Outcome r = run("solve p.mtx --rtol 1e-30 --json report.json --precision " + precision);

    EXPECT_EQ(r.code, 1);
    EXPECT_EQ(report()["at_precision_limit"], true);
    EXPECT_NE(r.out.find("at the limit of " + precision + " precision"), std::string::npos) << r.out;
    const std::string advice = precision == "double" ? "a looser --rtol ends as converged" : "--precision double";
    EXPECT_NE(r.out.find("\n" + advice), std::string::npos) << r.out;
    EXPECT_NE(r.out.find("is below the rounding of b"), std::string::npos) << r.out;
    EXPECT_EQ(r.out.find("--restart"), std::string::npos) << "no advice that can't help";
  }
}

TEST_F(CliSolve, TheReasonIsTheSameEverywhere) {
  write("a.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 4\n1 1 1\n1 2 2\n2 1 2\n2 2 1\n");
  write("b.txt", "1\n-1\n");

  const Outcome r = run("solve a.mtx -b b.txt --solver cg --json report.json");

  const std::string reason = "p . A p = -2 at iteration 0: A isn't positive definite";
  EXPECT_EQ(r.code, 4);
  EXPECT_NE(r.out.find("\n" + reason + "\n"), std::string::npos) << r.out;
  EXPECT_EQ(report()["reason"], reason);
  EXPECT_TRUE(report()["message"].get<std::string>().ends_with(": " + reason)) << report()["message"];
}

TEST_F(CliSolve, RefusesARightHandSideOfZeroThatNobodyGave) {
  write("ring.mtx",
        "%%MatrixMarket matrix coordinate real general\n3 3 9\n1 1 2\n1 2 -1\n1 3 -1\n2 1 -1\n2 2 2\n2 3 -1\n3 1 -1\n"
        "3 2 -1\n3 3 2\n");
  write("tiny.mtx", "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1e-200\n");
  write("b.txt", "1\n-1\n0\n");
  expect_complaint(run("solve ring.mtx"), 3, "ring.mtx: A * ones = 0: the matrix is singular, constants solve A x = 0");
  EXPECT_EQ(run("solve ring.mtx -f b.txt").code, 0);
  EXPECT_EQ(run("solve tiny.mtx").code, 0) << "small isn't 0";
  write("sizes.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 1e17\n1 2 -1e17\n2 2 1\n");
  EXPECT_EQ(run("solve sizes.mtx").code, 0) << "a row that is small beside the norm isn't 0";
  write("huge.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 1e308\n1 2 1e308\n2 2 1e308\n");
  EXPECT_EQ(run("solve huge.mtx").code, 4) << "A * ones is infinite, not 0";
}

TEST_F(CliSolve, SolvesANegativeDefiniteMatrixByCg) {
  write("a.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 4\n1 1 -3\n1 2 1\n2 1 1\n2 2 -2\n");

  const Outcome r = run("solve a.mtx --json report.json");

  EXPECT_EQ(r.code, 0) << r.out;
  EXPECT_EQ(report()["solver"], "cg");
  EXPECT_NE(r.out.find("the main one negative"), std::string::npos) << r.out;
  EXPECT_NE(r.out.find("cg solved -A x = -b"), std::string::npos) << r.out;
  EXPECT_NE(run("inspect a.mtx").out.find("main diagonal    negative"), std::string::npos);
}

TEST_F(CliSolve, SaysThatAToleranceIsBelowThePrecisionWhereItWasNotReached) {
  for (const std::string precision : {"double", "single"}) {
    const std::string text = "is below the rounding of b";
    const Outcome missed = run("solve variable2d:9 --rtol 1e-30 --precision " + precision);
    EXPECT_EQ(missed.code, 1);
    EXPECT_NE(missed.out.find(text), std::string::npos) << missed.out;
    EXPECT_EQ(missed.err, "");
  }
  write("two.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 2\n2 2 4\n");
  const Outcome reached = run("solve two.mtx --rtol 1e-20");
  EXPECT_EQ(reached.code, 0);
  EXPECT_EQ(reached.out.find("below the rounding"), std::string::npos) << reached.out;
}

TEST_F(CliOptionsFile, TakesTheNamesOfTheStruct) {
  write("o.json",
        R"({"rtol": 1e-6, "atol": 0, "max_iterations": 1, "time_limit": 60, "divergence_limit": 1e5, "restart": 7,
    "flexible": true, "check_every": 2, "solver": "GMRES", "preconditioner": "none", "format": "csr",
    "expected_products": 60, "tune": "off", "tune_budget": 1, "tune_again": true, "jit": "off", "compress": "on"})");

  const Outcome r = run("solve poisson2d:8 -P o.json --json report.json");

  EXPECT_EQ(r.code, 1) << r.err;
  EXPECT_EQ(report()["iterations"], 1);
  EXPECT_EQ(report()["solver"], "gmres");
  EXPECT_EQ(report()["rtol"], 1e-6);
  EXPECT_NE(r.out.find("gmres(7) flexible"), std::string::npos) << r.out;
}

TEST_F(CliSolve, TellsHowFarBIsOutsideOfTheRange) {
  write("a.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 4\n1 1 1\n1 2 1\n2 1 1\n2 2 1\n");
  write("b.mtx", "%%MatrixMarket matrix array real general\n2 1\n1\n2\n");
  for (const std::string solver : {"gmres", "minres"}) {
    for (const std::string precision : {"double", "single"}) {
      const Outcome r = run("solve a.mtx -f b.mtx --json report.json --solver " + solver + " --precision " + precision);

      if (report()["status"] == "least_squares") {
        EXPECT_NEAR(report()["relative_residual"].get<double>(), std::sqrt(0.1), 1e-6);
        EXPECT_NE(r.out.find("b is outside of the range of A by 0.316 of its size"), std::string::npos) << r.out;
      } else {
        EXPECT_EQ(precision, "single") << r.out;
        EXPECT_NE(r.code, 0);
        EXPECT_NE(r.out.find("the matrix may be singular"), std::string::npos) << r.out;
      }
      for (const char* wrong : {"--restart", "--precision", "looser --rtol"})
        EXPECT_EQ(r.out.find(wrong), std::string::npos) << r.out;
    }
  }
}

TEST_F(CliSolve, AdviceNamesTheSymmetryThatMinresNeeds) {
  write("a.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 1\n1 2 5\n2 2 1\n");

  const Outcome r = run("solve a.mtx --prepare off --solver minres");

  EXPECT_NE(r.code, 0);
  EXPECT_NE(r.out.find("A isn't symmetric; minres needs that"), std::string::npos) << r.out;
  EXPECT_NE(r.out.find("\ntry --solver auto\n"), std::string::npos) << r.out;
  EXPECT_EQ(r.out.find("minres needs a symmetric matrix"), std::string::npos) << "said already\n" << r.out;
}

/// A grid of n x n cells without boundary values, and a right-hand side that adds up to 1.
std::string neumann(int n) {
  std::string entries;
  int count = 0;
  const auto add = [&](int row, int col, int value) {
    entries += std::to_string(row + 1) + " " + std::to_string(col + 1) + " " + std::to_string(value) + "\n";
    ++count;
  };
  for (int at = 0; at < n * n; ++at) {
    const int x = at % n, y = at / n;
    int beside = 0;
    const auto neighbour = [&](bool inside, int col) {
      if (!inside) return;
      add(at, col, -1);
      ++beside;
    };
    neighbour(x > 0, at - 1);
    neighbour(x + 1 < n, at + 1);
    neighbour(y > 0, at - n);
    neighbour(y + 1 < n, at + n);
    add(at, at, beside);
  }
  const std::string rows = std::to_string(n * n);
  return "%%MatrixMarket matrix coordinate real general\n" + rows + " " + rows + " " + std::to_string(count) + "\n" +
         entries;
}

TEST_F(CliSolve, TakesTheConstantsOutWhereNoXSolvesTheSystem) {
  write("a.mtx", neumann(12));
  std::string b = "1\n";
  for (int i = 1; i < 144; ++i) b += "0\n";
  write("b.txt", b);

  const Outcome r = run("solve a.mtx -f b.txt --json report.json");

  EXPECT_EQ(report()["status"], "least_squares") << r.out;
  EXPECT_NEAR(report()["relative_residual"].get<double>(), 1.0 / 12, 1e-6);
  EXPECT_NE(r.out.find("b is outside of the range of A by 0.0833 of its size"), std::string::npos) << r.out;
  EXPECT_EQ(r.out.find("went on with"), std::string::npos) << r.out;
  EXPECT_EQ(run("solve a.mtx -f b.txt --solver lsmr --json report.json").code, 0);
  EXPECT_NEAR(report()["relative_residual"].get<double>(), 1.0 / 12, 1e-6) << "b less its mean is in the range of A";
}

TEST_F(CliSolve, GoesOnWhereBIsInTheRangeOfASingularMatrix) {
  write("a.mtx", neumann(12));
  std::string b = "1\n";
  for (int i = 2; i < 144; ++i) b += "0\n";
  write("b.txt", b + "-1\n");

  EXPECT_EQ(run("solve a.mtx -f b.txt").code, 0);
}

TEST_F(CliSolve, SharedMatricesNos7IsSolvedUpToTheLimit) {
  const char* dir = std::getenv("OSTINATO_SHARED_DIR");
  const std::string matrix = std::string(dir != nullptr ? dir : OSTINATO_SHARED_DIR) + "/matrices/nos7.mtx.gz";
  if (!std::filesystem::exists(matrix)) GTEST_SKIP() << matrix << " isn't here";

  EXPECT_EQ(run("solve " + matrix + " --device cpu --quiet --json report.json").code, 0) << "a good residual is seen";
  EXPECT_LT(report()["error"], 1e-9);
  EXPECT_LT(report()["backward_error"], 1e-15);
  const Outcome r =
      run("solve " + matrix + " --device cpu --effort quick --prepare off --rtol 1e-11 --json report.json");

  EXPECT_EQ(r.code, 1);
  EXPECT_EQ(report()["status"], "stagnated");
  EXPECT_NE(r.out.find("at the limit of double precision"), std::string::npos) << r.out;
  EXPECT_EQ(r.out.find("--restart"), std::string::npos) << r.out;
}

/// Solves for ever, and sends a signal once the solve has begun: after 3 s or, where a busy machine hasn't got so far
/// by then, later.
class CliInterrupt : public Cli {
 protected:
  Outcome interrupted(const std::string& timeout) const {
    Outcome r;
    for (const char* seconds : {" 3", " 12", " 50"}) {
      r =
          run("solve p.mtx --solver gmres --precond none --restart 1 --rtol 1e-12 --maxiter 2000000000 -o x.mtx --json "
              "report.json",
              timeout + seconds);
      if (std::filesystem::exists(path("x.mtx"))) break;
    }
    return r;
  }
};

TEST_F(CliInterrupt, WritesWhatItHas) {
  generate("poisson2d 200 p.mtx");
  // Without --foreground, a second SIGINT goes to the group of the program.
  const Outcome r = interrupted("timeout --foreground --preserve-status -s INT");
  EXPECT_EQ(r.code, 130) << r.out << r.err;
  EXPECT_NE(r.out.find("interrupted after"), std::string::npos) << r.out;
  EXPECT_EQ(report()["status"], "interrupted");
  EXPECT_EQ(report()["reason"].get<std::string>().find("a stop was requested at iteration "), 0u) << report()["reason"];
  EXPECT_NE(contents(path("x.mtx")).find("\n40000 1\n"), std::string::npos);
}

TEST_F(CliInterrupt, AnswersSigtermAsAnInterrupt) {
  generate("poisson2d 200 p.mtx");
  // As batch systems may, this signals the program and then its group as well.
  const Outcome r = interrupted("timeout --preserve-status");
  EXPECT_EQ(r.code, 130) << r.out << r.err;
  EXPECT_EQ(report()["status"], "interrupted");
  EXPECT_NE(contents(path("x.mtx")).find("\n40000 1\n"), std::string::npos);
}

TEST_F(CliSolve, SigtermOutsideOfTheSolveEndsTheProgram) {
  EXPECT_EQ(run("solve - -o x.mtx", "sleep 5 | timeout --preserve-status 1").code, 130);
  EXPECT_FALSE(std::filesystem::exists(path("x.mtx")));
}

TEST_F(CliSolve, TakesNoMoreThreadsThanThereIsRoomFor) {
  generate("poisson2d 4 p.mtx");
  const Outcome r = run("solve p.mtx --device cpu", "OMP_NUM_THREADS=600");
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_NE(r.out.find("512 threads"), std::string::npos) << r.out;
  expect_complaint(run("solve p.mtx --device cpu", "KOKKOS_NUM_THREADS=600"), 2, "KOKKOS_NUM_THREADS is 600; 512 is");
}

TEST_F(CliSolve, RefusesMoreRowsThanThereIsMemoryForTheVectorsOf) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "AddressSanitizer takes more address space than any limit leaves";
#endif
  // The limit leaves room for the libraries of CUDA.
  write("a.mtx", "%%MatrixMarket matrix coordinate real general\n200000000 200000000 1\n1 1 1\n");

  const Outcome r = run("solve a.mtx --device cpu", "ulimit -v 9000000; OMP_NUM_THREADS=1");

  expect_complaint(r, 3, "a solve with 200,000,000 rows takes at least 9.60 GB of memory");
}

TEST_F(CliSolve, TellsThatThereIsNoMemoryForTheThreadOfMetis) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "AddressSanitizer takes more address space than a process has beside such stacks";
#endif
  generate("mesh2d 20 p.mtx");
  // Threads get a stack of 150 TB, more than an address space has.
  const Outcome r =
      run("solve p.mtx --device cpu --precond ilut:order=nd", "ulimit -s 150000000000; OMP_NUM_THREADS=1");
  if (r.err.find("no METIS") != std::string::npos || r.err.find("ulimit") != std::string::npos) GTEST_SKIP() << r.err;
  expect_complaint(r, 5, "nested_dissection: there is no memory for the thread of METIS");
}

TEST_F(CliSolve, KeepsToTheThreadLimitOfOpenMp) {
  generate("poisson2d 4 p.mtx");
  for (const char* many : {"OMP_THREAD_LIMIT=3 OMP_NUM_THREADS=1500", "OMP_THREAD_LIMIT=3 OMP_NUM_THREADS=8"}) {
    const Outcome r = run("solve p.mtx --device cpu", many);
    EXPECT_EQ(r.code, 0) << r.err;
    EXPECT_NE(r.out.find(", 3 threads"), std::string::npos) << r.out;
  }
  const std::string complaint = "8 threads asked for, but OMP_THREAD_LIMIT is 3";
  expect_complaint(run("solve p.mtx --device cpu --threads 8", "OMP_THREAD_LIMIT=3"), 2, complaint);
  expect_complaint(run("solve p.mtx --device cpu", "OMP_THREAD_LIMIT=3 KOKKOS_NUM_THREADS=8"), 2, complaint);
}

TEST_F(CliSolve, HasAllThreadsWhateverOmpDynamicSays) {
  generate("poisson2d 40 p.mtx");
  const std::string threads = std::to_string(4 * std::max(1u, std::thread::hardware_concurrency()));

  // At its end Kokkos 3.4 asks OpenMP for all threads again, gets fewer, and doesn't free what belongs to the others.
  const Outcome r =
      run("solve p.mtx --device cpu --threads " + threads, "ASAN_OPTIONS=detect_leaks=0 OMP_DYNAMIC=true");

  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_NE(r.out.find(", " + threads + " threads"), std::string::npos) << r.out;
}

TEST_F(CliOptionsFile, TheCommandLineGoesFirst) {
  generate("poisson2d 20 p.mtx");
  write("o.json", R"({"solver": "gmres", "restart": 7, "flexible": true, "rtol": 1e-3, "quiet": true})");
  EXPECT_EQ(run("solve p.mtx -P o.json --rtol 1e-5 --json report.json").code, 0);
  EXPECT_EQ(report()["solver"], "gmres");
  EXPECT_EQ(report()["rtol"], 1e-5);
}

TEST_F(CliOptionsFile, TakesTheOptionsOfTheFormat) {
  generate("poisson2d 20 p.mtx");
  write("o.json", R"({"jit": "off", "compress": "off"})");
  write("bad.json", R"({"compress": false})");
  EXPECT_EQ(run("solve p.mtx -P o.json --jit auto --quiet --json report.json").code, 0);
  EXPECT_EQ(report()["format_details"]["jit"], "auto");
  EXPECT_EQ(report()["format_details"]["compress"], "off");
  expect_complaint(run("solve p.mtx -P bad.json"), 2, "'false' is unknown; known: off, on, auto");
}

TEST_F(CliOptionsFile, RefusesWhatItDoesNotKnow) {
  generate("poisson2d 2 p.mtx");
  write("key.json", R"({"solvr": "cg"})");
  write("value.json", R"({"solver": "cga"})");
  write("type.json", R"({"rtol": [1]})");
  write("broken.json", R"({"rtol": )");
  expect_complaint(run("solve p.mtx -P key.json"), 2,
                   "unknown option 'solvr'; did you mean solver? known: rhs, guess, coordinates, output");
  expect_complaint(run("solve p.mtx -P value.json"), 2, "known: auto, cg, bicgstab, gmres");
  expect_complaint(run("solve p.mtx -P type.json"), 2, "the value of 'rtol'");
  expect_complaint(run("solve p.mtx -P broken.json"), 3, "broken.json: isn't JSON");
  write("twice.json", R"({"maxiter": 7, "maxiter": 5})");
  expect_complaint(run("solve p.mtx -P twice.json"), 3, "'maxiter' more than once");
  write("alias.json", R"({"maxiter": 7, "Max_Iterations": 5})");
  expect_complaint(run("solve p.mtx -P alias.json"), 2, "more than once, here as 'Max_Iterations'");
  write("flag.json", R"({"flexible": "maybe"})");
  expect_complaint(run("solve p.mtx -P flag.json"), 2, "has to be true or false, not 'maybe'");
  expect_complaint(run("solve p.mtx -P none.json"), 3, "none.json: can't be opened");
}

}  // namespace ostinato::cli_tests
