// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include <ostinato/spmv/analysis/analysis.hpp>
#include <ostinato/spmv/selection/search_engine.hpp>

#include "../../cli/bench_paper.hpp"
#include "cli/program.hpp"

// The tables of the papers: their stand-ins, and the command that runs them.

namespace ostinato::cli_tests {
namespace {

using CliPapers = Cli;
using cli::Paper;
using cli::PaperMatrix;

std::size_t diagonals_of(const Csr<double>& a) {
  std::set<Index> offsets;
  for (Index i = 0; i < a.rows; ++i) {
    for (Offset k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) offsets.insert(a.col[k] - i);
  }
  return offsets.size();
}

void expect_close(double value, double wanted) { EXPECT_NEAR(value, wanted, 0.1 * wanted); }

TEST(Papers, StandInsHaveRowsNonzerosAndDiagonalsOfThePaper) {
  for (const Paper& paper : cli::papers()) {
    if (paper.name == "crs-kepler") continue;  // has those of yaspmv
    for (const PaperMatrix& given : paper.matrices) {
      SCOPED_TRACE(std::string(paper.name) + " " + std::string(given.name));
      const PaperMatrix m = cli::scaled(given, std::min(1.0, 1e6 / static_cast<double>(given.nonzeros)));
      const Csr<double> a = cli::make_stand_in<double>(m);
      ostinato::check(a.view());
      EXPECT_TRUE(is_canonical(a.view()));
      expect_close(a.rows, m.rows);
      EXPECT_EQ(a.cols, m.cols > 0 ? m.cols : a.rows);
      expect_close(static_cast<double>(a.nonzeros()), static_cast<double>(m.nonzeros));
      if (m.stand_in.kind == cli::StandIn::Kind::diagonals)
        expect_close(static_cast<double>(diagonals_of(a)), std::min(m.stand_in.diagonals, 2 * a.rows - 1));
    }
  }
}

TEST(Papers, StandInsOfDiagonalsHaveTypeAndPaddingOfThePaper) {
  for (const PaperMatrix& m : cli::papers()[0].matrices) {
    if (m.nonzeros > 4'000'000 || m.name == "kim1") continue;  // kim1's has 28 % less padding
    SCOPED_TRACE(std::string(m.name));
    const Csr<double> a = cli::make_stand_in<double>(m);
    const Analysis<Host, double> analysis(Host(), a.view(), AnalysisDepth::full);
    const auto census = analysis.structure().census;
    ASSERT_NE(census, nullptr);
    EXPECT_EQ(search(*census).format, "brcsd-ii") << "Table 4";
    expect_close(static_cast<double>(padded_zeros(*census, "brcsd-ii")), static_cast<double>(m.stand_in.padded));
  }
}

TEST(Papers, ScaleOfOneIsThePapersMatrix) {
  for (const PaperMatrix& m : cli::papers()[0].matrices) {
    const PaperMatrix same = cli::scaled(m, 1);
    EXPECT_EQ(same.rows, m.rows);
    EXPECT_EQ(same.nonzeros, m.nonzeros);
    EXPECT_EQ(same.stand_in.n, m.stand_in.n);
  }
}

TEST(Papers, AClaimHoldsWhereTheFormatIsAheadOrLosesNoMoreThanInThePaper) {
  EXPECT_TRUE((cli::PaperRatio{1.5, 1.0, {}}.holds()));
  EXPECT_TRUE((cli::PaperRatio{1.5, 0.98, {}}.holds()));
  EXPECT_FALSE((cli::PaperRatio{1.5, 0.9, {}}.holds()));
  EXPECT_TRUE((cli::PaperRatio{0.8, 0.79, {}}.holds()));
  EXPECT_FALSE((cli::PaperRatio{0.8, 0.7, {}}.holds()));
  EXPECT_TRUE((cli::PaperRatio{0, 0.5, {}}.holds())) << "no claim";
}

TEST(Papers, MeansAreOverTheMatricesThatThePaperHasFiguresOf) {
  Paper paper;
  paper.baselines = {{"a", "ell"}, {"b", "ell", 1.5}};
  cli::PaperReport report;
  report.paper = &paper;
  const double figures[][2] = {{2, 1}, {8, 4}, {0, 0.25}};
  for (const auto& [of_paper, here] : figures) {
    const cli::PaperRatio ratio{of_paper, here, {}};
    report.lines.emplace_back().ratios = {ratio, ratio};
  }

  const cli::PaperMean singles = mean_of(report, 0), of_text = mean_of(report, 1);

  EXPECT_DOUBLE_EQ(singles.paper, 4);
  EXPECT_DOUBLE_EQ(singles.here, 2);
  EXPECT_EQ(singles.faster, 2);
  EXPECT_EQ(singles.timed, 3);
  EXPECT_EQ(singles.matrices, 2);
  EXPECT_NEAR(singles.all, 1, 1e-15);
  EXPECT_EQ(singles.held, 2);
  EXPECT_EQ(singles.claims, 2);
  EXPECT_EQ(of_text.paper, 1.5);
  EXPECT_NEAR(of_text.here, 1, 1e-15);
  EXPECT_EQ(of_text.matrices, 3);
  EXPECT_EQ(of_text.claims, 3) << "two matrices, and the mean";
}

TEST_F(CliPapers, EachTableHasItsMatricesAndBaselines) {
  for (const Paper& paper : cli::papers()) {
    SCOPED_TRACE(std::string(paper.name));
    const Outcome r =
        run("bench --scale 0.0001 --repetitions 1 --device cpu --json report.json --paper " + std::string(paper.name));
    ASSERT_EQ(r.code, 0) << r.out << r.err;
    const Json j = report();
    EXPECT_EQ(j["paper"], paper.name);
    EXPECT_EQ(j["precision"], paper.precision);
    ASSERT_EQ(j["matrices"].size(), paper.matrices.size());
    for (const Json& line : j["matrices"]) {
      EXPECT_EQ(line["from"], "stand-in");
      EXPECT_GT(line["gflops"]["here"], 0) << line;
      EXPECT_EQ(line["ratios"].size(), paper.baselines.size());
      const bool is_of_bytes = paper.name == "yaspmv";
      EXPECT_TRUE(!is_of_bytes || line["ratios"]["coo's bytes"]["here"] > 1.2) << line;
    }
    for (const char* phrase : {"stand-in", "GFLOP/s", "claims hold", "scale"}) {
      EXPECT_NE(r.out.find(phrase), std::string::npos) << phrase << r.out;
    }
  }
}

TEST_F(CliPapers, MatricesOfAFolderReplaceStandIns) {
  generate("banded 26064 wang3.mtx.gz --bandwidth 3 --broken 0 --scatter 0");

  const Outcome r =
      run("bench --paper dia-adaptive --matrices . --scale 0.0001 --repetitions 1 --device cpu --json report.json");

  ASSERT_EQ(r.code, 0) << r.err;
  std::map<std::string, Json> lines;
  const Json j = report();
  for (const Json& line : j["matrices"]) lines[line["matrix"]] = line;
  EXPECT_EQ(lines["wang3"]["from"], "file");
  EXPECT_EQ(lines["wang3"]["nonzeros"], 7 * 26064 - 12);
  EXPECT_EQ(lines["wang3"]["ratios"]["dia"]["paper"], 2.43);
  EXPECT_EQ(lines["kim2"]["from"], "stand-in");
  EXPECT_EQ(j["ignored"].size(), 0u);
}

TEST_F(CliPapers, FilesOfOtherMatricesGiveStandInsAndANote) {
  generate("poisson2d 7 wang3.mtx");
  write("wang4.mtx", "no matrix\n");

  const Outcome r =
      run("bench --paper dia-adaptive --matrices . --scale 0.0001 --repetitions 1 --device cpu --json report.json");

  ASSERT_EQ(r.code, 0) << r.err;
  const Json j = report();
  for (const Json& line : j["matrices"]) EXPECT_EQ(line["from"], "stand-in") << line;
  ASSERT_EQ(j["ignored"].size(), 2u);
  EXPECT_NE(r.out.find("wang3.mtx has 49 rows"), std::string::npos) << r.out;
}

TEST_F(CliPapers, OptionsThatDontFitAreRefused) {
  expect_complaint(run("bench --paper sell"), 2, "known: dia-adaptive, cmrs, yaspmv, crs-kepler");
  expect_complaint(run("bench --paper cmrs --matrices nowhere"), 2, "there is no folder nowhere");
  for (const char* scale : {"0", "1.5"}) {
    expect_complaint(run(std::string("bench --paper cmrs --scale ") + scale), 2, "--scale: over 0, and at most 1");
  }
  expect_complaint(run("bench --paper cmrs poisson2d:8"), 2, "--paper takes no matrix");
  expect_complaint(run("bench poisson2d:8 --scale 0.5"), 2, "--matrices and --scale go with --paper");
  expect_complaint(run("bench --paper cmrs --format csr"), 2, "leave --format, --tune, --html and --all out");
  expect_complaint(run("bench --paper cmrs --precision single"), 2, "double precision, as the paper");
  expect_complaint(run("bench"), 2, "matrix is required");
}

}  // namespace
}  // namespace ostinato::cli_tests
