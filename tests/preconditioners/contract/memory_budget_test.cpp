// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/contract/memory_budget.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include <ostinato/preconditioners/ilu/complete_entries.hpp>
#include <ostinato/preconditioners/ilu/ilut.hpp>
#include <ostinato/preconditioners/multigrid/multigrid.hpp>
#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/units.hpp>
#include <ostinato/spmv/matrix/generate.hpp>
#include <ostinato/strategy/any_preconditioner.hpp>

#include "support/preconditioning.hpp"
#include "support/shared_matrices.hpp"
#include "support/solving.hpp"

// The memory of every preconditioner: what is predicted before it is made, and limits.

namespace ostinato::test {
namespace {

/// With the options that change their size.
const std::vector<std::string> every_one = {"jacobi",
                                            "block-jacobi",
                                            "block-jacobi:block=7",
                                            "spai0",
                                            "ssor",
                                            "ssor:order=natural",
                                            "ssor:sweep=forward",
                                            "chebyshev",
                                            "fsai",
                                            "fsai:pattern=a2",
                                            "fsai:pattern=adaptive",
                                            "multigrid",
                                            "multigrid:sweeps=2",
                                            "multigrid:kind=classical",
                                            "multigrid:kind=classical,reuse=interpolation",
                                            "multigrid:kind=classical,aggressive=1",
                                            "multigrid:kind=aggregation",
                                            "ilu0",
                                            "ilu0:match=yes",
                                            "iluk",
                                            "iluk:level=3,order=natural",
                                            "ilut",
                                            "ilut:fill=2",
                                            "lu",
                                            "cholesky",
                                            "cholesky:order=rcm,precision=float",
                                            "ic0",
                                            "ict",
                                            "ict:precision=float",
                                            "ict:fill=1.5"};

/// Checks the bytes of a preconditioner against what was predicted, as far as the prediction claims. A few kB are the
/// difference of cache lines and of arrays of one element.
void expect_as_predicted(std::size_t bytes, const std::optional<MemoryPrediction>& prediction) {
  constexpr double little = 2048, inverse_of_coarsest = 180e3;
  ASSERT_TRUE(prediction.has_value());
  const auto measured = static_cast<double>(bytes), predicted = static_cast<double>(prediction->bytes);
  switch (prediction->certainty) {
    case Certainty::close:
      EXPECT_NEAR(measured, predicted, 0.1 * measured + little);
      break;
    case Certainty::at_most:
      EXPECT_LE(measured, predicted + little);
      break;
    case Certainty::at_least:
      EXPECT_GE(measured, predicted - little);
      break;
    case Certainty::rough:
      EXPECT_GE(measured, predicted / 4 - inverse_of_coarsest);
      EXPECT_LE(measured, predicted * 4 + inverse_of_coarsest);
      break;
  }
}

template <class Case>
class MemoryOn : public SpaceTest<Case> {
 protected:
  using Value = typename Case::T;
  using ByName = AnyPreconditioner<typename Case::Space, Value>;
  using Analysed = Analysis<typename Case::Space, Value>;

  std::vector<Csr<Value>> matrices() const {
    const auto made = [](std::string_view family, Index n) { return generate<Value>(family, {.n = n}); };
    return {made("poisson2d", 60), made("poisson3d", 18), made("variable3d", 16), made("anisotropic", 50),
            made("mesh2d", 40),    made("mesh3d", 10),    made("banded", 3000),   made("convection-diffusion2d", 50)};
  }
};

TYPED_TEST_SUITE(MemoryOn, EverySpace, SpaceNames);

/// What a part of a preconditioner takes is added to what the others keep.
TEST(MemoryBudget, OfAPartCountsTheOthers) {
  const MemoryBudget whole(Host(), "multigrid", 2000, 100), part = whole.beside(1500);
  EXPECT_NO_THROW(part.announce({400}));
  EXPECT_NO_THROW(part.confirm(400));
  EXPECT_EQ(part.most(), 400);
  const std::string message = message_of<MemoryLimitError>([&] { part.announce({401}); });
  EXPECT_NE(message.find("takes 1.90 kB"), std::string::npos) << message;
  EXPECT_THROW(part.confirm(401), MemoryLimitError);
  EXPECT_NO_THROW(whole.announce({1900}));
}

TYPED_TEST(MemoryOn, IsAsPredictedSlow) {
  int made = 0;
  for (const auto& a : this->matrices()) {
    const typename TestFixture::Analysed analysis(this->space(), a);
    for (const std::string& name : every_one) {
      SCOPED_TRACE(name + ", " + std::to_string(a.rows) + " rows, " + std::to_string(a.nonzeros()) + " entries");
      try {
        const typename TestFixture::ByName m(analysis, name);
        expect_as_predicted(m.bytes(), m.prediction());
        ++made;
      } catch (const ArgumentError&) {  // not for this matrix
      }
    }
  }
  EXPECT_GT(made, 150);
}

TYPED_TEST(MemoryOn, OfEachIsPredictedWithoutMakingIt) {
  int compared = 0;
  for (const auto& a : this->matrices()) {
    const typename TestFixture::Analysed analysis(this->space(), a);
    const std::vector<PreconditionerMemory> all = predict_memory(analysis);
    EXPECT_EQ(all.size() + 1, preconditioner_infos().size()) << "without none";
    for (const PreconditionerMemory& p : all) {
      SCOPED_TRACE(std::string(p.name) + ", " + std::to_string(a.rows) + " rows");
      if (!p.memory) continue;
      EXPECT_EQ(p.why_not, "");
      try {
        expect_as_predicted(typename TestFixture::ByName(analysis, p.name).bytes(), p.memory);
        ++compared;
      } catch (const ArgumentError&) {  // what its constructor refuses
      }
    }
  }
  EXPECT_GE(compared, 60);
}

TYPED_TEST(MemoryOn, IsWithinALimitOrRefusedSlow) {
  for (const auto& a : {generate<typename TypeParam::T>("poisson3d", {.n = 18}),
                        generate<typename TypeParam::T>("mesh2d", {.n = 50})}) {
    const typename TestFixture::Analysed analysis(this->space(), a);
    for (const std::string& name : every_one) {
      SCOPED_TRACE(name);
      std::size_t whole = 0;
      try {
        whole = typename TestFixture::ByName(analysis, name).bytes();
      } catch (const ArgumentError&) {
        continue;
      }
      for (const double share : {0.3, 0.7, 0.97}) {
        const auto limit = static_cast<std::size_t>(share * static_cast<double>(whole));
        try {
          EXPECT_LE(typename TestFixture::ByName(analysis, name, {}, limit).bytes(), limit);
        } catch (const MemoryLimitError& e) {
          const std::string what = e.what(), kind = name.substr(0, name.find(':'));
          EXPECT_EQ(what.find(kind + ": takes"), 0u) << what;
          EXPECT_NE(what.find("the limit is " + bytes_text(static_cast<double>(limit)) + "; raise the limit"),
                    std::string::npos)
              << what;
        }
      }
      EXPECT_EQ(typename TestFixture::ByName(analysis, name, {}, 2 * whole + 4096).bytes(), whole);
    }
  }
}

TYPED_TEST(MemoryOn, StaysWithinTheLimitWithNewValues) {
  using T = typename TypeParam::T;
  const Csr<T> a = generate<T>("variable2d", {.n = 40});
  const Analysis<typename TypeParam::Space, T> analysis(this->space(), a);
  for (const char* name : {"ilut", "ict"}) {
    const auto whole = static_cast<double>(typename TestFixture::ByName(analysis, name).bytes());
    const auto limit = static_cast<std::size_t>(0.6 * whole);
    typename TestFixture::ByName m(analysis, name, {}, limit);
    EXPECT_LE(m.bytes(), limit) << name;
    m.update_values(analysis);
    EXPECT_LE(m.bytes(), limit) << name;
  }
}

TYPED_TEST(MemoryOn, OfAutoTakesASimplerOneThatFits) {
  using T = typename TypeParam::T;
  const auto a = generate<T>("variable2d", {.n = 200});
  const typename TestFixture::Analysed analysis(this->space(), a);
  using Named = typename TestFixture::ByName;
  ASSERT_EQ(Named(analysis).name(), "multigrid") << "or the case shows nothing";
  const Named simple(analysis, "auto", {}, 40000 * sizeof(T));
  EXPECT_EQ(simple.name(), "jacobi");
  EXPECT_NE(simple.reason().find("multigrid: takes"), std::string::npos) << simple.reason();
  EXPECT_LE(simple.bytes(), 40000 * sizeof(T));
  const Named none(analysis, "auto", {}, 1000);
  EXPECT_EQ(none.name(), "none");
  EXPECT_NE(none.reason().find("jacobi: takes"), std::string::npos) << none.reason();
  // A fallback that doesn't fit beside multigrid is left out.
  const std::size_t both = Named(analysis).bytes();
  const Named alone(analysis, "auto", {}, both - 1);
  EXPECT_EQ(alone.name(), "multigrid");
  EXPECT_EQ(alone.fallback(), nullptr);
}

TYPED_TEST(MemoryOn, OfALadderIsThatOfAllItsRungs) {
  using T = typename TypeParam::T;
  const auto a = generate<T>("convection-diffusion2d", {.n = 40, .renumbered = true});
  const typename TestFixture::Analysed analysis(this->space(), a);
  using Named = typename TestFixture::ByName;
  for (const std::size_t limit : {std::size_t{20000}, std::size_t{300000}, std::size_t{1000000}}) {
    SCOPED_TRACE(limit);
    const Named first(analysis, "auto", {}, 500000);
    std::size_t all = first.bytes();
    std::vector<Refusal> refused;
    int rungs = 0;
    for (const Named* m = &first; (m = m->stronger({.mem_limit = limit}, refused)) != nullptr; ++rungs)
      all += m->bytes();
    EXPECT_LE(all, std::min(limit, std::size_t{500000}));
    EXPECT_EQ(rungs == 0, limit == 20000) << text_of(refused);
    ASSERT_FALSE(refused.empty());
    EXPECT_EQ(refused.back().why, Refusal::Why::memory) << text_of(refused);
  }
}

TYPED_TEST(MemoryOn, OfClassicalMultigridIsLessWithAggressiveCoarsening) {
  using T = typename TypeParam::T;
  const auto a = generate<T>("mesh3d", {.n = 14});
  const typename TestFixture::Analysed analysis(this->space(), a);
  using Named = typename TestFixture::ByName;
  const Named usual(analysis, "multigrid:kind=classical"), least(analysis, "multigrid:kind=classical,aggressive=1");
  ASSERT_LT(least.bytes(), usual.bytes());
  const Named within(analysis, "multigrid:kind=classical", {}, usual.bytes() - 1000);
  EXPECT_EQ(within.bytes(), least.bytes());
  EXPECT_NE(within.remarks().find("coarsened aggressively to fit into memory"), std::string::npos) << within.remarks();
  EXPECT_THROW(Named(analysis, "multigrid:kind=classical", {}, least.bytes() / 2), MemoryLimitError);
}

TYPED_TEST(MemoryOn, OfMultigridOnAStencilIsAsPredicted) {
  using T = typename TypeParam::T;
  using Home = typename TypeParam::Space;
  for (const char* family : {"poisson2d", "poisson3d", "anisotropic", "convection-diffusion3d"}) {
    for (const auto& [n, periodic] : {std::pair{40, false}, {40, true}, {47, false}}) {
      SCOPED_TRACE(testing::Message() << family << " " << n);
      if (periodic && std::string(family) == "anisotropic") continue;
      const StencilOperator<Home, T> a(this->space(), *generate_stencil(family, {.n = n, .periodic = periodic}));
      for (const int sweeps : {1, 2}) {
        const MemoryBudget memory(this->space(), "multigrid");
        const Multigrid<Home, T> m(a, {.sweeps = sweeps}, memory);
        expect_as_predicted(m.bytes(), memory.prediction());
        EXPECT_EQ(memory.prediction()->certainty, Certainty::close);
        const MemoryBudget half(this->space(), "multigrid", m.bytes() / 2);
        EXPECT_THROW((Multigrid<Home, T>(a, {.sweeps = sweeps}, half)), MemoryLimitError);
      }
    }
  }
}

TYPED_TEST(MemoryOn, IsRefusedWhereItIsNotFree) {
  const MemoryBudget budget(this->space(), "fsai");
  const std::size_t free = this->space().free_bytes();
  ASSERT_GT(free, std::size_t{1} << 25) << "or there is too little memory for the case";
  budget.announce({free / 2});
  EXPECT_NO_THROW(budget.announce({10 * free, Certainty::at_most}));
  EXPECT_NO_THROW(budget.announce({10 * free, Certainty::rough}));
  try {
    budget.announce({10 * free, Certainty::at_least});
    FAIL() << "nothing was refused";
  } catch (const MemoryLimitError& e) {
    EXPECT_NE(std::string(e.what()).find(" are free; use preconditioner jacobi"), std::string::npos) << e.what();
  }
}

TEST(MemoryBudget, TellsTheFirstPredictionUnlessACloseOneFollows) {
  const MemoryBudget budget(Host(), "lu", 1000, 100);
  EXPECT_FALSE(budget.prediction());
  budget.announce({2000, Certainty::rough});
  EXPECT_EQ(budget.prediction()->bytes, 2000u);
  budget.announce({200, Certainty::at_least});
  EXPECT_EQ(budget.prediction()->bytes, 2000u);
  budget.announce({900});
  EXPECT_EQ(budget.prediction()->bytes, 900u);
  EXPECT_EQ(in_words(*budget.prediction()), "900 B");
  budget.announce({800});
  EXPECT_EQ(budget.prediction()->bytes, 900u);
  EXPECT_EQ(budget.most(), 900u);
  EXPECT_NO_THROW(budget.confirm(900));
  try {
    budget.confirm(901);
    FAIL() << "nothing was refused";
  } catch (const MemoryLimitError& e) {
    EXPECT_STREQ(e.what(),
                 "lu: takes 901 B of memory, and the limit is 1.00 kB, of which 100 B are taken; raise the limit, or "
                 "use preconditioner jacobi");
  }
}

TEST(MemoryBudget, LeavesAtLeastAByteOfALimit) {
  EXPECT_EQ(memory_left(0, 5), 0u) << "no limit";
  EXPECT_EQ(memory_left(7, 5), 2u);
  EXPECT_EQ(memory_left(5, 7), 1u) << "0 would be no limit";
}

TEST(CompleteEntries, AreThoseOfTheFactors) {
  const auto count = [](const Csr<double>& a) { return count_complete_entries(a.view(), a.nonzeros() * a.rows); };
  for (const char* family : {"poisson2d", "variable2d"}) {
    const auto a = generate<double>(family, {.n = 30});
    const Factors f = factor_ilut(a.view(), {.drop = 0, .fill = HUGE_VAL, .pivot = 0});
    EXPECT_EQ(count(a).count, f.nonzeros());
    EXPECT_TRUE(count(a).is_sure);
  }
  // An arrow that points up fills in, one that points down doesn't.
  const auto arrow = [](bool up) {
    Csr<double> a{50, 50, Array<Offset>(1, 0), {}, {}};
    const Index tip = up ? 0 : 49;
    for (Index i = 0; i < 50; ++i) {
      for (Index j = 0; j < 50; ++j) {
        if (i == j || i == tip || j == tip) a.col.push_back(j), a.val.push_back(i == j ? 100 : 1);
      }
      a.row_ptr.push_back(static_cast<Offset>(a.col.size()));
    }
    return a;
  };
  EXPECT_EQ(count(arrow(true)).count, 50 * 50);
  EXPECT_EQ(count(arrow(false)).count, 50 + 2 * 49);
  EXPECT_GT(count_complete_entries(arrow(true).view(), 100).count, 100) << "counting may end there";
}

TEST(CompleteEntries, AreNotSureWhereThePatternIsNotSymmetric) {
  const Csr<double> lower{3, 3, {0, 1, 3, 5}, {0, 0, 1, 1, 2}, {1, 1, 1, 1, 1}};
  EXPECT_FALSE(count_complete_entries(lower.view(), 100).is_sure);
  const Csr<double> zero{2, 2, {0, 2, 4}, {0, 1, 0, 1}, {1, 0, 0, 1}};
  EXPECT_FALSE(count_complete_entries(zero.view(), 100).is_sure);
}

class MemoryOfRealMatrix : public testing::TestWithParam<SharedMatrixEntry> {};

TEST_P(MemoryOfRealMatrix, IsAsPredictedSharedMatrices) {
  const auto a = read<double>(GetParam());
  const Analysis<Host, double> analysis(Host(), a);
  for (const std::string& name : every_one) {
    SCOPED_TRACE(name);
    try {
      const AnyPreconditioner<Host, double> m(analysis, name);
      expect_as_predicted(m.bytes(), m.prediction());
    } catch (const ArgumentError&) {  // not for this matrix
    }
  }
}

INSTANTIATE_TEST_SUITE_P(SharedMatrices, MemoryOfRealMatrix,
                         testing::ValuesIn(shared_matrices([](const SharedMatrixEntry& e) {
                           return e.square() && e.rows > 200 && e.entries < 30000;
                         })),
                         [](const auto& p) { return test_name(p.param); });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(MemoryOfRealMatrix);

}  // namespace
}  // namespace ostinato::test
