// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include <ostinato/solvers/cg.hpp>
#include <ostinato/spmv/generate.hpp>
#include <ostinato/spmv/operator.hpp>

#include "support/reference.hpp"
#include "support/samples.hpp"
#include "support/spaces.hpp"

// Kernels that were generated for a matrix, against the precompiled ones: the same bits.

namespace ostinato::test {
namespace {

template <class Case>
using GeneratedOn = SpaceTest<Case>;
using OnGpu = testing::Types<On<Cuda, float>, On<Cuda, double>>;
TYPED_TEST_SUITE(GeneratedOn, OnGpu, SpaceNames);

/// All that an operator computes, for vectors that begin `skip` elements into their arrays.
template <class T>
std::vector<T> everything(const Cuda& space, const Operator<Cuda, T>& op, std::size_t skip) {
  const std::size_t rows = static_cast<std::size_t>(op.rows()), cols = static_cast<std::size_t>(op.cols());
  const auto in = random_vector<T>(static_cast<Index>(cols + skip), 1), out = random_vector<T>(static_cast<Index>(rows + skip), 2);
  const Vector<Cuda, T> dx(space, std::span<const T>(in)), db(space, std::span<const T>(out));
  const auto x = dx.span().subspan(skip), b = db.span().subspan(skip);
  Vector<Cuda, double> slot(space, 1, 0.0);
  std::vector<T> all;
  const auto keep = [&](const Vector<Cuda, T>& y) {
    const std::vector<T> host = y.download();
    all.insert(all.end(), host.begin() + static_cast<std::ptrdiff_t>(skip), host.end());
    all.push_back(static_cast<T>(slot.download()[0]));
  };
  for (const auto& [alpha, beta] : {std::pair{T{1}, T{0}}, std::pair{T(2.5), T{-1}}}) {
    Vector<Cuda, T> y(space, std::span<const T>(out));
    op.apply(alpha, x, beta, y.span().subspan(skip));
    keep(y);
  }
  Vector<Cuda, T> r(space, std::span<const T>(out));
  op.residual(x, b, r.span().subspan(skip), slot.data());
  keep(r);
  if (rows == cols) {
    op.apply_dot(x, r.span().subspan(skip), b, slot.data());
    keep(r);
  }
  return all;
}

/// Where two results differ first; empty when nowhere.
template <class T>
std::string first_difference(const std::vector<T>& a, const std::vector<T>& b) {
  if (a.size() != b.size()) return "sizes differ";
  const auto [at, other] = std::mismatch(a.begin(), a.end(), b.begin());
  if (at == a.end()) return {};
  char text[128];
  std::snprintf(text, sizeof text, "element %td of %zu: %a, %a", at - a.begin(), a.size(), static_cast<double>(*at),
                static_cast<double>(*other));
  return text;
}

template <class T>
void expect_same_bits(const Cuda& space, const Csr<T>& a) {
  for (const char* format : {"dia", "brcsd-i", "brcsd-ii"}) {
    for (const bool compress : {true, false}) {
      SCOPED_TRACE(std::string(format) + (compress ? "" : ", not compressed"));
      const Operator plain(space, a, FormatOptions{.format = format, .jit = Jit::off, .compress = compress});
      const Operator generated(space, a, FormatOptions{.format = format, .jit = Jit::on, .compress = compress});
      const bool as_good = generated.generated().find("precompiled ones are as good") != std::string::npos;
      ASSERT_EQ(generated.revision(), as_good ? 0 : 1) << generated.generated();
      EXPECT_EQ(plain.revision(), 0);
      for (const std::size_t skip : {0, 1})
        EXPECT_EQ(first_difference(everything(space, plain, skip), everything(space, generated, skip)), "") << skip;
    }
  }
}

TYPED_TEST(GeneratedOn, ProductsOfStencilsHaveTheBitsOfThePrecompiled) {
  using T = typename TypeParam::T;
  for (const char* family : {"poisson2d", "poisson3d", "variable2d", "pde3d", "kgs2d", "kgs3d", "maxwell2d"}) {
    SCOPED_TRACE(family);
    expect_same_bits(this->space(), generate<T>(family, {.n = 40}));
  }
  expect_same_bits(this->space(), generate<T>("poisson2d", {.n = 67}));
  expect_same_bits(this->space(), generate<T>("poisson2d", {.n = 512}));
  expect_same_bits(this->space(), generate<T>("fem27", {.n = 33, .constant = true}));
  expect_same_bits(this->space(), generate<T>("fem27", {.n = 20}));
}

TYPED_TEST(GeneratedOn, ProductsOfBrokenDiagonalsHaveTheBitsOfThePrecompiled) {
  using T = typename TypeParam::T;
  expect_same_bits(this->space(), generate<T>("banded", {.n = 5000}));
  expect_same_bits(this->space(), stencil<T>(33, 597, 5, 3));
  expect_same_bits(this->space(), stencil<T>(597, 33, 5, 4));
  expect_same_bits(this->space(), stencil<T>(1, 1, 1, 4));
  expect_same_bits(this->space(), with_explicit_zeros<T>());
}

TYPED_TEST(GeneratedOn, NewValuesNeedNoNewKernels) {
  using T = typename TypeParam::T;
  Csr<T> a = generate<T>("poisson2d", {.n = 50});
  Operator op(this->space(), a, FormatOptions{.format = "dia", .jit = Jit::on});
  for (T& v : a.val) v *= 2;
  op.update_values(a);
  EXPECT_EQ(op.revision(), 1);
  const Operator anew(this->space(), a, FormatOptions{.format = "dia", .jit = Jit::off});
  EXPECT_EQ(first_difference(everything(this->space(), op, 0), everything(this->space(), anew, 0)), "");
}

TYPED_TEST(GeneratedOn, SolveIsTheSameWheneverTheKernelsComeIntoUse) {
  using T = typename TypeParam::T;
  const Csr<T> a = generate<T>("variable2d", {.n = 120});
  const auto b = random_vector<T>(a.rows, 3);
  const auto solve = [&](Jit jit) {
    GeneratedKernels::forget();
    const Operator op(this->space(), a, FormatOptions{.format = "dia", .expected_products = 1e9, .jit = jit});
    auto x = this->put(std::vector<T>(b.size()));
    const auto db = this->put(b);
    SolveOptions options;
    options.rtol = sizeof(T) == 4 ? 1e-4 : 1e-9;
    const SolveResult result = cg(this->space(), op, db, x.span(), Identity{}, options);
    EXPECT_EQ(result.status, Status::converged) << result.message();
    return std::pair{x.download(), result.iterations};
  };
  const auto plain = solve(Jit::off);
  EXPECT_EQ(plain, solve(Jit::automatic));
  EXPECT_EQ(plain, solve(Jit::on));
}

}  // namespace
}  // namespace ostinato::test
