// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/synonyms.hpp>

#include <gtest/gtest.h>

#include <any>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <ostinato/preconditioners/ilu/incomplete_lu.hpp>
#include <ostinato/preconditioners/multigrid/multigrid.hpp>
#include <ostinato/solvers/list.hpp>
#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/matrix/generate.hpp>
#include <ostinato/strategy/any_preconditioner.hpp>
#include <ostinato/strategy/least_squares_preconditioner.hpp>

#include "support/spaces.hpp"

namespace ostinato::test {
namespace {

std::vector<std::string> names_in(const Synonym& s) {
  std::istringstream text{std::string(s.names)};
  std::vector<std::string> names;
  for (std::string name; text >> name;) names.push_back(name);
  return names;
}

bool is_known(NameOf of, const std::string& name) {
  if (of == NameOf::solver) return name == "auto" || find_solver(name) != nullptr;
  if (name == "auto") return true;
  for (const PreconditionerInfo& info : preconditioner_infos())
    if (info.name == name) return true;
  return false;
}

TEST(Synonyms, StandForNamesThatThereAre) {
  for (const Synonym& s : synonyms()) {
    const std::string meaning(s.meaning);
    if (s.of == NameOf::solver) {
      EXPECT_NE(find_solver(meaning), nullptr) << meaning;
    } else {
      EXPECT_NO_THROW(check_preconditioner(meaning)) << meaning;
      EXPECT_TRUE(is_known(s.of, meaning.substr(0, meaning.find(':')))) << meaning;
    }
  }
}

TEST(Synonyms, AreGivenOnceAndHideNoName) {
  std::set<std::pair<NameOf, std::string>> seen;
  for (const Synonym& s : synonyms()) {
    for (const std::string& name : names_in(s)) {
      EXPECT_FALSE(is_known(s.of, name)) << name;
      EXPECT_TRUE(seen.insert({s.of, name}).second) << name;
      EXPECT_EQ(usual_name(s.of, name).name, s.meaning);
      EXPECT_EQ(usual_name(s.of, name).note.substr(0, name.size() + 4), name + " is ");
    }
  }
  EXPECT_GE(seen.size(), 50u);
}

TEST(Synonyms, LeaveOtherNamesAsTheyAre) {
  EXPECT_EQ(usual_name(NameOf::solver, "BiCGStab").name, "bicgstab");
  EXPECT_EQ(usual_name(NameOf::solver, "BiCGStab").note, "");
  EXPECT_EQ(usual_name(NameOf::solver, "no-such").name, "no-such");
  EXPECT_EQ(usual_name(NameOf::solver, "ilu").name, "ilu") << "a preconditioner's";
  EXPECT_EQ(usual_name(NameOf::preconditioner, "ILUT:Drop=1e-3").name, "ilut:drop=1e-3");
  EXPECT_EQ(usual_name(NameOf::preconditioner, "").name, "");
}

TEST(Synonyms, TakeOptionsBehindTheirOwn) {
  EXPECT_EQ(usual_name(NameOf::preconditioner, "ICC:drop=1e-3").name, "ict:drop=1e-3");
  EXPECT_EQ(usual_name(NameOf::preconditioner, "boomeramg:sweeps=2").name, "multigrid:kind=classical,sweeps=2");
  const PreconditionerRequest asked = parse_preconditioner("boomeramg:sweeps=2");
  EXPECT_EQ(asked.name, "multigrid");
  EXPECT_EQ(asked.note, "boomeramg is multigrid:kind=classical here");
  const auto* const options = std::any_cast<MultigridOptions>(&asked.options);
  ASSERT_NE(options, nullptr);
  EXPECT_EQ(options->kind, MultigridKind::classical);
  EXPECT_EQ(options->sweeps, 2);
  EXPECT_THROW(parse_preconditioner("boomeramg:kind=plain"), ArgumentError);
  EXPECT_THROW(parse_preconditioner("icc:"), ArgumentError);
  EXPECT_THROW(parse_preconditioner("iccc"), ArgumentError);
}

TEST(Synonyms, AreInTheTableOfTheDocuments) {
  std::ifstream file(std::string(OSTINATO_EXAMPLES_DIR) + "/../docs/reference/names.md");
  std::ostringstream text;
  text << file.rdbuf();
  for (const Synonym& s : synonyms()) {
    std::string names;
    for (const std::string& name : names_in(s)) names += (names.empty() ? "`" : ", `") + name + "`";
    const std::string row = "| " + names + " | `" + std::string(s.meaning) + "` | " + std::string(s.remark) + " |";
    EXPECT_NE(text.str().find(row), std::string::npos) << row;
  }
}

template <class Case>
class SynonymsOn : public SpaceTest<Case> {};
TYPED_TEST_SUITE(SynonymsOn, EverySpace, SpaceNames);

TYPED_TEST(SynonymsOn, MakePreconditioners) {
  using Space = typename TypeParam::Space;
  using T = typename TypeParam::T;
  const Csr<T> a = generate<T>("poisson2d", {.n = 8});
  const Analysis<Space, T> analysis(this->space(), a);

  const AnyPreconditioner<Space, T> by_text(analysis, "ICC"), by_request(analysis, {"diagonal"}),
      with_options(analysis, {"icc", IctKind::Options{.drop = 0.5}});

  EXPECT_EQ(by_text.name(), "ict");
  EXPECT_NE(by_text.reason().find("icc is ict here"), std::string::npos) << by_text.reason();
  EXPECT_EQ(by_request.name(), "jacobi");
  EXPECT_NE(by_request.reason().find("diagonal is jacobi here"), std::string::npos) << by_request.reason();
  EXPECT_LT(with_options.bytes(), by_text.bytes());
  EXPECT_EQ((LeastSquaresPreconditioner<Space, T>(analysis, "icc").name()), "ict");
}

}  // namespace
}  // namespace ostinato::test
