// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/selection/choice.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <ostinato/spmv/analysis/analysis.hpp>
#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/formats/list.hpp>
#include <ostinato/spmv/matrix/generate.hpp>
#include <ostinato/spmv/operator.hpp>
#include <ostinato/spmv/space/host.hpp>

#include "support/matrices.hpp"
#include "support/reference.hpp"

namespace ostinato::test {
namespace {

Candidate candidate(std::string name, double seconds, double setup = 0, std::string reason_not = "") {
  Candidate c;
  c.name = std::move(name);
  c.cost.seconds = seconds;
  c.cost.setup_seconds = setup;
  c.cost.reason_not = std::move(reason_not);
  return c;
}

/// csr needs no set-up; dia is twice as fast but takes 0.1 s to build; cmrs would be fastest but can't hold the matrix.
std::vector<Candidate> three() {
  return {candidate("csr", 2e-3), candidate("dia", 1e-3, 0.1), candidate("cmrs", 1e-4, 0, "rows are too long")};
}

FormatOptions products(double count) { return {.expected_products = count}; }

TEST(Selection, SpreadsTheSetUpOverTheProducts) {
  const Choice few = choose(three(), products(10)), many = choose(three(), products(1000));

  EXPECT_EQ(few.format, "csr");
  EXPECT_EQ(many.format, "dia");
  EXPECT_DOUBLE_EQ(many.candidates[0].total_seconds, 0.1 + 1000 * 1e-3);
}

TEST(Selection, RanksByTimeAndPutsLastWhatDoesNotApply) {
  const Choice choice = choose(three(), products(1000));

  ASSERT_EQ(choice.candidates.size(), 3u);
  EXPECT_EQ(choice.candidates[0].name, "dia");
  EXPECT_EQ(choice.candidates[0].verdict, "chosen");
  EXPECT_EQ(choice.candidates[1].name, "csr");
  EXPECT_EQ(choice.candidates[1].verdict, "82 % dearer over 1,000 products, predicted");
  EXPECT_EQ(choice.candidates[2].name, "cmrs");
  EXPECT_EQ(choice.candidates[2].verdict, "rows are too long");
  EXPECT_FALSE(choice.reason.empty());
}

TEST(Selection, TrustsTheClockMoreThanTheModel) {
  std::vector<Candidate> candidates = three();
  candidates[0].measured_seconds = 1e-4;
  candidates[1].measured_seconds = 5e-4;
  candidates[1].measured_setup_seconds = 0.1;

  const Choice choice = choose(candidates, products(1000));

  EXPECT_EQ(choice.format, "csr");
  EXPECT_EQ(choice.candidates[1].verdict, "6.0 times as dear over 1,000 products, measured");
}

TEST(Selection, PutsWhatWasMeasuredBeforeWhatWasPredicted) {
  std::vector<Candidate> candidates = three();
  candidates[0].measured_seconds = 3e-3;

  const Choice choice = choose(candidates, products(1000));

  EXPECT_EQ(choice.format, "csr");
  EXPECT_EQ(choice.candidates[1].name, "dia");
  EXPECT_EQ(choice.candidates[1].verdict, "not measured; predicted about 1.00 ms a product");
}

/// A trial of dia with these parameters.
Candidate trial(std::string parameters, double seconds, std::string reason_not = "") {
  Candidate c = candidate("dia", 1e-3, 0.1, std::move(reason_not));
  c.parameters = std::move(parameters);
  c.measured_seconds = c.measured_setup_seconds = seconds;
  return c;
}

TEST(Selection, TakesTheBestTrialOfAFormat) {
  Trials trials{.candidates = {trial("width=1", 2e-3), trial("width=2", 1e-3), trial("width=4", 0, "out of memory")}};

  const Choice choice = choose(three(), trials, products(1000));

  EXPECT_EQ(choice.format, "dia");
  EXPECT_EQ(choice.parameters, "width=2");
  EXPECT_EQ(choice.candidates.size(), 3u);
  EXPECT_EQ(choice.candidates[0].full_name(), "dia:width=2");
  EXPECT_DOUBLE_EQ(choice.candidates[0].total_seconds, 1.001);
  ASSERT_EQ(choice.trials.candidates.size(), 3u);
  EXPECT_EQ(choice.trials.candidates[0].parameters, "width=2");
  EXPECT_EQ(choice.trials.candidates[2].parameters, "width=4");
  EXPECT_NE(choice.reason.find("among 2 built"), std::string::npos) << choice.reason;
}

TEST(Selection, PassesOverAFormatOfWhichNoTrialWasBuilt) {
  std::vector<Candidate> candidates = three();
  candidates[1].parameters = "width=4";

  const Choice choice = choose(candidates, {.candidates = {trial("width=4", 0, "out of memory")}}, products(1000));

  EXPECT_EQ(choice.format, "csr");
  EXPECT_EQ(choice.candidates[1].verdict, "out of memory");
}

TEST(Selection, SaysWhenTheTimesAreOfAnEarlierRun) {
  const Choice choice = choose(three(), {.candidates = {trial("", 1e-3)}, .before = true}, products(1000));

  EXPECT_EQ(choice.reason.rfind("measured before: 1.00 ms a product", 0), 0u) << choice.reason;
}

TEST(FormatRequest, IsANameWithOrWithoutParameters) {
  const auto text = [](const char* request) {
    const auto [name, parameters] = parse_format(request);
    return name + "|" + parameters;
  };
  EXPECT_EQ(text("csr"), "csr|");
  EXPECT_EQ(text("cmrs:height=8,version=2"), "cmrs|height=8,version=2");
  EXPECT_EQ(text("cmrs:"), "cmrs|");
  EXPECT_THROW(parse_format("auto:height=8"), ArgumentError);
}

TEST(Selection, DoesAsItIsTold) {
  const Choice choice = choose(three(), {.format = "csr", .expected_products = 1000});

  EXPECT_EQ(choice.format, "csr");
  EXPECT_EQ(choice.reason, "asked for");
  EXPECT_EQ(choice.candidates[0].verdict, "chosen");
}

TEST(Selection, SaysWhenTheFormatAskedForIsNotTheFastest) {
  const Choice choice = choose(three(), {.format = "csr", .expected_products = 1000});

  EXPECT_EQ(choice.candidates[1].name, "dia");
  EXPECT_EQ(choice.candidates[1].verdict, "45 % cheaper over 1,000 products, predicted");
}

TEST(Selection, TakesCsrWhenItIsOff) {
  const Choice choice = choose(three(), {.expected_products = 1000, .tune = Tune::off});

  EXPECT_EQ(choice.format, "csr");
}

TEST(Selection, RefusesAForcedFormatThatCannotHoldTheMatrix) {
  const auto text = message_of<ArgumentError>([] { choose(three(), {.format = "cmrs"}); });

  EXPECT_NE(text.find("cmrs"), std::string::npos);
  EXPECT_NE(text.find("rows are too long"), std::string::npos);
}

TEST(Selection, ListsTheKnownFormatsForAnUnknownOne) {
  const auto text = message_of<ArgumentError>([] { choose(three(), {.format = "elll"}); });

  EXPECT_NE(text.find("'elll'"), std::string::npos);
  EXPECT_NE(text.find("auto, "), std::string::npos);
  for (const char* name : {"csr", "dia", "cmrs"}) EXPECT_NE(text.find(name), std::string::npos) << text;
}

TEST(Selection, SaysWhenNothingCanHoldTheMatrix) {
  EXPECT_THROW(choose({}, {}), ArgumentError);
  EXPECT_THROW(choose({candidate("csr", 1, 0, "too large")}, {}), ArgumentError);
}

TEST(Selection, KeepsTheOrderOfEquals) {
  const Choice choice = choose({candidate("a", 1), candidate("b", 1), candidate("c", 1)}, {});

  EXPECT_EQ(choice.format, "a");
  EXPECT_EQ(choice.candidates[2].name, "c");
}

TEST(Selection, PrefersDiagonalsForAStencilAndRowsForAScatteredMatrix) {
  const Host host;
  const std::set<std::string> by_diagonals = {"dia", "brcsd-i", "brcsd-ii"};
  const std::set<std::string> by_rows = {"csr", "sliced-ell"};

  const Operator stencil(host, generate<double>("poisson2d", {.n = 200}));
  const Operator random(host, generate<double>("random", {.n = 20000}));

  EXPECT_TRUE(by_diagonals.contains(stencil.format())) << stencil.format() << ": " << stencil.choice().reason;
  EXPECT_TRUE(by_rows.contains(random.format())) << random.format() << ": " << random.choice().reason;
}

const Candidate& of_name(const Choice& choice, const std::string& name) {
  return *std::find_if(choice.candidates.begin(), choice.candidates.end(),
                       [&](const Candidate& c) { return c.name == name; });
}

TEST(Selection, MeasuresEveryFormatNearTheBestAndNoOther) {
  const Analysis analysis(Host(), generate<double>("poisson2d", {.n = 50}), AnalysisDepth::full);
  const Choice predicted = Operator(analysis).choice();

  const Operator op(analysis, {.tune = Tune::measure, .tune_budget = 100, .tune_again = true});

  const Choice& measured = op.choice();
  EXPECT_EQ(measured.candidates[0].name, op.format());
  EXPECT_EQ(measured.candidates.size(), (format_list<Host, double>().size()));
  const double near = 2 * predicted.candidates[0].total_seconds;
  int how_many = 0;
  for (const Candidate& c : predicted.candidates) {
    const bool is_near = c.cost.applies() && c.total_seconds <= near;
    EXPECT_EQ(of_name(measured, c.name).is_measured(), is_near) << c.name << ": " << c.verdict;
    how_many += is_near;
  }
  EXPECT_GT(how_many, 1);
  EXPECT_LT(how_many, static_cast<int>(predicted.candidates.size()));
  for (const Candidate& c : measured.candidates) {
    if (c.is_measured()) {
      EXPECT_LE(measured.candidates[0].total_seconds, c.total_seconds) << c.name;
    }
  }
}

TEST(Selection, CountsNoDiagonalsForANamedFormatThatNeedsNone) {
  const Csr<double> a = generate<double>("poisson2d", {.n = 50});
  for (const char* format : {"csr", "cmrs", "sliced-ell", "bccoo"}) {
    const Operator op(Host(), a, {.format = format});
    EXPECT_FALSE(op.structure().census) << format;
    EXPECT_EQ(of_name(op.choice(), "dia").verdict, "not planned: for the format asked for, no diagonals were counted");
    EXPECT_EQ(op.choice().candidates.size(), (format_list<Host, double>().size()));
  }
  EXPECT_FALSE(Operator(Host(), a, {.tune = Tune::off}).structure().census);
  for (const char* format : {"dia", "brcsd-ii", "auto"})
    EXPECT_TRUE(Operator(Host(), a, {.format = format}).structure().census) << format;
}

TEST(Selection, IsNotMadeAgainForAChoice) {
  const Analysis analysis(Host(), generate<double>("poisson2d", {.n = 60}));
  const auto x = random_vector<double>(3600, 1);
  for (const char* format : {"auto", "csr", "cmrs:height=4,version=1", "brcsd-ii"}) {
    SCOPED_TRACE(format);
    const FormatOptions options{.format = format, .compress = Compress::on};
    const Operator first(analysis, options);

    const Operator again(analysis, first.choice(), options);

    EXPECT_EQ(again.format(), first.format());
    EXPECT_EQ(again.parameters(), first.parameters());
    EXPECT_EQ(again.bytes(), first.bytes());
    EXPECT_EQ(again.choice().reason, first.choice().reason);
    std::vector<double> y(x.size()), z(x.size());
    first.apply(1, x, 0, y);
    again.apply(1, x, 0, z);
    EXPECT_TRUE(same_bits(y, z));
  }
}

}  // namespace
}  // namespace ostinato::test
