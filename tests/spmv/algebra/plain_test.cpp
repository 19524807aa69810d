// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0

// Products and transposes of matrices on a space of a program: the patterns of Host, and its values to rounding.

#include "support/plain_solves.hpp"

#include <ostinato/spmv/algebra/product.hpp>
#include <ostinato/spmv/algebra/transpose.hpp>
#include <ostinato/spmv/matrix/on_host.hpp>

namespace ostinato::test {
namespace {

template <class Make>
void expect_same_matrix(Make make) {
  const auto on = [&](const auto& space) {
    const auto made = make(space);
    return detail::OnHost<double>(space, made.view());
  };
  const detail::OnHost<double> here = on(plain::Plain()), there = on(Host());
  EXPECT_EQ(here.row_ptr, there.row_ptr);
  ASSERT_EQ(here.col, there.col);
  EXPECT_LT(distance(here.val, there.val), 1e-13);
}

Csr<double> first() { return generate<double>("convection-diffusion2d", {.n = 13}); }
Csr<double> second() { return generate<double>("poisson2d", {.n = 13}); }

TEST(PlainSpace, MultipliesMatrices) {
  expect_same_matrix([]<class Space>(const Space& space) {
    return multiply(space, SpaceCsr<Space, double>(space, first()), SpaceCsr<Space, double>(space, second()));
  });
}

TEST(PlainSpace, UpdatesProductsOfMatrices) {
  expect_same_matrix([]<class Space>(const Space& space) {
    Csr<double> a = first();
    const SpaceCsr<Space, double> b(space, second());
    MatrixProduct<Space, double> product(space, SpaceCsr<Space, double>(space, first()), b);
    for (double& v : a.val) v *= 1.5;
    product.update(SpaceCsr<Space, double>(space, std::move(a)), b);
    return product.result();
  });
}

TEST(PlainSpace, TransposesMatrices) {
  expect_same_matrix(
      []<class Space>(const Space& space) { return transpose(space, SpaceCsr<Space, double>(space, first())); });
}

}  // namespace
}  // namespace ostinato::test
