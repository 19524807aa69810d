// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <iterator>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <ostinato/bench/formats/list.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/formats/cusparse/on_gpu.hpp>
#include <ostinato/spmv/matrix/generate.hpp>
#include <ostinato/spmv/operator.hpp>

#include "support/reference.hpp"
#include "support/samples.hpp"
#include "support/spaces.hpp"

// What every format must do, those that are there to compare with included, on both spaces and for both value types. A
// format that is added to a list is tested here without an edit.

namespace ostinato::test {

namespace {

/// Formats whose bytes can only be estimated before they are built: from a sample of rows, or without knowing which
/// values are exact in float. All other formats must predict their bytes closely.
constexpr std::string_view estimated[] = {"bccoo", "bccoo-plus", "brcsd-i", "brcsd-ii", "bsr", "crsd", "dia", "hyb"};

template <class Case>
class FormatConformance : public SpaceTest<Case> {
 public:
  using Space = typename Case::Space;
  using T = typename Case::T;
  using Op = Operator<Space, T>;
  using Body = void (FormatConformance::*)();

  FormatConformance(const FormatEntry<Space, T>& format, Body body) : format_(format), body_(body) {}

  void TestBody() override { (this->*body_)(); }

  void MultipliesByHand();
  void StaysWithinTheBoundForEveryAlphaAndBeta();
  void StaysWithinTheBoundWhenNothingCancels();
  void BetaZeroIgnoresNanInY();
  void NanInXReachesTheRowsThatReadIt();
  void ApplyDotIsApplyAndDot();
  void ApplyDotReadsTheVectorThatItMultiplies();
  void ResidualIsThatOfTheProduct();
  void RevisionChangesWithTheValuesAlone();
  void UpdateValuesIsAsGoodAsBuilding();
  void UpdateValuesSortsRowsFirst();
  void UpdateValuesTakesTheMatrixThatIsMovedIn();
  void UpdateValuesTakesOtherPlacesOrRefuses();
  void StructureDescribesTheNewValues();
  void SeveralThreadsApplyOneOperator();
  void SortsRowsAndAddsDuplicatesFirst();
  void GivesTheSameBitsEachTime();
  void RoundsMixedProductsOnce();
  void NamesBothShapesWhenTheyDiffer();
  void PredictsTheBytesThatItTakes();
  void PredictsCostsThatCanBeCompared();
  void TakesTheMatrixThatIsMovedIn();
  void IsKnownByItsNameOnly();

 private:
  /// An operator of the format, with compression although the matrix is small.
  template <class Matrix>
  Op forced(Matrix&& a) const {
    return Op(Analysis<Space, T>(this->space(), std::forward<Matrix>(a)),
              {.format = std::string(format_.name), .compress = Compress::on}, bench_formats<Space, T>());
  }

  Cost cost(const Csr<T>& a) const {
    const Structure s = analyse(Host(), a.view());
    const Machine m = machine_of(this->space());
    return format_.propose({s, m, true}, "").cost;
  }

  /// Whether the format can hold the matrix. When it can't, Operator must refuse, and say why.
  bool holds(const Csr<T>& a) const {
    const Cost c = cost(a);
    if (c.applies()) return true;
    const auto refused = message_of<ArgumentError>([&] { forced(a); });
    EXPECT_NE(refused.find(c.reason_not), std::string::npos) << refused;
    return false;
  }

  /// Calls f(op, matrix) for each sample that the format can hold.
  template <class Check>
  void on_every_sample(Check f) const {
    bool some = false;
    for (const Sample<T>& sample : every_sample<T, Space>()) {
      SCOPED_TRACE(sample.name);
      if (!holds(sample.matrix)) continue;
      some = true;
      f(forced(sample.matrix), sample.matrix);
    }
    const std::string refusal = cost(stencil<T>(1, 1, 1, 1)).reason_not;
    if (!Space::has_streams && refusal == formats::cusparse_needs_gpu) GTEST_SKIP() << refusal;
    EXPECT_TRUE(some) << "the format holds none of the samples: " << refusal;
  }

  /// Empty when both products have the same bits. If the format isn't reproducible: when `again` is within the bound.
  std::string differing(const Csr<T>& a, const std::vector<T>& x, const std::vector<T>& y,
                        const std::vector<T>& again) const {
    if (cost(a).reproducible) return same_bits(y, again) ? "" : "other bits";
    return difference(again, reference_product(a.view(), T{1}, x, T{0}, {}));
  }

  std::vector<T> product(const Op& op, T alpha, const std::vector<T>& x, T beta, const std::vector<T>& y) const {
    const auto dx = this->put(x);
    auto dy = this->put(y);
    op.apply(alpha, dx, beta, dy);
    return dy.download();
  }

  std::vector<T> product(const Op& op, const std::vector<T>& x) const {
    return product(op, T{1}, x, T{0}, std::vector<T>(static_cast<std::size_t>(op.rows())));
  }

  struct WithDot {
    std::vector<T> y;
    double dot;
  };

  WithDot product_and_dot(const Op& op, const std::vector<T>& x, const std::vector<T>& w) const {
    const auto dx = this->put(x), dw = this->put(w);
    auto dy = this->put(std::vector<T>(w.size(), std::numeric_limits<T>::quiet_NaN()));
    auto slot = this->template put<double>({-1});
    op.apply_dot(dx, dy, dw, slot.data());
    return {dy.download(), slot.download()[0]};
  }

  const FormatEntry<Space, T>& format_;
  Body body_;
};

#define OSTINATO_CONFORMANCE(name) \
  template <class Case>            \
  void FormatConformance<Case>::name()

OSTINATO_CONFORMANCE(MultipliesByHand) {
  const Csr<T> a = dense<T>({{2, 0, -1, 0}, {0, 0, 0, 0}, {1, 3, 0, 4}});
  if (!holds(a)) GTEST_SKIP() << cost(a).reason_not;
  const Op op = forced(a);

  const auto plain = product(op, T{1}, {1, 2, 3, 4}, T{0}, {9, 9, 9});
  const auto scaled = product(op, T{2}, {1, 2, 3, 4}, T{-1}, {1, 2, 3});

  EXPECT_EQ(plain, (std::vector<T>{-1, 0, 23}));
  EXPECT_EQ(scaled, (std::vector<T>{-3, -2, 43}));
}

OSTINATO_CONFORMANCE(StaysWithinTheBoundForEveryAlphaAndBeta) {
  on_every_sample([&](const auto& op, const Csr<T>& a) {
    const auto x = random_vector<T>(a.cols, 21), y = random_vector<T>(a.rows, 22);
    for (const T alpha : {T{0}, T{1}, T{-1}, T(2.5)}) {
      for (const T beta : {T{0}, T{1}, T{-1}, T(2.5)}) {
        const auto got = product(op, alpha, x, beta, y);
        EXPECT_EQ(difference(got, reference_product(a.view(), alpha, x, beta, y)), "") << alpha << " " << beta;
      }
    }
  });
}

OSTINATO_CONFORMANCE(StaysWithinTheBoundWhenNothingCancels) {
  on_every_sample([&](const auto&, const Csr<T>& a) {
    Csr<T> positive = a;
    for (T& v : positive.val) v = std::abs(v);
    auto x = random_vector<T>(a.cols, 23);
    for (T& v : x) v = std::abs(v);
    const Op op = forced(positive);

    const auto got = product(op, x);

    EXPECT_EQ(difference(got, reference_product(positive.view(), T{1}, x, T{0}, {})), "");
  });
}

OSTINATO_CONFORMANCE(BetaZeroIgnoresNanInY) {
  on_every_sample([&](const auto& op, const Csr<T>& a) {
    const auto x = random_vector<T>(a.cols, 24);
    const std::vector<T> nan(static_cast<std::size_t>(a.rows), std::numeric_limits<T>::quiet_NaN());
    const std::vector<T> infinite(static_cast<std::size_t>(a.rows), std::numeric_limits<T>::infinity());

    const auto over_zero = product(op, x);

    EXPECT_TRUE(all_finite(over_zero));
    EXPECT_EQ(differing(a, x, over_zero, product(op, T{1}, x, T{0}, nan)), "");
    EXPECT_EQ(differing(a, x, over_zero, product(op, T{1}, x, T{0}, infinite)), "");
  });
}

OSTINATO_CONFORMANCE(NanInXReachesTheRowsThatReadIt) {
  const Csr<T> a = stencil<T>(597, 597, 1, 25);
  if (!holds(a)) GTEST_SKIP() << cost(a).reason_not;
  const Op op = forced(a);
  auto x = random_vector<T>(597, 26);
  x[300] = std::numeric_limits<T>::quiet_NaN();

  const auto y = product(op, x);

  for (std::size_t i = 0; i < y.size(); ++i) EXPECT_EQ(std::isnan(y[i]), i >= 299 && i <= 301) << i;
}

OSTINATO_CONFORMANCE(ApplyDotIsApplyAndDot) {
  on_every_sample([&](const auto& op, const Csr<T>& a) {
    const auto x = random_vector<T>(a.cols, 27), w = random_vector<T>(a.rows, 28);

    const auto got = product_and_dot(op, x, w);

    EXPECT_EQ(difference(got.y, reference_product(a.view(), T{1}, x, T{0}, {})), "");
    ReferenceRow dot{0, 0, a.rows};
    for (std::size_t i = 0; i < w.size(); ++i) {
      dot.value += static_cast<long double>(w[i]) * got.y[i];
      dot.magnitude += std::abs(static_cast<long double>(w[i]) * got.y[i]);
    }
    EXPECT_EQ(difference(std::vector<double>{got.dot}, {dot}), "");
  });
}

OSTINATO_CONFORMANCE(ApplyDotReadsTheVectorThatItMultiplies) {
  const Csr<T> a = dense<T>({{2, -1, 0}, {-1, 2, -1}, {0, -1, 2}});
  if (!holds(a)) GTEST_SKIP() << cost(a).reason_not;
  const Op op = forced(a);
  const auto x = this->put(std::vector<T>{1, 2, 5});
  auto y = this->put(std::vector<T>(3));
  auto slot = this->template put<double>({-1});

  op.apply_dot(x, y, x, slot.data());

  EXPECT_EQ(y.download(), (std::vector<T>{0, -2, 8}));
  EXPECT_EQ(slot.download()[0], 36);
}

OSTINATO_CONFORMANCE(ResidualIsThatOfTheProduct) {
  on_every_sample([&](const auto& op, const Csr<T>& a) {
    const auto x = random_vector<T>(a.cols, 38), b = random_vector<T>(a.rows, 39);
    const auto dx = this->put(x), db = this->put(b);
    auto dr = this->put(std::vector<T>(b.size(), T{17}));
    auto slot = this->template put<double>({-1});

    op.residual(dx, db, dr, slot.data());

    const std::vector<T> r = dr.download();
    EXPECT_EQ(difference(r, reference_product(a.view(), T{-1}, x, T{1}, b)), "");
    ReferenceRow norm{0, 0, a.rows};
    for (const T v : r) norm.value += static_cast<long double>(v) * v;
    norm.magnitude = norm.value;
    EXPECT_EQ(difference(std::vector<double>{slot.download()[0]}, {norm}), "");
  });
}

OSTINATO_CONFORMANCE(RevisionChangesWithTheValuesAlone) {
  const Csr<T> a = stencil<T>(597, 597, 20, 40);
  if (!holds(a)) GTEST_SKIP() << cost(a).reason_not;
  Op op = forced(a);
  const auto x = random_vector<T>(597, 41);
  const int before = op.revision();
  for (int k = 0; k < 3; ++k) product(op, x);
  const int after_products = op.revision();

  op.update_values(a);

  EXPECT_EQ(after_products, before);
  EXPECT_NE(op.revision(), before);
}

OSTINATO_CONFORMANCE(UpdateValuesIsAsGoodAsBuilding) {
  on_every_sample([&](const auto&, const Csr<T>& a) {
    const auto x = random_vector<T>(a.cols, 29);
    Csr<T> changed = a;
    const auto values = random_vector<T>(static_cast<Index>(a.val.size()), 30);
    std::copy(values.begin(), values.end(), changed.val.begin());
    Op updated = forced(a);
    const Op built = forced(changed);

    updated.update_values(changed);

    EXPECT_EQ(differing(changed, x, product(updated, x), product(built, x)), "");
    EXPECT_EQ(updated.bytes(), built.bytes());
  });
}

OSTINATO_CONFORMANCE(UpdateValuesSortsRowsFirst) {
  on_every_sample([&](const auto&, const Csr<T>& a) {
    const auto x = random_vector<T>(a.cols, 42);
    Csr<T> mixed = shuffled(a, 43);
    Op op = forced(mixed);
    for (T& v : mixed.val) v *= T{4};

    op.update_values(mixed);

    EXPECT_EQ(difference(product(op, x), reference_product(mixed.view(), T{1}, x, T{0}, {})), "");
  });
}

OSTINATO_CONFORMANCE(UpdateValuesTakesTheMatrixThatIsMovedIn) {
  const Csr<T> a = stencil<T>(597, 597, 9, 44);
  if (!holds(a)) GTEST_SKIP() << cost(a).reason_not;
  const auto x = random_vector<T>(597, 45);
  Op op = forced(a);
  auto given = std::make_unique<Csr<T>>(stencil<T>(597, 597, 9, 46));
  const auto reference = reference_product(given->view(), T{1}, x, T{0}, {});

  op.update_values(std::move(*given));
  given.reset();
  const Csr<T> elsewhere = stencil<T>(597, 597, 9, 47);  // takes the memory that was given back, if any was

  EXPECT_EQ(difference(product(op, x), reference), "");
}

/// A matrix with as many entries in other places must not be written to the old places.
OSTINATO_CONFORMANCE(UpdateValuesTakesOtherPlacesOrRefuses) {
  const Csr<T> a = stencil<T>(1200, 1200, 20, 48);
  if (!holds(a)) GTEST_SKIP() << cost(a).reason_not;
  std::vector<Triplet<T>> entries;
  for (Index k = 0; k < a.nonzeros(); ++k) entries.push_back({k % 64, k / 64, T(1 + k % 7)});
  const Csr<T> tall = stencil<T>(1200, 1200, 19, 49), crowded = from_triplets<T>(1200, 1200, entries);
  const auto x = random_vector<T>(1200, 50);
  for (const Csr<T>& other : {tall, crowded}) {
    Op op = forced(a);
    if (other.nonzeros() == a.nonzeros() && holds(other)) {
      op.update_values(other);
      EXPECT_EQ(difference(product(op, x), reference_product(other.view(), T{1}, x, T{0}, {})), "");
    } else {
      EXPECT_THROW(op.update_values(other), ArgumentError);
      EXPECT_EQ(difference(product(op, x), reference_product(a.view(), T{1}, x, T{0}, {})), "");
    }
  }
}

OSTINATO_CONFORMANCE(StructureDescribesTheNewValues) {
  const Csr<T> symmetric = generate<T>("poisson2d", {.n = 24});
  if (!holds(symmetric)) GTEST_SKIP() << cost(symmetric).reason_not;
  const auto changed = [&](auto change) {
    Csr<T> b = symmetric;
    for (Index i = 0; i < b.rows; ++i) {
      for (Offset k = b.row_ptr[static_cast<std::size_t>(i)]; k < b.row_ptr[static_cast<std::size_t>(i) + 1]; ++k)
        change(i, b.col[static_cast<std::size_t>(k)], b.val[static_cast<std::size_t>(k)]);
    }
    return b;
  };
  const Csr<T> all[] = {
      changed([](Index i, Index j, T& v) { v = i == 7 && j == 8 ? T{3} : v; }),
      changed([](Index i, Index j, T& v) { v = i == j ? T{4} + static_cast<T>(i % 3) : v; }),
      changed([](Index i, Index j, T& v) { v = i == 100 && j == 100 ? T{-4} : v; }),
      changed([](Index i, Index j, T& v) { v = i == 575 && j == 575 ? T{0} : v; }),
      changed([](Index i, Index j, T& v) { v = i == 0 && j == 1 ? std::numeric_limits<T>::quiet_NaN() : v; }),
      symmetric};
  Op op = forced(symmetric);
  for (const Csr<T>& a : all) {
    SCOPED_TRACE(&a - all);
    op.update_values(a);

    const Structure got = op.structure(), want = forced(a).structure();
    EXPECT_EQ(got.symmetric, want.symmetric);
    EXPECT_EQ(got.pattern_symmetric, want.pattern_symmetric);
    EXPECT_EQ(got.missing_diagonal, want.missing_diagonal);
    EXPECT_EQ(got.positive_diagonal, want.positive_diagonal);
    EXPECT_EQ(got.negative_diagonal, want.negative_diagonal);
    EXPECT_EQ(got.constant_diagonal, want.constant_diagonal);
    EXPECT_EQ(got.finite, want.finite);
    EXPECT_EQ(got.offsets, want.offsets);
    EXPECT_EQ(got.longest_row, want.longest_row);
  }
}

OSTINATO_CONFORMANCE(SeveralThreadsApplyOneOperator) {
  if (Space::has_streams) GTEST_SKIP() << "one thread at a time uses a Cuda space";
  constexpr int threads = 4, products = 25;
  for (const Csr<T>& a : {scattered<T>(20011, 20011, 6, true, 51), stencil<T>(3000, 3000, 40, 52)}) {
    if (!holds(a)) continue;
    const Op op = forced(a);
    std::atomic<int> wrong = 0;
    std::vector<std::vector<T>> x, alone;
    for (int t = 0; t < threads; ++t) {
      x.push_back(random_vector<T>(a.cols, static_cast<std::uint64_t>(60 + t)));
      alone.push_back(product(op, x.back()));
    }
    std::vector<std::thread> running;
    for (std::size_t t = 0; t < threads; ++t) {
      running.emplace_back([&, t] {
        for (int k = 0; k < products; ++k) wrong += same_bits(product(op, x[t]), alone[t]) ? 0 : 1;
      });
    }
    for (std::thread& t : running) t.join();
    EXPECT_EQ(wrong, 0) << "of " << threads * products << " products";
  }
}

OSTINATO_CONFORMANCE(SortsRowsAndAddsDuplicatesFirst) {
  on_every_sample([&](const auto& sorted, const Csr<T>& a) {
    const auto x = random_vector<T>(a.cols, 31);
    const Csr<T> mixed = shuffled(a, 32);
    const Op by_reference = forced(mixed);
    const Op moved_in = forced(Csr<T>(mixed));

    const auto y = product(sorted, x);

    EXPECT_EQ(differing(a, x, y, product(by_reference, x)), "");
    EXPECT_EQ(differing(a, x, y, product(moved_in, x)), "");
    EXPECT_EQ(by_reference.structure().nonzeros, a.nonzeros());
  });
}

OSTINATO_CONFORMANCE(GivesTheSameBitsEachTime) {
  on_every_sample([&](const auto& op, const Csr<T>& a) {
    if (!cost(a).reproducible) return;
    const auto x = random_vector<T>(a.cols, 33), w = random_vector<T>(a.rows, 34);
    const Op again = forced(a);
    const auto first = product_and_dot(op, x, w);
    const auto plain = product(op, x);

    for (int k = 0; k < 20; ++k) {
      const auto next = product_and_dot(k % 2 == 0 ? again : op, x, w);
      ASSERT_TRUE(same_bits(first.y, next.y)) << k;
      ASSERT_EQ(first.dot, next.dot) << k;
      ASSERT_TRUE(same_bits(plain, product(op, x))) << k;
    }
  });
}

OSTINATO_CONFORMANCE(RoundsMixedProductsOnce) {
  const std::string_view name = format_.name;
  const bool is_diagonal = name == "dia" || name == "brcsd-i" || name == "brcsd-ii";
  on_every_sample([&](const auto& op, const Csr<T>& a) {
    const auto* const lower = op.lower();
    ASSERT_EQ(lower != nullptr, is_diagonal && !is_single<T>);
    if (lower == nullptr) return;
    const auto x = random_vector<float>(a.cols, 35), w = random_vector<float>(a.rows, 36);
    const auto dx = this->put(x), dw = this->put(w);
    auto dy = this->put(std::vector<float>(w.size(), std::numeric_limits<float>::quiet_NaN()));
    auto slot = this->template put<double>({-1});
    lower->apply_dot(dx, dy, dw, slot.data());

    const auto y = dy.download();
    const auto reference = reference_product(a.view(), T{1}, std::vector<T>(x.begin(), x.end()), T{0}, {});
    long double dot = 0, size = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
      const long double value = reference[i].value, rounding = std::ldexp(1.0L, -24);
      ASSERT_LE(std::abs(y[i] - value), rounding * std::abs(value) + 2 * reference[i].template bound<T>())
          << "row " << i;
      dot += static_cast<long double>(w[i]) * y[i];
      size += std::abs(static_cast<long double>(w[i]) * y[i]);
    }
    EXPECT_LE(std::abs(slot.download()[0] - dot), 1e-12L * size);

    lower->apply(2, dx, -1, dy);
    const auto other = dy.download();
    for (std::size_t i = 0; i < y.size(); ++i) {
      const long double value = 2 * reference[i].value - y[i], of_terms = 4 * reference[i].template bound<T>();
      ASSERT_LE(std::abs(other[i] - value), std::ldexp(1.0L, -23) * std::abs(value) + of_terms) << "row " << i;
    }
  });
}

OSTINATO_CONFORMANCE(NamesBothShapesWhenTheyDiffer) {
  const Csr<T> a = stencil<T>(33, 31, 2, 35);
  if (!holds(a)) GTEST_SKIP() << cost(a).reason_not;
  const Op op = forced(a);
  Vector<Space, T> x(this->space(), 31), y(this->space(), 33), other(this->space(), 30);
  auto slot = this->template put<double>({0});

  const auto short_x = message_of<DimensionError>([&] { op.apply(T{1}, other, T{0}, y); });
  const auto short_y = message_of<DimensionError>([&] { op.apply(T{1}, x, T{0}, other); });
  const auto short_w = message_of<DimensionError>([&] { op.apply_dot(x, y, other, slot.data()); });

  for (const std::string& text : {short_x, short_y, short_w}) {
    EXPECT_NE(text.find("33 x 31"), std::string::npos) << text;
    EXPECT_NE(text.find("30"), std::string::npos) << text;
  }
}

OSTINATO_CONFORMANCE(PredictsTheBytesThatItTakes) {
  const bool close = std::find(std::begin(estimated), std::end(estimated), format_.name) == std::end(estimated);
  on_every_sample([&](const auto& op, const Csr<T>& a) {
    const std::size_t predicted = cost(a).bytes;
    EXPECT_LE(op.bytes(), std::max(cost(a).most_bytes, predicted + predicted / 20) + 8192);
    if (close) {  // up to the working memory that a format keeps for its threads
      EXPECT_LE(op.bytes(), predicted + predicted / 20 + 8192);
      EXPECT_GE(op.bytes() + op.bytes() / 20 + 8192, predicted);
    } else {
      EXPECT_LE(op.bytes(), 2 * predicted + 4096);
      EXPECT_GE(2 * op.bytes() + 8192, predicted);
    }
  });
}

OSTINATO_CONFORMANCE(PredictsCostsThatCanBeCompared) {
  on_every_sample([&](const auto&, const Csr<T>& a) {
    const Cost c = cost(a);

    EXPECT_TRUE(std::isfinite(c.seconds) && c.seconds > 0) << c.seconds;
    EXPECT_TRUE(std::isfinite(c.setup_seconds) && c.setup_seconds >= 0) << c.setup_seconds;
    EXPECT_TRUE(std::isfinite(c.moved) && c.moved >= 0) << c.moved;
    EXPECT_TRUE(std::isfinite(c.padding) && c.padding >= 0) << c.padding;
  });
}

OSTINATO_CONFORMANCE(TakesTheMatrixThatIsMovedIn) {
  const Csr<T> a = stencil<T>(597, 597, 9, 36);
  if (!holds(a)) GTEST_SKIP() << cost(a).reason_not;
  const auto x = random_vector<T>(597, 37);
  auto given = std::make_unique<Csr<T>>(a);
  const Op op = forced(std::move(*given));

  given.reset();

  EXPECT_EQ(difference(product(op, x), reference_product(a.view(), T{1}, x, T{0}, {})), "");
}

OSTINATO_CONFORMANCE(IsKnownByItsNameOnly) {
  int found = 0;
  for (const auto& entry : bench_formats<Space, T>()) found += entry.name == format_.name;

  EXPECT_EQ(found, 1);
  EXPECT_FALSE(format_.description.empty());
}

/// Registers a test for each case and each format of the list.
template <class Case>
void register_cases() {
  using Conformance = FormatConformance<Case>;
  struct Named {
    const char* name;
    typename Conformance::Body body;
  };
#define OSTINATO_CASE(name) \
  Named { #name, &Conformance::name }
  static constexpr Named cases[] = {OSTINATO_CASE(MultipliesByHand),
                                    OSTINATO_CASE(StaysWithinTheBoundForEveryAlphaAndBeta),
                                    OSTINATO_CASE(StaysWithinTheBoundWhenNothingCancels),
                                    OSTINATO_CASE(BetaZeroIgnoresNanInY),
                                    OSTINATO_CASE(NanInXReachesTheRowsThatReadIt),
                                    OSTINATO_CASE(ApplyDotIsApplyAndDot),
                                    OSTINATO_CASE(ApplyDotReadsTheVectorThatItMultiplies),
                                    OSTINATO_CASE(ResidualIsThatOfTheProduct),
                                    OSTINATO_CASE(RevisionChangesWithTheValuesAlone),
                                    OSTINATO_CASE(UpdateValuesIsAsGoodAsBuilding),
                                    OSTINATO_CASE(UpdateValuesSortsRowsFirst),
                                    OSTINATO_CASE(UpdateValuesTakesTheMatrixThatIsMovedIn),
                                    OSTINATO_CASE(UpdateValuesTakesOtherPlacesOrRefuses),
                                    OSTINATO_CASE(StructureDescribesTheNewValues),
                                    OSTINATO_CASE(SeveralThreadsApplyOneOperator),
                                    OSTINATO_CASE(SortsRowsAndAddsDuplicatesFirst),
                                    OSTINATO_CASE(GivesTheSameBitsEachTime),
                                    OSTINATO_CASE(RoundsMixedProductsOnce),
                                    OSTINATO_CASE(NamesBothShapesWhenTheyDiffer),
                                    OSTINATO_CASE(PredictsTheBytesThatItTakes),
                                    OSTINATO_CASE(PredictsCostsThatCanBeCompared),
                                    OSTINATO_CASE(TakesTheMatrixThatIsMovedIn),
                                    OSTINATO_CASE(IsKnownByItsNameOnly)};
  for (const auto& format : bench_formats<typename Case::Space, typename Case::T>()) {
    std::string suite = "FormatConformance/" + std::string(format.name) + "_" + SpaceNames::GetName<Case>(0);
    std::replace(suite.begin(), suite.end(), '-', '_');  // a dash would cut a --gtest_filter in two
    for (const Named& c : cases) {
      testing::RegisterTest(suite.c_str(), c.name, nullptr, nullptr, __FILE__, __LINE__,
                            [&format, body = c.body]() -> SpaceTest<Case>* { return new Conformance(format, body); });
    }
  }
}

template <class... Case>
bool register_all(testing::Types<Case...>) {
  (register_cases<Case>(), ...);
  return true;
}

[[maybe_unused]] const bool registered = register_all(EverySpace{});

}  // namespace

}  // namespace ostinato::test
