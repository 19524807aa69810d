// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/select.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <ostinato/spmv/error.hpp>
#include <ostinato/spmv/generate.hpp>
#include <ostinato/spmv/host.hpp>
#include <ostinato/spmv/operator.hpp>

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

/// csr is fast at once, dia twice as fast but slow to build, cmrs would be best but can't hold the matrix.
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
  EXPECT_EQ(choice.candidates[1].verdict, "82 % slower, predicted");
  EXPECT_EQ(choice.candidates[2].name, "cmrs");
  EXPECT_EQ(choice.candidates[2].verdict, "rows are too long");
  EXPECT_FALSE(choice.reason.empty());
}

TEST(Selection, TrustsTheClockMoreThanTheModel) {
  std::vector<Candidate> candidates = three();
  candidates[0].measured_seconds = 1e-4;
  candidates[1].measured_seconds = 5e-4;

  const Choice choice = choose(candidates, products(1000));

  EXPECT_EQ(choice.format, "csr");
  EXPECT_EQ(choice.candidates[1].verdict, "6.0 times slower, measured");
}

TEST(Selection, DoesAsItIsTold) {
  const Choice choice = choose(three(), {.format = "csr", .expected_products = 1000});

  EXPECT_EQ(choice.format, "csr");
  EXPECT_EQ(choice.reason, "asked for");
  EXPECT_EQ(choice.candidates[0].verdict, "chosen");
}

TEST(Selection, DoesNotCallABetterFormatSlower) {
  const Choice choice = choose(three(), {.format = "csr", .expected_products = 1000});

  EXPECT_EQ(choice.candidates[1].name, "dia");
  EXPECT_EQ(choice.candidates[1].verdict, "45 % faster, predicted");
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

  const Operator stencil(host, generate<double>("poisson2d", {.n = 200}));
  const Operator random(host, generate<double>("random", {.n = 20000}));

  EXPECT_NE(stencil.format(), "csr");
  EXPECT_NE(random.format(), "dia");
}

TEST(Selection, MeasuresEveryFormatNearTheBest) {
  const Host host;

  const Operator a(host, generate<double>("poisson2d", {.n = 50}), {.tune = Tune::measure});

  const std::vector<Candidate>& all = a.choice().candidates;
  EXPECT_EQ(all[0].name, a.format());
  EXPECT_GT(all[0].measured_seconds, 0);
  EXPECT_EQ(all.size(), format_infos.size());
}

}  // namespace
}  // namespace ostinato::test
