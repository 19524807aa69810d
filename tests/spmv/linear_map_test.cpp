// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/linear_map.hpp>

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include <ostinato/spmv/linear_operator.hpp>
#include <ostinato/spmv/matrix/generate.hpp>
#include <ostinato/spmv/operator.hpp>
#include <ostinato/spmv/stencil/stencil_operator.hpp>

#include "support/matrices.hpp"
#include "support/reference.hpp"
#include "support/spaces.hpp"

namespace ostinato::test {
namespace {

template <class Case>
class LinearMapOn : public SpaceTest<Case> {
 protected:
  using Home = typename Case::Space;
  using Value = typename Case::T;
  static constexpr int columns = 3;
  static constexpr std::size_t gap = 2;  ///< between columns

  static Block<Value> block_of(Vector<Home, Value>& v, std::size_t n) { return {v.data(), n, columns, n + gap}; }
  Vector<Home, Value> random(std::size_t n, unsigned seed) const {
    return this->put(random_vector<Value>(static_cast<Index>(columns * (n + gap)), seed));
  }

  /// Every column has the bits that it has alone, and nothing is written between columns.
  void expect_columns_as_alone(const LinearMap<Home, Value>& a) const {
    const std::size_t n = a.cols(), m = a.rows();
    auto x = random(n, 1), w = random(m, 2), y = random(m, 3), alone = this->put(y.download());
    const Block<Value> of_x = block_of(x, n), of_w = block_of(w, m), of_y = block_of(y, m),
                       of_alone = block_of(alone, m);
    Vector<Home, double> slots(this->space(), columns), slot(this->space(), columns);
    const auto expect_same = [&](const char* what) {
      EXPECT_TRUE(same_bits(y.download(), alone.download())) << what;
      EXPECT_EQ(slots.download(), slot.download()) << what;
    };

    a.apply(Value{2}, of_x, Value{-1}, of_y);
    for (int k = 0; k < columns; ++k) a.apply(Value{2}, of_x.column(k), Value{-1}, of_alone.column(k));
    EXPECT_TRUE(same_bits(y.download(), alone.download()));

    a.apply_dot(of_x, of_y, of_w, slots.data());
    for (int k = 0; k < columns; ++k) a.apply_dot(of_x.column(k), of_alone.column(k), of_w.column(k), slot.data() + k);
    expect_same("apply_dot");

    a.residual(of_x, of_w, of_y, slots.data());
    for (int k = 0; k < columns; ++k) a.residual(of_x.column(k), of_w.column(k), of_alone.column(k), slot.data() + k);
    expect_same("residual");

    if (!a.accurate_residual(1, 1, of_x, of_w, of_y, slots.data())) return;
    for (int k = 0; k < columns; ++k)
      a.accurate_residual(1, 1, of_x.column(k), of_w.column(k), of_alone.column(k), slot.data() + k);
    expect_same("accurate_residual");
  }
};

TYPED_TEST_SUITE(LinearMapOn, EverySpace, SpaceNames);

TYPED_TEST(LinearMapOn, BlocksGoColumnByColumn) {
  using T = typename TypeParam::T;
  const auto a = generate<T>("convection-diffusion2d", {.n = 9});
  for (const char* format : {"csr", "dia", "sliced-ell"}) {
    SCOPED_TRACE(format);
    this->expect_columns_as_alone(Operator(this->space(), a, {.format = format}));
  }
  const StencilOperator<typename TypeParam::Space, T> stencil(this->space(), *generate_stencil("poisson2d", {.n = 7}));
  this->expect_columns_as_alone(detail::as_map<typename TypeParam::Space, T>(this->space(), stencil));
}

/// An operator of a user: the diagonal 1, 2, .. with a row of zeros below.
template <class Space, class T>
struct UsersOperator {
  using value_type = T;
  using is_capturable = void;
  const Operator<Space, T>& forward;
  const Operator<Space, T>& back;
  Facts known = {};

  Index rows() const { return forward.rows(); }
  Index cols() const { return forward.cols(); }
  const Facts& facts() const { return known; }
  short revision() const { return 7; }
  std::size_t bytes() const { return 11; }
  void apply(T alpha, std::span<const T> x, T beta, std::span<T> y) const { forward.apply(alpha, x, beta, y); }
  void apply_transposed(T alpha, std::span<const T> x, T beta, std::span<T> y) const { back.apply(alpha, x, beta, y); }
};

TYPED_TEST(LinearMapOn, AClassOfAUserIsWrapped) {
  using T = typename TypeParam::T;
  using Space = typename TypeParam::Space;
  const auto a = dense<T>({{1, 0}, {0, 2}, {0, 0}});
  const Operator forward(this->space(), a), back(this->space(), transpose(a.view()));
  const UsersOperator<Space, T> user{forward, back};

  const auto& map = detail::as_map<Space, T>(this->space(), user);

  EXPECT_EQ(map.rows(), 3u);
  EXPECT_EQ(map.cols(), 2u);
  EXPECT_EQ(map.facts(), &user.known);
  EXPECT_EQ(map.revision(), 7);
  EXPECT_EQ(map.bytes(), 11u);
  EXPECT_TRUE(map.capturable());
  EXPECT_TRUE(map.works_on(this->space()));
  EXPECT_EQ(map.lower(), nullptr);
  EXPECT_TRUE(map.column_norms().empty());
  this->expect_columns_as_alone(map);
  ASSERT_NE(map.adjoint(), nullptr);
  EXPECT_EQ(map.adjoint()->rows(), 2u);
  EXPECT_EQ(map.adjoint()->adjoint(), nullptr);
  this->expect_columns_as_alone(*map.adjoint());
  EXPECT_EQ(&(detail::as_map<Space, T>(this->space(), forward)), &forward);
}

/// Has the function that multiplies with the transpose, but says at run time whether it may be called.
struct MayTranspose {
  using value_type = double;
  bool transposes, captures;

  std::size_t rows() const { return 2; }
  std::size_t cols() const { return 2; }
  bool has_transpose() const { return transposes; }
  bool capturable() const { return captures; }
  void apply(double, std::span<const double>, double, std::span<double>) const {}
  void apply_transposed(double, std::span<const double>, double, std::span<double>) const {}
};

TEST(LinearMap, HearsWhatAClassOfAUserSaysAtRunTime) {
  const MayTranspose with{true, true}, without{false, false};
  const auto& yes = detail::as_map<Host, double>(Host(), with);
  const auto& no = detail::as_map<Host, double>(Host(), without);
  EXPECT_NE(yes.adjoint(), nullptr);
  EXPECT_EQ(no.adjoint(), nullptr);
  EXPECT_TRUE(yes.capturable());
  EXPECT_FALSE(no.capturable());
}

TEST(LinearMap, InFloatRefusesOtherShapes) {
  const Operator<Host, double> a(Host(), generate<double>("poisson2d", {.n = 5}), {.format = "dia"});
  ASSERT_NE(a.lower(), nullptr);
  std::vector<float> x(25), y(25), few(24);
  double slot = 0;
  EXPECT_THROW(a.lower()->apply(1, std::span<const float>(few), 0, std::span(y)), DimensionError);
  EXPECT_THROW(a.lower()->apply(1, std::span<const float>(x), 0, std::span(few)), DimensionError);
  EXPECT_THROW(a.lower()->apply_dot(std::span<const float>(x), std::span(y), std::span<const float>(few), &slot),
               DimensionError);
  EXPECT_NO_THROW(a.lower()->apply_dot(std::span<const float>(x), std::span(y), std::span<const float>(x), &slot));
}

}  // namespace
}  // namespace ostinato::test
