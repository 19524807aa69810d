// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/operator.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/formats/list.hpp>
#include <ostinato/spmv/matrix/generate.hpp>
#include <ostinato/spmv/selection/select_format.hpp>

#include "support/matrices.hpp"
#include "support/reference.hpp"
#include "support/spaces.hpp"

// What Operator adds to its format. formats/format_conformance_test.cpp tests the formats themselves.

namespace ostinato::test {
namespace {

template <class Case>
class OperatorOn : public SpaceTest<Case> {
 protected:
  using Value = typename Case::T;

  static const FormatList<typename Case::Space, Value>& formats() { return format_list<typename Case::Space, Value>(); }

  template <class Op>
  std::vector<Value> product(const Op& op, const std::vector<Value>& x) const {
    const auto dx = this->put(x);
    auto y = this->put(std::vector<Value>(static_cast<std::size_t>(op.rows()), 7));
    op.apply(Value{1}, dx, Value{0}, y);
    return y.download();
  }
};

TYPED_TEST_SUITE(OperatorOn, EverySpace, SpaceNames);

TYPED_TEST(OperatorOn, TakesCsrWithoutALookAtOtherFormats) {
  using T = typename TypeParam::T;
  using Space = typename TypeParam::Space;
  for (const char* name : {"dense-row", "poisson2d", "random"}) {
    SCOPED_TRACE(name);
    const auto a = generate<T>(name, {.n = 33});
    const Analysis<Space, T> analysis(this->space(), {this->space(), a.view()}, AnalysisDepth::lengths);

    const Operator<Space, T> op(analysis, choose_csr(analysis));

    EXPECT_EQ(op.format(), "csr");
    EXPECT_EQ(op.choice().candidates.size(), 1u);
    const auto x = random_vector<T>(a.cols, 1);
    EXPECT_EQ(difference(this->product(op, x), reference_product<T>(a.view(), T{1}, x, T{0}, {})), "");
  }
}

TYPED_TEST(OperatorOn, AnalysesAMatrixAnewOfWhichOnlyLengthsAreKnown) {
  using T = typename TypeParam::T;
  using Space = typename TypeParam::Space;
  const auto a = generate<T>("poisson2d", {.n = 20});
  const auto x = random_vector<T>(a.cols, 1);
  const auto expected = reference_product<T>(a.view(), T{1}, x, T{0}, {});
  std::vector<std::string> names{"auto"};
  const Operator<Space, T> whole(this->space(), a);
  for (const Candidate& c : whole.choice().candidates) {
    if (c.cost.applies()) names.push_back(c.name);
  }
  EXPECT_GT(names.size(), 8u);
  for (const std::string& name : names) {
    SCOPED_TRACE(name);
    const Analysis<Space, T> analysis(this->space(), {this->space(), a.view()}, AnalysisDepth::lengths);

    const Operator<Space, T> op(analysis, {.format = name, .compress = Compress::on});

    EXPECT_EQ(difference(this->product(op, x), expected), "");
    EXPECT_TRUE(op.structure().symmetric);
  }
}

// The conversion asks for the census, where the choice was made for another operator, which has dropped its plan.
TYPED_TEST(OperatorOn, HasTheStructureThatTheConversionCompleted) {
  using T = typename TypeParam::T;
  using Space = typename TypeParam::Space;
  const auto a = generate<T>("poisson2d", {.n = 40});
  const Operator<Space, T> first(this->space(), a, {.format = "dia"});
  for (const AnalysisDepth depth : {AnalysisDepth::lengths, AnalysisDepth::without_census}) {
    const Analysis<Space, T> analysis(this->space(), {this->space(), a.view()}, depth);

    const Operator<Space, T> op(analysis, first.choice());

    EXPECT_FALSE(op.structure().lengths_only);
    EXPECT_TRUE(op.structure().symmetric);
    EXPECT_NE(op.structure().census, nullptr);
  }
}

TYPED_TEST(OperatorOn, SaysWhatItHoldsAndWhy) {
  const auto a = generate<typename TypeParam::T>("poisson2d", {.n = 40});

  const Operator op(this->space(), a);

  EXPECT_EQ(op.rows(), 1600);
  EXPECT_EQ(op.cols(), 1600);
  EXPECT_EQ(op.structure().nonzeros, a.nonzeros());
  EXPECT_EQ(op.choice().format, op.format());
  EXPECT_EQ(op.choice().candidates.size(), this->formats().size());
  EXPECT_FALSE(op.choice().reason.empty());
  for (const Candidate& c : op.choice().candidates) EXPECT_FALSE(c.verdict.empty()) << c.name;
  EXPECT_GT(op.bytes(), 0u);
}

TYPED_TEST(OperatorOn, MultipliesWhateverItChose) {
  using T = typename TypeParam::T;
  for (const std::string_view family : {"poisson2d", "random", "rmat", "dense-row", "banded", "maxwell2d"}) {
    SCOPED_TRACE(family);
    const auto a = generate<T>(family, {.n = family == "poisson2d" || family == "maxwell2d" ? 30 : 900});
    const auto x = random_vector<T>(a.cols, 1);

    for (const Tune tune : {Tune::off, Tune::model, Tune::measure, Tune::everything}) {
      const FormatOptions options{.tune = tune, .tune_budget = 0.05, .tune_again = true};
      const auto y = this->product(Operator(this->space(), a, options), x);
      EXPECT_EQ(difference(y, reference_product(a.view(), T{1}, x, T{0}, {})), "");
    }
  }
}

TYPED_TEST(OperatorOn, RefusesAMalformedMatrix) {
  using T = typename TypeParam::T;
  Csr<T> outside = dense<T>({{1, 2}, {3, 4}});
  outside.col[1] = 2;
  Csr<T> short_pointers = dense<T>({{1, 2}, {3, 4}});
  short_pointers.row_ptr.pop_back();

  EXPECT_THROW(Operator(this->space(), outside), ArgumentError);
  EXPECT_THROW(Operator(this->space(), short_pointers), ArgumentError);
  EXPECT_THROW(Operator(this->space(), Csr<T>(outside)), ArgumentError);
}

TYPED_TEST(OperatorOn, ListsTheFormatsForAnUnknownOne) {
  using T = typename TypeParam::T;
  const auto a = dense<T>({{1}});

  const auto text = message_of<ArgumentError>([&] { Operator(this->space(), a, {.format = "nonesuch"}); });

  for (const auto& format : this->formats()) EXPECT_NE(text.find(format.name), std::string::npos) << text;
}

TYPED_TEST(OperatorOn, BuildsEachFormatByTheNameThatItGives) {
  using T = typename TypeParam::T;
  const auto a = generate<T>("banded", {.n = 500});
  const auto x = random_vector<T>(a.cols, 2);
  const Operator chosen(this->space(), a);
  for (const Candidate& c : chosen.choice().candidates) {
    if (!c.cost.applies()) continue;
    const Operator op(this->space(), a, {.format = c.full_name()});
    EXPECT_EQ(op.format(), c.name);
    EXPECT_EQ(op.parameters(), c.parameters);
    EXPECT_EQ(difference(this->product(op, x), reference_product(a.view(), T{1}, x, T{0}, {})), "") << c.full_name();
  }
}

TYPED_TEST(OperatorOn, RefusesParametersThatAFormatDoesNotHave) {
  using T = typename TypeParam::T;
  const auto a = dense<T>({{1}});

  const auto text = message_of<ArgumentError>([&] { Operator(this->space(), a, {.format = "csr:height=8"}); });

  EXPECT_EQ(text, "format csr has no parameters");
}

TYPED_TEST(OperatorOn, CompilesNoKernelsForAFormatThatHasNone) {
  using T = typename TypeParam::T;
  const auto a = dense<T>({{1, 2}, {0, 3}});

  const Operator op(this->space(), a, {.format = "csr", .jit = Jit::on});

  EXPECT_EQ(op.generated(), "");
  EXPECT_EQ(op.revision() % 2, 0);
  EXPECT_EQ(this->product(op, {1, 1}), (std::vector<T>{3, 3}));
}

TYPED_TEST(OperatorOn, HasARevisionThatNoOtherHas) {
  using T = typename TypeParam::T;
  const auto a = dense<T>({{1, 2}, {0, 3}});
  Operator op(this->space(), a), other(this->space(), a);
  const int first = op.revision(), second = other.revision();
  EXPECT_NE(first, second);

  op = std::move(other);

  EXPECT_NE(op.revision(), first);
  EXPECT_NE(op.revision(), second);
}

TYPED_TEST(OperatorOn, MeasuresNothingWhereThereAreNoEntries) {
  using T = typename TypeParam::T;
  for (const Index rows : {0, 3}) {
    const Operator op(this->space(), from_triplets<T>(rows, 3, {}), {.tune = Tune::everything});
    EXPECT_TRUE(op.choice().trials.candidates.empty());
  }
}

TYPED_TEST(OperatorOn, RefusesValuesOfAnotherMatrix) {
  using T = typename TypeParam::T;
  Operator op(this->space(), dense<T>({{1, 2}, {0, 3}}));

  EXPECT_THROW(op.update_values(dense<T>({{1, 2}, {4, 3}})), ArgumentError);
  EXPECT_THROW(op.update_values(dense<T>({{1, 2, 0}, {0, 3, 0}})), ArgumentError);
  EXPECT_EQ(this->product(op, {1, 1}), (std::vector<T>{3, 3}));
}

TYPED_TEST(OperatorOn, SaysWhatDiffersInAnotherMatrix) {
  using T = typename TypeParam::T;
  Operator op(this->space(), dense<T>({{1, 2}, {0, 3}}), {.format = "bccoo"});

  const auto text = message_of<ArgumentError>([&] { op.update_values(dense<T>({{1, 2, 0}, {0, 3, 4}})); });

  EXPECT_EQ(
      text,
      "update_values: the operator (bccoo) is 2 x 2 with 3 entries, the new matrix 2 x 3 with 4 entries; build a new "
      "Operator");
}

TYPED_TEST(OperatorOn, TakesOverNoMatrixThatItRefuses) {
  using T = typename TypeParam::T;
  Operator op(this->space(), dense<T>({{1, 2}, {0, 3}}));
  auto larger = dense<T>({{1, 2}, {4, 3}}), malformed = dense<T>({{5, 6}, {0, 7}});
  malformed.col[0] = 2;

  EXPECT_THROW(op.update_values(std::move(larger)), ArgumentError);
  EXPECT_THROW(op.update_values(std::move(malformed)), ArgumentError);

  EXPECT_EQ(larger.val.size(), 4u);
  EXPECT_EQ(malformed.val.size(), 3u);
  EXPECT_EQ(this->product(op, {1, 1}), (std::vector<T>{3, 3}));
}

TYPED_TEST(OperatorOn, CountsTheEntriesOfAnUpdateOnceTheyAreSorted) {
  using T = typename TypeParam::T;
  const Csr<T> twice{2, 2, {0, 3, 4}, {1, 0, 1, 1}, {1, 1, 1, 3}};  // (0, 1) is there twice
  for (const bool moved : {false, true}) {
    Operator op(this->space(), dense<T>({{1, 2}, {0, 3}}));
    if (moved) {
      op.update_values(Csr<T>(twice));
    } else {
      op.update_values(twice);
    }
    EXPECT_EQ(this->product(op, {1, 1}), (std::vector<T>{3, 3}));
  }
}

TYPED_TEST(OperatorOn, NamesTheFormatThatCanNotHoldAnUpdate) {
  using T = typename TypeParam::T;
  constexpr Index n = 2000;
  std::vector<Triplet<T>> diagonal, full_row;
  for (Index i = 0; i < n; ++i) {
    diagonal.push_back({i, i, 2});
    full_row.push_back({0, i, 1});
  }
  Operator op(this->space(), from_triplets<T>(n, n, diagonal), {.format = "dia"});
  const auto other = from_triplets<T>(n, n, full_row);

  const auto text = message_of<ArgumentError>([&] { op.update_values(other); });

  EXPECT_EQ(text,
            "update_values: format dia can't hold this matrix: 2,000 diagonals, more than 1,024; build a new Operator, "
            "which may take another");
  EXPECT_EQ(this->product(op, std::vector<T>(n, 1)), std::vector<T>(n, 2)) << "the operator holds the old matrix";
}

TYPED_TEST(OperatorOn, HoldsTheOldValuesWhereItCanNotHoldTheNewOnes) {
  using T = typename TypeParam::T;
  constexpr Index n = 20000;
  std::vector<Triplet<T>> nearly_empty;  // 401 diagonals: few bytes while each has one value, else too many
  for (Index i = 0; i < n; ++i) nearly_empty.push_back({i, i, 1});
  for (Index d = 1; d <= 400; ++d)
    for (const Index i : {Index{7}, Index{300}, Index{900}}) nearly_empty.push_back({i, i + 37 * d, 1});
  const auto a = from_triplets<T>(n, n, nearly_empty);
  Operator op(this->space(), a, {.format = "dia", .compress = Compress::on});
  auto next = a;
  for (std::size_t k = 0; k < next.val.size(); ++k) next.val[k] = static_cast<T>(1) / static_cast<T>(k + 3);
  const auto x = random_vector<T>(n, 4);

  EXPECT_THROW(op.update_values(next), ArgumentError);
  EXPECT_THROW(op.update_values(next.view(), same_pattern), ArgumentError);

  EXPECT_EQ(difference(this->product(op, x), reference_product(a.view(), T{1}, x, T{0}, {})), "");
  next = a;
  for (T& v : next.val) v = 3;
  op.update_values(next);
  EXPECT_EQ(difference(this->product(op, x), reference_product(next.view(), T{1}, x, T{0}, {})), "");
}

TYPED_TEST(OperatorOn, DiagonalFormatsTakeAMatrixWithoutEntries) {
  using T = typename TypeParam::T;
  for (const char* format : {"dia", "brcsd-i", "brcsd-ii"}) {
    const Operator op(this->space(), from_triplets<T>(3, 3, {}), {.format = format});
    EXPECT_EQ(this->product(op, {1, 2, 3}), (std::vector<T>{0, 0, 0})) << format;
    EXPECT_EQ(Operator(this->space(), from_triplets<T>(0, 3, {}), {.format = format}).rows(), 0) << format;
  }
}

TYPED_TEST(OperatorOn, BuildsAnewForValuesOnOtherDiagonals) {
  using T = typename TypeParam::T;
  Operator op(this->space(), dense<T>({{1, 2}, {0, 3}}), {.format = "dia"});

  op.update_values(dense<T>({{1, 0}, {2, 3}}));

  EXPECT_EQ(this->product(op, {1, 10}), (std::vector<T>{1, 32}));
}

/// Makes an operator of `a` in every format that can hold it and calls use(operator).
template <class Space, class T, class Use>
void in_every_format(const Space& space, const Csr<T>& a, Use use) {
  const Operator chosen(space, a);
  for (const Candidate& c : chosen.choice().candidates) {
    if (!c.cost.applies()) continue;
    SCOPED_TRACE(c.name);
    use(std::string(c.name));
  }
}

template <class T>
void spoil(Csr<T>& a) {
  std::fill(a.val.begin(), a.val.end(), std::numeric_limits<T>::quiet_NaN());
  std::fill(a.col.begin(), a.col.end(), Index{0});
}

TYPED_TEST(OperatorOn, OwnsWhatItNeedsOfACsrInEveryFormat) {
  using T = typename TypeParam::T;
  const auto a = generate<T>("banded", {.n = 500});
  const auto x = random_vector<T>(a.cols, 2);
  const auto wanted = reference_product(a.view(), T{1}, x, T{0}, {});
  in_every_format(this->space(), a, [&](const std::string& format) {
    Csr<T> given = a;
    Operator op(this->space(), given, {.format = format});
    spoil(given);
    EXPECT_EQ(difference(this->product(op, x), wanted), "");

    given = a;
    auto analysis = std::make_unique<Analysis<typename TypeParam::Space, T>>(this->space(), given);
    Operator analysed(*analysis, {.format = format});
    analysis.reset();
    spoil(given);
    EXPECT_EQ(difference(this->product(analysed, x), wanted), "");
  });
}

TYPED_TEST(OperatorOn, OwnsWhatItNeedsOfNewValuesInEveryFormat) {
  using T = typename TypeParam::T;
  const auto a = generate<T>("banded", {.n = 500});
  const auto x = random_vector<T>(a.cols, 2);
  Csr<T> doubled = a;
  for (T& v : doubled.val) v *= 2;
  const auto wanted = reference_product(doubled.view(), T{1}, x, T{0}, {});
  in_every_format(this->space(), a, [&](const std::string& format) {
    Operator by_copy(this->space(), a, {.format = format}), by_view(this->space(), a.view(), {.format = format});
    Csr<T> given = doubled;
    by_copy.update_values(given);
    by_view.update_values(given);
    spoil(given);
    EXPECT_EQ(difference(this->product(by_copy, x), wanted), "");
    EXPECT_EQ(difference(this->product(by_view, x), wanted), "");
  });
}

TYPED_TEST(OperatorOn, LeavesAnAnalysisItsMatrixWhenItTakesNewValues) {
  using T = typename TypeParam::T;
  const auto a = generate<T>("banded", {.n = 300});
  const auto x = random_vector<T>(a.cols, 3);
  Csr<T> doubled = a;
  for (T& v : doubled.val) v *= 2;
  const Analysis analysis(this->space(), Csr<T>(a));
  Operator op(analysis, {.format = "csr"});

  op.update_values(doubled);

  EXPECT_EQ(difference(this->product(op, x), reference_product(doubled.view(), T{1}, x, T{0}, {})), "");
  EXPECT_EQ(difference(this->product(Operator(analysis, {.format = "csr"}), x),
                       reference_product(a.view(), T{1}, x, T{0}, {})),
            "");
}

TYPED_TEST(OperatorOn, SaysWhetherItRefilledOrRebuilt) {
  using T = typename TypeParam::T;
  auto a = generate<T>("variable2d", {.n = 30});
  for (const char* format : {"csr", "dia", "brcsd-ii", "sliced-ell"}) {
    SCOPED_TRACE(format);
    Operator op(this->space(), a, {.format = format, .compress = Compress::on});
    auto next = a;
    for (T& v : next.val) v *= T(1.5);
    EXPECT_EQ(op.update_values(next), Update::refilled);
    EXPECT_TRUE(op.structure().symmetric);
    next.val[1] *= 2;  // the diagonals were stored for both sides
    const bool mirrored = std::string(format) == "dia" || std::string(format) == "brcsd-ii";
    EXPECT_EQ(op.update_values(next), mirrored ? Update::rebuilt : Update::refilled);
    EXPECT_FALSE(op.structure().symmetric);
    const auto x = random_vector<T>(a.cols, 4);
    EXPECT_EQ(difference(this->product(op, x), reference_product(next.view(), T{1}, x, T{0}, {})), "");
  }
  Operator bccoo(this->space(), a, {.format = "bccoo"});
  EXPECT_EQ(bccoo.update_values(a.view()), Update::rebuilt);
}

TYPED_TEST(OperatorOn, TakesTheCallersWordForThePattern) {
  using T = typename TypeParam::T;
  const auto a = generate<T>("variable2d", {.n = 30});
  const auto x = random_vector<T>(a.cols, 4);
  for (const char* format : {"csr", "dia", "brcsd-ii", "sliced-ell", "cmrs", "bccoo"}) {
    SCOPED_TRACE(format);
    Operator op(this->space(), a, {.format = format});
    auto next = a;
    for (T& v : next.val) v *= T(1.5);
    next.val[1] *= 2;  // no longer symmetric
    op.update_values(next.view(), same_pattern);
    EXPECT_EQ(difference(this->product(op, x), reference_product(next.view(), T{1}, x, T{0}, {})), "");
    EXPECT_FALSE(op.structure().symmetric);
    EXPECT_EQ(op.update_values(next), std::string(format) == "bccoo" ? Update::rebuilt : Update::refilled);
    const SpaceCsr<typename TypeParam::Space, T> there(this->space(), a.view());
    op.update_values(there.view(), on_space, same_pattern);
    EXPECT_EQ(difference(this->product(op, x), reference_product(a.view(), T{1}, x, T{0}, {})), "");
    const auto smaller = generate<T>("variable2d", {.n = 29});
    EXPECT_THROW(op.update_values(smaller.view(), same_pattern), ArgumentError);
  }
}

TYPED_TEST(OperatorOn, TheSamePatternMayBeUnsortedOrHoldDuplicates) {
  using T = typename TypeParam::T;
  const Csr<T> unsorted{3, 3, {0, 2, 5, 7}, {1, 0, 2, 0, 1, 2, 1}, {2, 1, 5, 4, 3, 7, 6}};
  const Csr<T> twice{2, 2, {0, 3, 4}, {1, 0, 1, 1}, {1, 1, 1, 3}};  // (0, 1) is there twice
  for (const char* format : {"csr", "dia", "brcsd-ii", "sliced-ell", "cmrs", "bccoo"}) {
    SCOPED_TRACE(format);
    Operator first(this->space(), unsorted.view(), {.format = format}),
        second(this->space(), twice, {.format = format});
    Operator third(this->space(), dense<T>({{1, 2, 0}, {4, 3, 5}, {0, 6, 7}}), {.format = format});
    Csr<T> next = unsorted, sums = twice;
    for (T& v : next.val) v *= 10;
    for (T& v : sums.val) v *= 10;

    first.update_values(next.view(), same_pattern);
    second.update_values(sums.view(), same_pattern);
    third.update_values(unsorted);
    third.update_values(next.view(), same_pattern);

    EXPECT_EQ(this->product(first, {1, 1, 1}), (std::vector<T>{30, 120, 130}));
    EXPECT_EQ(this->product(second, {1, 1}), (std::vector<T>{30, 30}));
    EXPECT_EQ(this->product(third, {1, 1, 1}), (std::vector<T>{30, 120, 130}));
  }
}

TYPED_TEST(OperatorOn, ArraysOfOtherLengthsAreNotTheSamePattern) {
  using T = typename TypeParam::T;
  const auto a = generate<T>("poisson2d", {.n = 20});
  Operator op(this->space(), a);
  const CsrView<T> all = a.view();

  EXPECT_THROW(op.update_values({all.rows, all.cols, all.row_ptr, all.col, all.val.first(3)}, same_pattern),
               ArgumentError);
  EXPECT_THROW(op.update_values({all.rows, all.cols, all.row_ptr.first(3), all.col, all.val}, same_pattern),
               ArgumentError);
}

TYPED_TEST(OperatorOn, AMatrixWithoutRowsStaysSymmetric) {
  using T = typename TypeParam::T;
  const auto a = from_triplets<T>(0, 0, {});
  Operator op(this->space(), a);
  op.update_values(a.view());
  EXPECT_TRUE(op.structure().symmetric);
  op.update_values(a);
  EXPECT_TRUE(op.structure().symmetric);
}

TYPED_TEST(OperatorOn, AnEntryWithoutItsMirrorIsFoundWhereverItIs) {
  using T = typename TypeParam::T;
  const auto a = generate<T>("variable2d", {.n = 100});  // rows enough for several threads
  Operator op(this->space(), a, {.format = "dia", .compress = Compress::on});
  const auto x = random_vector<T>(a.cols, 4);
  std::vector<Index> rows = {0, 1, 50, 99, 100, 9899, 9900, 9998, 9999};
  for (Index i = 4900; i < 5150; i += 13) rows.push_back(i);
  for (const Index i : rows) {
    EXPECT_EQ(op.update_values(a), Update::refilled) << i;  // mirrored
    auto next = a;
    const Offset first = a.row_ptr[static_cast<std::size_t>(i)], last = a.row_ptr[static_cast<std::size_t>(i) + 1] - 1;
    const Offset k = i % 2 == 0 && i < 9999 ? last
                     : i > 0                ? first
                                            : last;  // an entry beside the diagonal, on either side
    next.val[static_cast<std::size_t>(k)] *= 2;
    EXPECT_EQ(op.update_values(next), Update::rebuilt) << i;
    EXPECT_EQ(difference(this->product(op, x), reference_product(next.view(), T{1}, x, T{0}, {})), "") << i;
    EXPECT_EQ(op.update_values(a), Update::refilled) << i;  // both sides are stored now
    op = Operator(this->space(), a, {.format = "dia", .compress = Compress::on});
  }
}

/// What Structure says of the values of a matrix.
template <class T>
struct ValueFacts {
  bool symmetric, positive_diagonal, negative_diagonal, constant_diagonal, finite;
  Index missing_diagonal;
  double norm_inf;

  explicit ValueFacts(const Structure& s)
      : symmetric(s.symmetric),
        positive_diagonal(s.positive_diagonal),
        negative_diagonal(s.negative_diagonal),
        constant_diagonal(s.constant_diagonal),
        finite(s.finite),
        missing_diagonal(s.missing_diagonal),
        norm_inf(std::isnan(s.norm_inf) ? -1 : s.norm_inf) {}
  bool operator==(const ValueFacts&) const = default;
};

/// Matrices on the pattern of `a`: each of them differs from it in another fact.
template <class T>
std::vector<Csr<T>> with_other_values(const Csr<T>& a) {
  std::vector<Csr<T>> all(6, a);
  const auto diagonal = [&a](Csr<T>& m, auto value) {
    for (Index i = 0; i < a.rows; ++i) {
      for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k)
        if (a.col[k] == i) m.val[k] = static_cast<T>(value(i));
    }
  };
  for (T& v : all[0].val) v *= T(-1.5);
  all[1].val.back() = std::numeric_limits<T>::infinity();
  all[2].val[a.val.size() / 2] = std::numeric_limits<T>::quiet_NaN();
  all[3].val[1] *= 2;
  diagonal(all[4], [](Index i) { return i == 17 ? 0 : 1; });
  diagonal(all[5], [](Index) { return 3; });
  return all;
}

TYPED_TEST(OperatorOn, DescribesNewValuesWheneverItIsAsked) {
  using T = typename TypeParam::T;
  using Known = ValueFacts<T>;
  const auto a = generate<T>("variable2d", {.n = 30});
  const auto others = with_other_values(a);
  for (const char* format : {"csr", "dia", "brcsd-ii", "sliced-ell", "bccoo"}) {
    for (const Compress compress : {Compress::on, Compress::off}) {
      Operator copied(this->space(), a, {.format = format, .compress = compress});
      Operator lent(this->space(), a.view(), {.format = format, .compress = compress});
      Operator moved(this->space(), a, {.format = format, .compress = compress});
      for (const Csr<T>& next : others) {
        SCOPED_TRACE(format + std::to_string(&next - others.data()));
        const Known wanted(Analysis(this->space(), next).structure());
        Csr<T> given = next;
        copied.update_values(a);  // nobody asks what these are
        copied.update_values(given);
        lent.update_values(next.view());
        spoil(given);
        moved.update_values(Csr<T>(next));
        EXPECT_EQ(Known(copied.structure()), wanted);
        EXPECT_EQ(Known(lent.structure()), wanted);
        EXPECT_EQ(Known(moved.structure()), wanted);
        EXPECT_EQ(Known(lent.structure()), wanted) << "asked again";
      }
    }
  }
}

TYPED_TEST(OperatorOn, DescribesNewValuesToSeveralThreadsAtOnce) {
  using T = typename TypeParam::T;
  if (TypeParam::Space::has_streams) GTEST_SKIP() << "one thread at a time uses a Cuda space";
  auto a = generate<T>("poisson2d", {.n = 100});
  Operator op(this->space(), a, {.format = "csr"});
  a.val[1] *= 2;
  op.update_values(a);
  std::array<int, 4> symmetric{1, 1, 1, 1};

  std::vector<std::thread> threads;
  for (int& answer : symmetric) threads.emplace_back([&] { answer = op.structure().symmetric; });
  for (std::thread& t : threads) t.join();

  EXPECT_EQ(symmetric, (std::array<int, 4>{}));
}

TYPED_TEST(OperatorOn, RefillsFromUnsortedRowsOnTheSamePattern) {
  using T = typename TypeParam::T;
  const auto a = dense<T>({{1, 2, 0}, {4, 3, 5}, {0, 6, 7}});
  const Csr<T> shuffled{3, 3, {0, 2, 5, 7}, {1, 0, 2, 0, 1, 2, 1}, {20, 10, 50, 40, 30, 70, 60}};
  for (const char* format : {"csr", "dia", "sliced-ell"}) {
    Operator op(this->space(), a, {.format = format}), lent(this->space(), a.view(), {.format = format});
    EXPECT_EQ(op.update_values(shuffled), Update::refilled) << format;
    EXPECT_EQ(lent.update_values(shuffled.view()), Update::refilled) << format;
    EXPECT_EQ(this->product(op, {1, 1, 1}), (std::vector<T>{30, 120, 130})) << format;
    EXPECT_EQ(this->product(lent, {1, 1, 1}), (std::vector<T>{30, 120, 130})) << format;
    EXPECT_FALSE(lent.structure().symmetric);
    EXPECT_EQ(lent.structure().norm_inf, 130);
  }
}

TYPED_TEST(OperatorOn, RefusesMalformedArraysThatBeginAsTheOldOnes) {
  using T = typename TypeParam::T;
  const auto a = generate<T>("poisson2d", {.n = 60});
  Operator op(this->space(), a, {.format = "csr"});
  auto last = a, pointer = a;
  last.col.back() = a.cols;
  pointer.row_ptr[1800] = -1;

  EXPECT_THROW(op.update_values(last), ArgumentError);
  EXPECT_THROW(op.update_values(pointer.view()), ArgumentError);

  EXPECT_EQ(difference(this->product(op, std::vector<T>(3600, 1)),
                       reference_product(a.view(), T{1}, std::vector<T>(3600, 1), T{0}, {})),
            "");
}

TYPED_TEST(OperatorOn, TakesNamesOfFormatsInAnyCase) {
  using T = typename TypeParam::T;
  const auto a = generate<T>("poisson2d", {.n = 8});

  EXPECT_EQ(Operator(this->space(), a, {.format = "BRCSD-II"}).format(), "brcsd-ii");
  EXPECT_EQ(Operator(this->space(), a, {.format = "Csr"}).format(), "csr");
  EXPECT_NO_THROW(Operator(this->space(), a, {.format = "AUTO"}));
  const auto text = message_of<ArgumentError>([&] { Operator(this->space(), a, {.format = "brscd-ii"}); });
  EXPECT_EQ(text.substr(0, 63), "unknown format 'brscd-ii'; did you mean brcsd-ii? known: auto, ");
}

TYPED_TEST(OperatorOn, TakesArraysThatAreInTheMemoryOfTheSpace) {
  using T = typename TypeParam::T;
  const auto a = dense<T>({{1, 2}, {0, 3}});
  const Vector<typename TypeParam::Space, Offset> row_ptr(this->space(), std::span<const Offset>(a.row_ptr));
  const Vector<typename TypeParam::Space, Index> col(this->space(), std::span<const Index>(a.col));
  const auto val = this->put(std::vector<T>(a.val.begin(), a.val.end()));

  const Operator op(this->space(), CsrView<T>{2, 2, row_ptr, col, val}, on_space, {.format = "csr"});

  EXPECT_EQ(this->product(op, {1, 1}), (std::vector<T>{3, 3}));
}

TYPED_TEST(OperatorOn, RefusesArraysInItsMemoryWhoseSizesDontFit) {
  using T = typename TypeParam::T;
  const auto a = dense<T>({{1, 2}, {0, 3}});
  const SpaceCsr<typename TypeParam::Space, T> there(this->space(), a.view());
  CsrView<T> few_values = there.view(), few_pointers = there.view();
  few_values.val = few_values.val.first(2);
  few_pointers.row_ptr = few_pointers.row_ptr.first(1);
  for (const char* format : {"csr", "dia", "sliced-ell"}) {
    SCOPED_TRACE(format);
    Operator op(this->space(), a, {.format = format});
    for (const auto& wrong : {few_values, few_pointers}) {
      EXPECT_THROW(Operator(this->space(), wrong, on_space, {.format = format}), ArgumentError);
      EXPECT_THROW(op.update_values(wrong, on_space), ArgumentError);
      EXPECT_THROW(op.update_values(wrong, on_space, same_pattern), ArgumentError);
    }
    EXPECT_EQ(this->product(op, {1, 1}), (std::vector<T>{3, 3}));
  }
}

TYPED_TEST(OperatorOn, MovesWithItsMatrix) {
  using T = typename TypeParam::T;
  Operator from(this->space(), dense<T>({{1, 2}, {0, 3}}));

  const Operator to = std::move(from);

  EXPECT_EQ(this->product(to, {1, 1}), (std::vector<T>{3, 3}));
}

TYPED_TEST(OperatorOn, AppliesToPartsOfLongerArrays) {
  using T = typename TypeParam::T;
  const auto a = stencil<T>(1000, 1000, 30, 3);
  const auto x = random_vector<T>(1003, 4);
  const Operator op(this->space(), a);
  const auto dx = this->put(x);
  auto y = this->put(std::vector<T>(1002, 5));

  op.apply(T{1}, dx.span().subspan(3), T{0}, y.span().subspan(1, 1000));

  const auto all = y.download();
  const std::vector<T> middle(all.begin() + 1, all.end() - 1), part(x.begin() + 3, x.end());
  EXPECT_EQ(difference(middle, reference_product(a.view(), T{1}, part, T{0}, {})), "");
  EXPECT_EQ(all.front(), T{5});
  EXPECT_EQ(all.back(), T{5});
}

template <class T>
class CudaAgainstHost : public SpaceTest<On<Cuda, T>> {};
using Values = testing::Types<float, double>;
TYPED_TEST_SUITE(CudaAgainstHost, Values);

TYPED_TEST(CudaAgainstHost, EveryFormatMultipliesAlike) {
  using T = TypeParam;
  const auto a = generate<T>("banded", {.n = 5000});
  const auto x = random_vector<T>(a.cols, 5);
  auto reference = reference_product(a.view(), T{1}, x, T{0}, {});
  const Operator chosen(Host(), a);
  for (const Candidate& candidate : chosen.choice().candidates) {
    if (!candidate.cost.applies()) continue;
    SCOPED_TRACE(candidate.name);
    const Operator on_host(Host(), a, {.format = candidate.name});
    const Operator on_cuda(this->space(), a, {.format = candidate.name});
    std::vector<T> host(static_cast<std::size_t>(a.rows));
    Vector<Cuda, T> y(this->space(), host.size());

    on_host.apply(T{1}, x, T{0}, host);
    on_cuda.apply(T{1}, this->put(x), T{0}, y);

    for (std::size_t i = 0; i < host.size(); ++i) reference[i].value = host[i];
    EXPECT_EQ(difference(y.download(), reference), "");
  }
}

TYPED_TEST(CudaAgainstHost, AnalysesAlike) {
  using T = TypeParam;
  for (const auto& info : generators()) {
    SCOPED_TRACE(info.name);
    const auto a = generate<T>(info.name, {.n = 12});

    const Structure host = Operator(Host(), a).structure(), cuda = Operator(this->space(), a).structure();

    EXPECT_EQ(host.offsets, cuda.offsets);
    EXPECT_EQ(host.symmetric, cuda.symmetric);
    EXPECT_EQ(host.pattern_symmetric, cuda.pattern_symmetric);
    EXPECT_EQ(host.longest_row, cuda.longest_row);
    EXPECT_EQ(host.missing_diagonal, cuda.missing_diagonal);
    EXPECT_EQ(host.constant_diagonal, cuda.constant_diagonal);
    EXPECT_EQ(host.positive_diagonal, cuda.positive_diagonal);
    EXPECT_EQ(host.negative_diagonal, cuda.negative_diagonal);
    EXPECT_NEAR(host.row_deviation, cuda.row_deviation, 1e-12 * (1 + host.row_deviation));
  }
}

// These run with and without a GPU; so their names don't ask for one.

TEST(GpuSpace, SaysWhyItIsAbsent) {
  if (Cuda::device_count() > 0) {
    EXPECT_EQ(Cuda::why_absent(), "");
    EXPECT_NO_THROW(Cuda());
  } else {
    EXPECT_NE(Cuda::why_absent(), "");
    EXPECT_NE(message_of<DeviceError>([] { Cuda(); }), "");
  }
}

TEST(GpuSpace, RefusesADeviceThatIsNotThere) { EXPECT_THROW(Cuda(1000), DeviceError); }

TYPED_TEST(OperatorOn, IsOfNoUseOnceMovedFrom) {
  using T = typename TypeParam::T;
  const Csr<T> matrix = generate<T>("poisson2d", {.n = 5});
  Analysis analysis(this->space(), matrix);
  Operator a(analysis);
  const Operator b(std::move(a));
  const Analysis other(std::move(analysis));
  const auto x = this->put(std::vector<T>(25, 1));
  auto y = this->put(std::vector<T>(25));

  EXPECT_THROW(a.apply(1, x, 0, y), ArgumentError);         // NOLINT(bugprone-use-after-move)
  EXPECT_THROW(a.update_values(matrix), ArgumentError);     // NOLINT(bugprone-use-after-move)
  EXPECT_THROW((void)a.bytes(), ArgumentError);             // NOLINT(bugprone-use-after-move)
  EXPECT_THROW((void)analysis.structure(), ArgumentError);  // NOLINT(bugprone-use-after-move)
  EXPECT_THROW(Operator{analysis}, ArgumentError);          // NOLINT(bugprone-use-after-move)
  b.apply(1, x, 0, y);
  EXPECT_EQ(other.structure().rows, 25);
}

}  // namespace
}  // namespace ostinato::test
