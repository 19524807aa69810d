// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0

// Solves on ranks: what a launcher starts, and what is refused there.

#include <algorithm>
#include <filesystem>

#include <ostinato/spmv/space/cuda.hpp>

#include "program.hpp"

namespace ostinato::cli_tests {
namespace {

class CliRanks : public Cli {
 protected:
  /// Starts the program as one of two processes of a launcher, though there is none.
  Outcome run_as_one_of_two(const std::string& arguments, const std::string& more = "") const {
    return run(arguments, "OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=0 " + more);
  }
#ifdef OSTINATO_MPIRUN
  Outcome run_on(int ranks, const std::string& arguments) const {
    return run(arguments,
               "OMP_NUM_THREADS=1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "
               "OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1 "
               "OMPI_MCA_hwloc_base_binding_policy=none " OSTINATO_MPIRUN " -n " +
                   std::to_string(ranks));
  }
#endif
};

TEST_F(CliRanks, NeedAnMpi) {
  generate("poisson2d 10 p.mtx");
  expect_complaint(run_as_one_of_two("solve p.mtx", "OSTINATO_MPI=/nowhere.so"), 2, "no MPI: /nowhere.so");
}

TEST_F(CliRanks, AreForSolveAlone) {
  generate("poisson2d 10 p.mtx");
  expect_complaint(run_as_one_of_two("inspect p.mtx"), 2, "only solve works on ranks");
}

TEST_F(CliRanks, AreForecastByInspect) {
  EXPECT_EQ(run("inspect poisson2d:200 --ranks --json report.json").code, 0);
  const Json forecasts = report()["ranks"];
  ASSERT_EQ(forecasts.size(), 4U);
  EXPECT_EQ(forecasts[0]["ghosts"], 0);
  EXPECT_EQ(forecasts[1]["ghosts"], 200);
  EXPECT_EQ(forecasts[3]["neighbours"], 2);
  EXPECT_GT(forecasts[0]["seconds"], forecasts[3]["reduction_seconds"]);
  EXPECT_NE(run("inspect poisson2d:200 --ranks").out.find("two ranks pay from"), std::string::npos);
  EXPECT_EQ(run("inspect poisson2d:20").out.find("two ranks pay"), std::string::npos);
}

TEST_F(CliRanks, RefuseWhatTheyDoNotHave) {
  generate("poisson2d 10 p.mtx");
  for (const char* const option : {"--symmetric", "--renumber on", "--html a.html"})
    expect_complaint(run_as_one_of_two(std::string("solve p.mtx ") + option), 2, "isn't for ranks yet");
  for (const char* const option : {"--tune measure", "--products 9", "--compress on"})
    expect_complaint(run_as_one_of_two(std::string("solve p.mtx ") + option), 2, "isn't for ranks yet");
  expect_complaint(run_as_one_of_two("solve p.mtx --precond chebyshev:degree=3"), 2, "takes no options with ranks");
  expect_complaint(run_as_one_of_two("solve p.mtx --format bccoo"), 2, "csr and dia");
  expect_complaint(run_as_one_of_two("solve p.mtx --device cuda --format csr"), 2, "sliced-ell and dia");
  expect_complaint(run_as_one_of_two("solve p.mtx --device cuda:1"), 2, "give --device cuda in place of cuda:1");
  expect_complaint(run_as_one_of_two("solve p.mtx --share-gpus"), 2, "give --device cuda, too");
  expect_complaint(run("solve p.mtx --share-gpus"), 2, "--share-gpus is for ranks");
}

TEST_F(CliRanks, NeedNoSecondOneForAPartition) {
  generate("poisson2d 10 p.mtx");
  for (const std::string launched : {"", "OMPI_COMM_WORLD_SIZE=1 OMPI_COMM_WORLD_RANK=0"}) {
    const Outcome r = run("solve p.mtx --partition rcm --json report.json", launched);
    EXPECT_EQ(r.code, 0) << r.err;
    EXPECT_NE(r.out.find("--partition rcm changed nothing"), std::string::npos) << r.out;
    EXPECT_LT(report()["error"], 1e-6);
  }
  expect_complaint(run("solve p.mtx --partition rmc"), 2, "known: entries, rows, rcm");
}

TEST_F(CliRanks, RefuseGpusThatThereAreNot) {
  const int there = Cuda::device_count();
  expect_complaint(run("solve poisson2d:10 --gpus 99"), 2,
                   there == 0 ? Cuda::why_absent() : "this machine has " + std::to_string(there));
  expect_complaint(run("solve poisson2d:10 --gpus 0"), 2, "give 1, 2, .. or all");
  expect_complaint(run("solve poisson2d:10 --gpus two"), 2, "give 1, 2, .. or all");
  expect_complaint(run("solve poisson2d:10 --gpus all --device cpu"), 2, "contradict");
  expect_complaint(run("solve poisson2d:10 --gpus all --format csr"), 2, "sliced-ell and dia");
  expect_complaint(run("solve poisson2d:10 --gpus all --device cuda:1"), 2, "leave --device cuda:1 out");
  expect_complaint(run("solve poisson2d:10 --gpus all --html a.html"), 2, "--html isn't for --gpus yet");
  expect_complaint(run_as_one_of_two("solve poisson2d:10 --gpus all"), 2, "leave mpirun out");
}

TEST_F(CliRanks, OfCudaWriteOneXInTheOrderOfTheFile) {
  if (const std::string why = Cuda::why_absent(); !why.empty()) GTEST_SKIP() << why;
  generate("mesh2d 100 a.mtx");
  for (const std::string how : {"", " --partition rcm", " --precond fsai", " --precision single --rtol 1e-5"}) {
    SCOPED_TRACE(how);
    const Outcome r = run("solve a.mtx --quiet --gpus all --json report.json -o x.npy" + how);
    EXPECT_EQ(r.code, 0) << r.err;
    const Json found = report();
    EXPECT_LT(found["error"], how.find("single") == std::string::npos ? 1e-4 : 1e-1);
    EXPECT_EQ(found["ranks"].size(), static_cast<std::size_t>(Cuda::device_count()));
    EXPECT_EQ(run("solve a.mtx --quiet -x x.npy --maxiter 0 --rtol 1.1e-5").code, 0) << "x isn't in the file's order";
  }
}

TEST_F(CliRanks, OfCudaTakeMultigridOfGridsAlone) {
  if (const std::string why = Cuda::why_absent(); !why.empty()) GTEST_SKIP() << why;
  const Outcome solved = run("solve poisson2d:150 --quiet --gpus all --precond multigrid --json report.json");
  EXPECT_EQ(solved.code, 0) << solved.err;
  EXPECT_LT(report()["iterations"], 15);
  generate("mesh2d 100 a.mtx");
  expect_complaint(run("solve a.mtx --gpus all --precond multigrid"), 3, "ranks on GPUs take a matrix of constant");
}

TEST_F(CliRanks, SayNothingTwice) {
  const Outcome other = run("inspect p.mtx", "OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=1");
  EXPECT_EQ(other.code, 2);
  EXPECT_EQ(other.err, "");
}

#ifdef OSTINATO_MPIRUN

TEST_F(CliRanks, OfProcessesTakeAGpuEach) {
  const int there = Cuda::device_count(), ranks = std::max(1, there) + 1;
  generate("mesh2d 100 a.mtx");
  const std::string solve = "solve a.mtx --quiet --device cuda --json report.json -o x.npy";
  const Outcome many = run_on(ranks, solve), shared = run_on(ranks, solve + " --share-gpus");
  if (there == 0) {
    for (const Outcome& r : {many, shared}) {
      EXPECT_EQ(r.code, 5) << r.err;
      EXPECT_NE(r.err.find(Cuda::why_absent()), std::string::npos) << r.err;
    }
    return;
  }
  EXPECT_EQ(many.code, 2) << many.err;
  EXPECT_NE(many.err.find("would share a GPU"), std::string::npos) << many.err;
  EXPECT_EQ(shared.code, 0) << shared.err;
  EXPECT_EQ(report()["ranks"].size(), static_cast<std::size_t>(ranks));
  EXPECT_LT(report()["error"], 1e-4);
  EXPECT_EQ(run("solve a.mtx --quiet -x x.npy --maxiter 0 --rtol 1.1e-8").code, 0) << "x isn't in the file's order";
}

TEST_F(CliRanks, WriteOneXInTheOrderOfTheFile) {
  generate("variable2d 100 a.mtx");
  const auto expect_solved = [&](int ranks, const std::string& x, const std::string& more) {
    const Outcome r = run_on(ranks, "solve a.mtx --quiet --json report.json -o " + x + more);
    EXPECT_EQ(r.code, 0) << r.err;
    const Json found = report();
    EXPECT_LT(found["error"], 1e-4);  // x is known to be ones
    ASSERT_EQ(found["ranks"].size(), static_cast<std::size_t>(ranks));
    int rows = 0;
    for (const Json& rank : found["ranks"]) rows += rank["rows"].get<int>();
    EXPECT_EQ(rows, 10000);
    EXPECT_GT(found["ranks"][0]["ghosts"], 0);
    EXPECT_GT(found["ranks"][0]["halo_seconds"], 0);
  };
  expect_solved(2, "two.txt", "");
  expect_solved(3, "three.txt", " --partition rows");
  EXPECT_EQ(contents(path("two.txt")).size(), contents(path("three.txt")).size());
  EXPECT_TRUE(contents(path("two.txt")) == contents(path("three.txt"))) << "the bits differ";
  EXPECT_EQ(run("solve a.mtx --quiet -x three.txt --maxiter 0 --rtol 1.1e-8").code, 0) << "x isn't in the file's order";
}

TEST_F(CliRanks, ShareRowsAsTheyAreToldAndWriteXInTheOrderOfTheFile) {
  generate("mesh2d 60 a.mtx");
  std::string owners;
  for (int i = 0; i < 3600; ++i) owners += std::to_string(i * 7 % 3) + "\n";
  write("owners.txt", owners);
  for (const std::string how : {"rows", "rcm", "metis", "owners.txt"}) {
    SCOPED_TRACE(how);
    const Outcome r = run_on(3, "solve a.mtx -o x.npy --json report.json --partition " + how);
    if (how == "metis" && r.code == 2) continue;  // a build without METIS
    EXPECT_EQ(r.code, 0) << r.err;
    EXPECT_LT(report()["error"], 1e-4);
    EXPECT_EQ(run("solve a.mtx --quiet -x x.npy --maxiter 0 --rtol 1.1e-8").code, 0) << "x isn't in the file's order";
  }
  const Outcome grid = run_on(3, "solve poisson3d:12 --json report.json --partition grid");
  EXPECT_EQ(grid.code, 0) << grid.err;
  EXPECT_EQ(report()["ranks"][1]["rows"], 4 * 144);
}

TEST_F(CliRanks, TakeSlabsOfAStencilWhereOneProcessDoes) {
  ASSERT_EQ(run("solve poisson3d:32 --json report.json -o one.npy").code, 0);
  const Json one = report();
  for (const std::string how : {"", " --partition grid", " --precond multigrid", " --precond chebyshev --solver cg"}) {
    SCOPED_TRACE(how);
    const Outcome r = run_on(3, "solve poisson3d:32 --json report.json -o x.npy" + how);
    EXPECT_EQ(r.code, 0) << r.err;
    const Json found = report();
    EXPECT_EQ(found["format"], "stencil");
    EXPECT_EQ(found["rows"], 32768);
    EXPECT_EQ(found["nonzeros"], one["nonzeros"]);
    EXPECT_EQ(found["ranks"][1]["ghosts"], 2 * 1024);
    EXPECT_LT(found["error"], 1e-5);
    if (how.find("chebyshev") == std::string::npos) {
      EXPECT_EQ(found["iterations"], one["iterations"]);
    }
    EXPECT_EQ(run("solve poisson3d:32 --quiet -x x.npy --maxiter 0 --rtol 1.1e-8").code, 0);
  }
  for (const std::string how : {"32 --format dia", "32 --partition rcm", "32 --precond fsai", "12"}) {
    SCOPED_TRACE(how);
    const Outcome r = run_on(2, "solve --json report.json poisson3d:" + how);
    EXPECT_EQ(r.code, 0) << r.err;
    EXPECT_NE(report()["format"], "stencil");
  }
  const Outcome far = run_on(2, "solve poisson3d:32 --json report.json -f one.npy -x one.npy");
  EXPECT_EQ(far.code, 0) << far.err;
}

TEST_F(CliRanks, SayWhatWasStoppedOfASetUp) {
  const Outcome r = run_on(2, "solve poisson2d:200 --format csr --precond ilut --time-limit 1e-9 --json report.json");
  EXPECT_EQ(r.code, 1) << r.err;
  EXPECT_EQ(r.out.find("nan"), std::string::npos) << r.out;
  EXPECT_NE(r.out.find("time limit in the set-up: the limit of 1e-09 s was reached"), std::string::npos) << r.out;
  const Json found = report();
  EXPECT_EQ(found["status"], "time_limit");
  EXPECT_EQ(found["preconditioner"], "ilut");
  EXPECT_TRUE(found["set_up_stopped"]);
  EXPECT_EQ(found["message"].get<std::string>().find("nan"), std::string::npos) << found["message"];
}

TEST_F(CliRanks, NameTheBadLineOfAPartition) {
  generate("poisson2d 3 p.mtx");
  write("owners.txt", "0\n1\n2\n0\n0\n0\n0\n0\n0\n");
  const Outcome bad = run_on(2, "solve p.mtx --partition owners.txt");
  EXPECT_EQ(bad.code, 3) << bad.err;
  EXPECT_NE(bad.err.find("owners.txt:3: "), std::string::npos) << bad.err;
  const Outcome none = run_on(2, "solve p.mtx --partition Entries");
  EXPECT_EQ(none.code, 2) << none.err;
  EXPECT_NE(none.err.find("known: entries, rows"), std::string::npos) << none.err;
}

TEST_F(CliRanks, SolveInSinglePrecision) {
  generate("poisson2d 60 p.mtx");
  const Outcome r = run_on(2, "solve p.mtx --precision single --json report.json");
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(report()["precision"], "single");
  EXPECT_LT(report()["error"], 1e-1);
}

TEST_F(CliRanks, GoAsFarAsTheyAreTold) {
  generate("anisotropic 130 a.mtx");
  EXPECT_EQ(run_on(2, "solve a.mtx --quiet --maxiter 420 --json report.json").code, 0);
  EXPECT_GE(report()["stages"].size(), 2U);
  EXPECT_EQ(report()["changes"][0]["from"], "cg with jacobi");
  EXPECT_EQ(run_on(2, "solve a.mtx --quiet --maxiter 420 --effort quick --json report.json").code, 1);
  EXPECT_EQ(report()["stages"].size(), 1U);
}

TEST_F(CliRanks, PrepareSystemsUnlessTheyAreToldNotTo) {
  // Rows of 1e9 and of 1: the small ones have another x.
  write("a.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 5\n1 1 1e9\n1 2 3e8\n2 2 1\n3 2 0.5\n3 3 1e-3\n");
  EXPECT_EQ(run_on(2, "solve a.mtx --quiet --json report.json").code, 0);
  EXPECT_GT(report()["preparation"]["scaled_by"], 20);
  EXPECT_LT(report()["error"], 1e-6);
  EXPECT_FALSE(report().contains("selection"));
  EXPECT_EQ(run_on(2, "solve a.mtx --quiet --prepare off --json report.json").code, 0);
  EXPECT_EQ(report()["preparation"]["scaled_by"], 0);
}

TEST_F(CliRanks, EndTheirSetUpWithinTheTimeLimit) {
  generate("poisson2d 100 a.mtx");
  const Outcome late = run_on(2, "solve a.mtx --time-limit 1e-9 --json report.json -o x.npy");
  EXPECT_EQ(late.code, 1) << late.err;
  EXPECT_EQ(report()["status"], "time_limit");
  EXPECT_TRUE(report()["relative_residual"].is_null());
  EXPECT_NE(late.out.find("set-up"), std::string::npos) << late.out;
  EXPECT_FALSE(std::filesystem::exists(path("x.npy")));
}

TEST_F(CliRanks, TakeAnEmptyMatrixAsOneProcessDoes) {
  write("empty.mtx", "%%MatrixMarket matrix coordinate real general\n0 0 0\n");
  const Outcome one = run("solve empty.mtx"), two = run_on(2, "solve empty.mtx");
  EXPECT_EQ(one.code, 0) << one.err;
  EXPECT_EQ(two.code, one.code) << two.err;
}

TEST_F(CliRanks, SayOnceWhatIsWrongWithAFile) {
  write("bad.mtx", "%%MatrixMarket matrix coordinate real general\n4 4 2\n1 1 1\n2 x 3\n");
  const Outcome bad = run_on(3, "solve bad.mtx");
  EXPECT_EQ(bad.code, 3) << bad.err;
  EXPECT_NE(bad.err.find("ostinato: bad.mtx:4:"), std::string::npos) << bad.err;
  EXPECT_EQ(bad.err.find("ostinato: "), bad.err.rfind("ostinato: ")) << bad.err;
}

TEST_F(CliRanks, MayBeMoreThanThereAreRows) {
  generate("poisson2d 2 p.mtx");
  const Outcome r = run_on(3, "solve p.mtx");
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_NE(r.out.find("0 to 4, mean 1"), std::string::npos) << r.out;
}

#endif

}  // namespace
}  // namespace ostinato::cli_tests
