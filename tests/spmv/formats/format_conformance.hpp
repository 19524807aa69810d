// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <ostinato/spmv/operator.hpp>

#include "support/reference.hpp"
#include "support/samples.hpp"
#include "support/spaces.hpp"

// What every format of the registry must do, on both spaces and for both value types; one source file for each type, as
// it takes a compiler long. A format that is added to spmv/formats/list.hpp is tested here without an edit.

namespace ostinato::test {

template <class... F>
testing::Types<F...> as_types(FormatList<F...>);

template <class... A, class... B>
testing::Types<A..., B...> joined(testing::Types<A...>, testing::Types<B...>);

template <class T>
using EveryFormat = decltype(joined(as_types(Formats<Host, T>{}), as_types(Formats<Cuda, T>{})));

/// "dia_Cuda". No dash, which would cut a --gtest_filter in two.
struct FormatNames {
  template <class F>
  static std::string GetName(int) {
    std::string name(F::name);
    std::replace(name.begin(), name.end(), '-', '_');
    return name + "_" + space_name<typename F::space_type>();
  }
};

template <class F>
class FormatConformance : public SpaceTest<On<typename F::space_type, typename F::value_type>> {
 protected:
  using V = typename F::value_type;
  using Op = Operator<typename F::space_type, V>;

  /// Small as the matrices are, bytes are saved on them.
  static FormatOptions forced() { return {.format = std::string(F::name), .compress = Compress::on}; }

  Cost cost(const Csr<V>& a) const { return F::cost(analyse(Host(), a.view()), machine_of(this->space())); }

  /// Whether the format can hold the matrix. When it can't, Operator must refuse, and say why.
  bool holds(const Csr<V>& a) const {
    const Cost c = cost(a);
    if (c.applies()) return true;
    const auto refused = message_of<ArgumentError>([&] { Op(this->space(), a, forced()); });
    EXPECT_NE(refused.find(c.reason_not), std::string::npos) << refused;
    return false;
  }

  /// Calls f(op, matrix) for each sample that the format can hold.
  template <class Check>
  void on_every_sample(Check f) const {
    bool some = false;
    for (const Sample<V>& sample : every_sample<V>()) {
      SCOPED_TRACE(sample.name);
      if (!holds(sample.matrix)) continue;
      some = true;
      f(Op(this->space(), sample.matrix, forced()), sample.matrix);
    }
    const bool needs_gpu =
        !F::space_type::on_device && cost(stencil<V>(1, 1, 1, 1)).reason_not == formats::cusparse_needs_gpu;
    EXPECT_NE(some, needs_gpu) << "the format holds none of the samples, or one without the GPU that it says it needs";
  }

  /// Empty when both products have the same bits; for a format that doesn't promise them, when the second is right.
  std::string differing(const Csr<V>& a, const std::vector<V>& x, const std::vector<V>& y,
                        const std::vector<V>& again) const {
    if (cost(a).reproducible) return same_bits(y, again) ? "" : "other bits";
    return difference(again, reference_product(a.view(), V{1}, x, V{0}, {}));
  }

  std::vector<V> product(const Op& op, V alpha, const std::vector<V>& x, V beta, const std::vector<V>& y) const {
    const auto dx = this->put(x);
    auto dy = this->put(y);
    op.apply(alpha, dx, beta, dy);
    return dy.download();
  }

  std::vector<V> product(const Op& op, const std::vector<V>& x) const {
    return product(op, V{1}, x, V{0}, std::vector<V>(static_cast<std::size_t>(op.rows())));
  }

  struct WithDot {
    std::vector<V> y;
    double dot;
  };

  WithDot product_and_dot(const Op& op, const std::vector<V>& x, const std::vector<V>& w) const {
    const auto dx = this->put(x), dw = this->put(w);
    auto dy = this->put(std::vector<V>(w.size(), std::numeric_limits<V>::quiet_NaN()));
    auto slot = this->template put<double>({-1});
    op.apply_dot(dx, dy, dw, slot.data());
    return {dy.download(), slot.download()[0]};
  }
};

TYPED_TEST_SUITE_P(FormatConformance);

TYPED_TEST_P(FormatConformance, MultipliesByHand) {
  using T = typename TypeParam::value_type;
  const Csr<T> a = dense<T>({{2, 0, -1, 0}, {0, 0, 0, 0}, {1, 3, 0, 4}});
  if (!this->holds(a)) return;
  const Operator op(this->space(), a, this->forced());

  const auto plain = this->product(op, T{1}, {1, 2, 3, 4}, T{0}, {9, 9, 9});
  const auto scaled = this->product(op, T{2}, {1, 2, 3, 4}, T{-1}, {1, 2, 3});

  EXPECT_EQ(plain, (std::vector<T>{-1, 0, 23}));
  EXPECT_EQ(scaled, (std::vector<T>{-3, -2, 43}));
}

TYPED_TEST_P(FormatConformance, StaysWithinTheBoundForEveryAlphaAndBeta) {
  using T = typename TypeParam::value_type;
  this->on_every_sample([&](const auto& op, const Csr<T>& a) {
    const auto x = random_vector<T>(a.cols, 21), y = random_vector<T>(a.rows, 22);
    for (const T alpha : {T{0}, T{1}, T{-1}, T(2.5)}) {
      for (const T beta : {T{0}, T{1}, T{-1}, T(2.5)}) {
        const auto got = this->product(op, alpha, x, beta, y);
        EXPECT_EQ(difference(got, reference_product(a.view(), alpha, x, beta, y)), "") << alpha << " " << beta;
      }
    }
  });
}

TYPED_TEST_P(FormatConformance, StaysWithinTheBoundWhenNothingCancels) {
  using T = typename TypeParam::value_type;
  this->on_every_sample([&](const auto&, const Csr<T>& a) {
    Csr<T> positive = a;
    for (T& v : positive.val) v = std::abs(v);
    auto x = random_vector<T>(a.cols, 23);
    for (T& v : x) v = std::abs(v);
    const Operator op(this->space(), positive, this->forced());

    const auto got = this->product(op, x);

    EXPECT_EQ(difference(got, reference_product(positive.view(), T{1}, x, T{0}, {})), "");
  });
}

TYPED_TEST_P(FormatConformance, BetaZeroIgnoresNanInY) {
  using T = typename TypeParam::value_type;
  this->on_every_sample([&](const auto& op, const Csr<T>& a) {
    const auto x = random_vector<T>(a.cols, 24);
    const std::vector<T> nan(static_cast<std::size_t>(a.rows), std::numeric_limits<T>::quiet_NaN());
    const std::vector<T> infinite(static_cast<std::size_t>(a.rows), std::numeric_limits<T>::infinity());

    const auto over_zero = this->product(op, x);

    EXPECT_TRUE(all_finite(over_zero));
    EXPECT_EQ(this->differing(a, x, over_zero, this->product(op, T{1}, x, T{0}, nan)), "");
    EXPECT_EQ(this->differing(a, x, over_zero, this->product(op, T{1}, x, T{0}, infinite)), "");
  });
}

TYPED_TEST_P(FormatConformance, NanInXReachesTheRowsThatReadIt) {
  using T = typename TypeParam::value_type;
  const Csr<T> a = stencil<T>(597, 597, 1, 25);
  if (!this->holds(a)) return;
  const Operator op(this->space(), a, this->forced());
  auto x = random_vector<T>(597, 26);
  x[300] = std::numeric_limits<T>::quiet_NaN();

  const auto y = this->product(op, x);

  for (std::size_t i = 0; i < y.size(); ++i) EXPECT_EQ(std::isnan(y[i]), i >= 299 && i <= 301) << i;
}

TYPED_TEST_P(FormatConformance, ApplyDotIsApplyAndDot) {
  using T = typename TypeParam::value_type;
  this->on_every_sample([&](const auto& op, const Csr<T>& a) {
    const auto x = random_vector<T>(a.cols, 27), w = random_vector<T>(a.rows, 28);

    const auto got = this->product_and_dot(op, x, w);

    EXPECT_EQ(difference(got.y, reference_product(a.view(), T{1}, x, T{0}, {})), "");
    ReferenceRow dot{0, 0, a.rows};
    for (std::size_t i = 0; i < w.size(); ++i) {
      dot.value += static_cast<long double>(w[i]) * got.y[i];
      dot.magnitude += std::abs(static_cast<long double>(w[i]) * got.y[i]);
    }
    EXPECT_EQ(difference(std::vector<double>{got.dot}, {dot}), "");
  });
}

TYPED_TEST_P(FormatConformance, ApplyDotReadsTheVectorThatItMultiplies) {
  using T = typename TypeParam::value_type;
  const Csr<T> a = dense<T>({{2, -1, 0}, {-1, 2, -1}, {0, -1, 2}});
  if (!this->holds(a)) return;
  const Operator op(this->space(), a, this->forced());
  const auto x = this->put(std::vector<T>{1, 2, 5});
  auto y = this->put(std::vector<T>(3));
  auto slot = this->template put<double>({-1});

  op.apply_dot(x, y, x, slot.data());

  EXPECT_EQ(y.download(), (std::vector<T>{0, -2, 8}));
  EXPECT_EQ(slot.download()[0], 36);
}

TYPED_TEST_P(FormatConformance, UpdateValuesIsAsGoodAsBuilding) {
  using T = typename TypeParam::value_type;
  this->on_every_sample([&](const auto&, const Csr<T>& a) {
    const auto x = random_vector<T>(a.cols, 29);
    Csr<T> changed = a;
    const auto values = random_vector<T>(static_cast<Index>(a.val.size()), 30);
    std::copy(values.begin(), values.end(), changed.val.begin());
    Operator updated(this->space(), a, this->forced());
    const Operator built(this->space(), changed, this->forced());

    updated.update_values(changed);

    EXPECT_EQ(this->differing(changed, x, this->product(updated, x), this->product(built, x)), "");
    EXPECT_EQ(updated.bytes(), built.bytes());
  });
}

TYPED_TEST_P(FormatConformance, SortsRowsAndAddsDuplicatesFirst) {
  using T = typename TypeParam::value_type;
  this->on_every_sample([&](const auto& sorted, const Csr<T>& a) {
    const auto x = random_vector<T>(a.cols, 31);
    const Csr<T> mixed = shuffled(a, 32);
    const Operator by_reference(this->space(), mixed, this->forced());
    const Operator moved_in(this->space(), Csr<T>(mixed), this->forced());

    const auto y = this->product(sorted, x);

    EXPECT_EQ(this->differing(a, x, y, this->product(by_reference, x)), "");
    EXPECT_EQ(this->differing(a, x, y, this->product(moved_in, x)), "");
    EXPECT_EQ(by_reference.structure().nonzeros, a.nonzeros());
  });
}

TYPED_TEST_P(FormatConformance, GivesTheSameBitsEachTime) {
  using T = typename TypeParam::value_type;
  this->on_every_sample([&](const auto& op, const Csr<T>& a) {
    if (!this->cost(a).reproducible) return;
    const auto x = random_vector<T>(a.cols, 33), w = random_vector<T>(a.rows, 34);
    const Operator again(this->space(), a, this->forced());
    const auto first = this->product_and_dot(op, x, w);
    const auto plain = this->product(op, x);

    for (int k = 0; k < 20; ++k) {
      const auto next = this->product_and_dot(k % 2 == 0 ? again : op, x, w);
      ASSERT_TRUE(same_bits(first.y, next.y)) << k;
      ASSERT_EQ(first.dot, next.dot) << k;
      ASSERT_TRUE(same_bits(plain, this->product(op, x))) << k;
    }
  });
}

TYPED_TEST_P(FormatConformance, NamesBothShapesWhenTheyDiffer) {
  using T = typename TypeParam::value_type;
  const Csr<T> a = stencil<T>(33, 31, 2, 35);
  if (!this->holds(a)) return;
  const Operator op(this->space(), a, this->forced());
  Vector<typename TypeParam::space_type, T> x(this->space(), 31), y(this->space(), 33), other(this->space(), 30);
  auto slot = this->template put<double>({0});

  const auto short_x = message_of<DimensionError>([&] { op.apply(T{1}, other, T{0}, y); });
  const auto short_y = message_of<DimensionError>([&] { op.apply(T{1}, x, T{0}, other); });
  const auto short_w = message_of<DimensionError>([&] { op.apply_dot(x, y, other, slot.data()); });

  for (const std::string& text : {short_x, short_y, short_w}) {
    EXPECT_NE(text.find("33 x 31"), std::string::npos) << text;
    EXPECT_NE(text.find("30"), std::string::npos) << text;
  }
}

TYPED_TEST_P(FormatConformance, PredictsTheBytesThatItTakes) {
  using T = typename TypeParam::value_type;
  this->on_every_sample([&](const auto& op, const Csr<T>& a) {
    const double predicted = static_cast<double>(this->cost(a).bytes), taken = static_cast<double>(op.bytes());

    EXPECT_LE(taken, 2 * predicted + 4096);
    EXPECT_GE(taken, 0.5 * predicted - 4096);
  });
}

TYPED_TEST_P(FormatConformance, PredictsCostsThatCanBeCompared) {
  using T = typename TypeParam::value_type;
  this->on_every_sample([&](const auto&, const Csr<T>& a) {
    const Cost c = this->cost(a);

    EXPECT_TRUE(std::isfinite(c.seconds) && c.seconds > 0) << c.seconds;
    EXPECT_TRUE(std::isfinite(c.setup_seconds) && c.setup_seconds >= 0) << c.setup_seconds;
    EXPECT_TRUE(std::isfinite(c.moved) && c.moved >= 0) << c.moved;
    EXPECT_TRUE(std::isfinite(c.padding) && c.padding >= 0) << c.padding;
  });
}

TYPED_TEST_P(FormatConformance, TakesTheMatrixThatIsMovedIn) {
  using T = typename TypeParam::value_type;
  const Csr<T> a = stencil<T>(597, 597, 9, 36);
  if (!this->holds(a)) return;
  const auto x = random_vector<T>(597, 37);
  auto given = std::make_unique<Csr<T>>(a);
  const Operator op(this->space(), std::move(*given), this->forced());

  given.reset();

  EXPECT_EQ(difference(this->product(op, x), reference_product(a.view(), T{1}, x, T{0}, {})), "");
}

TYPED_TEST_P(FormatConformance, IsKnownByItsNameOnly) {
  int found = 0;
  for (const FormatInfo& info : format_infos) found += info.name == TypeParam::name;

  EXPECT_EQ(found, 1);
  EXPECT_FALSE(std::string_view(TypeParam::description).empty());
}

REGISTER_TYPED_TEST_SUITE_P(FormatConformance, MultipliesByHand, StaysWithinTheBoundForEveryAlphaAndBeta,
                            StaysWithinTheBoundWhenNothingCancels, BetaZeroIgnoresNanInY,
                            NanInXReachesTheRowsThatReadIt, ApplyDotIsApplyAndDot,
                            ApplyDotReadsTheVectorThatItMultiplies, UpdateValuesIsAsGoodAsBuilding,
                            SortsRowsAndAddsDuplicatesFirst, GivesTheSameBitsEachTime, NamesBothShapesWhenTheyDiffer,
                            PredictsTheBytesThatItTakes, PredictsCostsThatCanBeCompared, TakesTheMatrixThatIsMovedIn,
                            IsKnownByItsNameOnly);

}  // namespace ostinato::test
