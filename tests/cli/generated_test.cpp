// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/program.hpp"

// Matrices that are named by their family instead of a file.

namespace ostinato::cli_tests {

using CliGenerated = Cli;

TEST_F(CliGenerated, SolvesWithAStencilWithoutAMatrix) {
  for (const char* name : {"poisson2d:64", "poisson3d:20", "anisotropic:40:anisotropy=0.1",
                           "convection-diffusion2d:50:peclet=2", "convection-diffusion3d:15"}) {
    const Outcome r = run(std::string("solve ") + name + " --device cpu --json report.json");
    EXPECT_EQ(r.code, 0) << r.err;
    for (const char* phrase : {"operator ", "stencil, ", "-point, no matrix", "multigrid: the matrix is on a grid"}) {
      EXPECT_NE(r.out.find(phrase), std::string::npos) << phrase << "\n" << r.out;
    }
    const Json j = report();
    EXPECT_EQ(j["format"], "stencil");
    EXPECT_EQ(j["preconditioner"], "multigrid");
    EXPECT_TRUE(j["selection"].empty());
    EXPECT_LT(j["bytes"]["matrix"].get<int>(), 2000);
    EXPECT_LT(j["error"].get<double>(), 1e-6);
  }
}

TEST_F(CliGenerated, SolvesTheSameSystemAsTheFile) {
  generate("poisson2d 160 p.mtx");
  ASSERT_EQ(run("solve p.mtx --quiet --device cpu --json file.json").code, 0);
  ASSERT_EQ(run("solve poisson2d:160 --quiet --device cpu --json stencil.json").code, 0);
  ASSERT_EQ(run("solve poisson2d:160 --quiet --device cpu --format csr --json matrix.json").code, 0);
  // The deviation of the row lengths is computed in another order.
  const auto without_deviation = [&](const char* name) {
    auto j = report(name);
    j["structure"].erase("row_deviation");
    return j;
  };
  const auto file = without_deviation("file.json");
  for (const char* key : {"rows", "cols", "nonzeros", "structure", "solver", "preconditioner", "iterations"}) {
    EXPECT_EQ(without_deviation("stencil.json")[key], file[key]) << key;
    EXPECT_EQ(without_deviation("matrix.json")[key], file[key]) << key;
  }
  EXPECT_EQ(report("matrix.json")["format"], "csr");
}

TEST_F(CliGenerated, TakesVectorsAndPrecisionAsForAFile) {
  generate("poisson2d 9 p.mtx");
  ASSERT_EQ(run("solve p.mtx --quiet -o x.mtx").code, 0);
  EXPECT_EQ(run("solve poisson2d:9 --quiet -f x.mtx -x x.mtx -o y.mtx --precision single").code, 0);
  EXPECT_EQ(run("solve poisson2d:9 --quiet --precond none").code, 0);
  const Outcome r = run("solve poisson2d:8 -f x.mtx");
  EXPECT_EQ(r.code, 3);
  EXPECT_NE(r.err.find("holds 81 values, but the matrix has 64 rows"), std::string::npos) << r.err;
}

TEST_F(CliGenerated, MakesAMatrixWhereItIsNeeded) {
  for (const char* rest : {"poisson2d:20 --format dia", "poisson2d:20 --tune off", "poisson2d:20 --precond jacobi",
                           "poisson2d:20 --precond ilu0", "poisson2d:20 --precond chebyshev:degree=3",
                           "variable2d:20:seed=7", "convection-diffusion2d:20:peclet=1,rotating", "fem27:5:constant",
                           "mesh2d:20:seed=3", "poisson3d:9:renumbered"}) {
    const Outcome r = run(std::string("solve ") + rest + " --device cpu");
    EXPECT_EQ(r.code, 0) << rest << r.err;
    EXPECT_EQ(r.out.find("no matrix"), std::string::npos) << rest;
    EXPECT_NE(r.out.find("format "), std::string::npos) << rest;
  }
  for (const char* command : {"inspect", "bench --repetitions 1 --format csr", "tune --tune-budget 0.01"}) {
    const Outcome r = run(std::string(command) + " poisson2d:20 --device cpu");
    EXPECT_EQ(r.code, 0) << command << r.err;
    EXPECT_NE(r.out.find("poisson2d:20"), std::string::npos) << r.out;
  }
}

TEST_F(CliGenerated, NamesTheFamiliesForAnUnknownOne) {
  const Outcome r = run("solve poisson4d:64");
  EXPECT_EQ(r.code, 2);
  for (const char* phrase : {"'poisson4d'", "poisson2d", "powerlaw"}) {
    EXPECT_NE(r.err.find(phrase), std::string::npos) << r.err;
  }
}

TEST_F(CliGenerated, RefusesWhatTheFamilyDoesNotRead) {
  for (const char* name : {"poisson2d:0", "poisson2d:x", "poisson2d:", "poisson2d:1e3", "poisson2d:9:peclet=1",
                           "convection-diffusion2d:9:peclet", "convection-diffusion2d:9:peclet=-1",
                           "convection-diffusion2d:9:rotating=1", "anisotropic:9:anisotropy=0", "poisson3d:2000"}) {
    for (const char* command : {"solve ", "inspect "}) {
      const Outcome r = run(std::string(command) + name);
      EXPECT_EQ(r.code, 2) << command << name << r.err;
      EXPECT_EQ(r.err.rfind("ostinato: ", 0), 0u) << r.err;
    }
  }
}

TEST_F(CliGenerated, NamesTheOptionThatIsWrong) {
  const auto complaint = [&](const char* name) {
    const Outcome r = run(std::string("solve ") + name);
    EXPECT_EQ(r.code, 2) << name;
    return r.err;
  };
  EXPECT_EQ(complaint("poisson3d:16:3"),
            "ostinato: poisson3d:16:3: '3' isn't an option of poisson3d; it reads n [periodic] [renumbered]\n");
  EXPECT_EQ(complaint("banded:9:bandwidth=1:broken=0"),
            "ostinato: banded:9:bandwidth=1:broken=0: a comma, not a colon, parts options: "
            "FAMILY:N:KEY=VALUE,KEY=VALUE\n");
  EXPECT_EQ(complaint("poisson2d:4::"),
            "ostinato: poisson2d:4::: a comma, not a colon, parts options: FAMILY:N:KEY=VALUE,KEY=VALUE\n");
  EXPECT_EQ(complaint("poisson2d:4:"), "ostinato: poisson2d:4: names no option; leave the last colon out\n");
  EXPECT_EQ(complaint("anisotropic:4:anisotropy=1,anisotropy=2"),
            "ostinato: anisotropic:4:anisotropy=1,anisotropy=2: anisotropy is given twice\n");
}

// Constants solve A x = 0 there, so that b is made from other numbers.
TEST_F(CliGenerated, SolvesOnPeriodicGrids) {
  for (const char* name : {"poisson2d:64:periodic", "poisson3d:17:periodic", "anisotropic:40:anisotropy=0.1,periodic",
                           "variable2d:50:periodic,seed=3", "variable3d:20:periodic"}) {
    ASSERT_EQ(run(std::string("solve ") + name + " --precond multigrid --quiet --json report.json --device cpu").code,
              0)
        << name;
    EXPECT_EQ(report()["right_hand_side"], "b = A * (sin 1, sin 2, ...), as A * ones is 0");
    EXPECT_TRUE(report()["error"].is_null());
    EXPECT_GT(report()["iterations"], 3);
    EXPECT_LE(report()["iterations"], 13) << name;
  }
}

TEST_F(CliGenerated, TellsWhereThePointsAre) {
  const std::string precond =
      " --precond multigrid:kind=aggregation --quiet --json report.json --device cpu --coordinates ";
  ASSERT_EQ(run("solve elasticity3d:6" + precond + "elasticity3d:6").code, 0);
  const auto iterations = report()["iterations"];
  EXPECT_LE(iterations, 16);
  ASSERT_EQ(run("solve elasticity3d:6 --quiet --json report.json --device cpu --coordinates elasticity3d:6").code, 0);
  EXPECT_EQ(report()["preconditioner"], "multigrid") << "which auto takes for points";
  EXPECT_EQ(report()["iterations"], iterations);
  ASSERT_EQ(run("generate elasticity3d 5 q.mtx --coordinates other.npy").code, 0);
  for (const char* matrix : {"elasticity3d:6", "poisson2d:20"}) {
    const Outcome other = run("solve " + std::string(matrix) + " --device cpu --coordinates other.npy");
    EXPECT_EQ(other.code, 3) << matrix;
    EXPECT_NE(other.err.find("other.npy: auto: there are coordinates of "), std::string::npos) << other.err;
  }
  std::string ring = "%%MatrixMarket matrix coordinate real general\n882 882 882\n";  // without a diagonal
  for (int i = 1; i <= 882; ++i) ring += std::to_string(i) + " " + std::to_string(i % 882 + 1) + " 2\n";
  write("r.mtx", ring);
  EXPECT_EQ(run("generate elasticity3d 6 e.mtx --coordinates points.npy").code, 0);
  const Outcome random = run("solve r.mtx --device cpu --quiet --json report.json --coordinates points.npy");
  EXPECT_EQ(random.code, 0) << "auto goes on with something else: " << random.err;
  EXPECT_NE(report()["reasons"]["preconditioner"].get<std::string>().find("coordinates of the points aren't used"),
            std::string::npos);
  for (const std::string points : {"points.npy", "points.mtx"}) {
    ASSERT_EQ(run("generate elasticity3d 6 e.mtx --coordinates " + points).code, 0) << points;
    ASSERT_EQ(run("solve e.mtx" + precond + points).code, 0) << points;
    EXPECT_EQ(report()["iterations"], iterations) << points;
  }

  const Outcome text = run("generate elasticity3d 6 f.mtx --coordinates points.txt");
  EXPECT_EQ(text.code, 3);
  EXPECT_NE(text.err.find("points.txt: a table is written as .mtx or .npy"), std::string::npos) << text.err;
  for (const char* arguments :
       {"generate poisson3d 4 f.mtx --coordinates points.npy",
        "solve elasticity3d:4 --precond multigrid:kind=aggregation --coordinates poisson3d:4"}) {
    const Outcome none = run(arguments);
    EXPECT_EQ(none.code, 2) << arguments;
    EXPECT_EQ(none.err, "ostinato: poisson3d has no coordinates; elasticity3d has\n");
  }
  EXPECT_FALSE(std::filesystem::exists("f.mtx"));
}

TEST_F(CliGenerated, PrefersAFile) {
  generate("poisson2d 3 p.mtx");
  std::filesystem::rename(path("p.mtx"), path("poisson2d:4"));
  ASSERT_EQ(run("solve poisson2d:4 --quiet --json report.json").code, 0);
  EXPECT_EQ(report()["rows"], 9);
  const Outcome missing = run("solve folder:x/poisson.mtx");
  EXPECT_EQ(missing.code, 3);
  EXPECT_NE(missing.err.find("No such file"), std::string::npos) << missing.err;
}

}  // namespace ostinato::cli_tests
