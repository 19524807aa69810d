// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <ostinato/solvers/methods/cg.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/base/timing.hpp>
#include <ostinato/spmv/jit/generated_kernels.hpp>
#include <ostinato/spmv/matrix/generate.hpp>
#include <ostinato/spmv/operator.hpp>

#include "support/long_compilation.hpp"
#include "support/reference.hpp"
#include "support/samples.hpp"
#include "support/spaces.hpp"

// Kernels generated for a matrix must give the same bits as the precompiled kernels.

namespace ostinato::test {
namespace {

template <class Case>
using GeneratedOn = SpaceTest<Case>;
using OnGpu = testing::Types<On<Cuda, float>, On<Cuda, double>>;
TYPED_TEST_SUITE(GeneratedOn, OnGpu, SpaceNames);

/// The results of all products of an operator, one after the other. Vectors begin `skip` elements into their arrays, so
/// skip = 1 breaks the alignment that kernels with pairs of rows need.
template <class T>
std::vector<double> everything(const Cuda& space, const Operator<Cuda, T>& op, std::size_t skip) {
  const std::size_t rows = static_cast<std::size_t>(op.rows()), cols = static_cast<std::size_t>(op.cols());
  const auto in = random_vector<T>(static_cast<Index>(cols + skip), 1),
             out = random_vector<T>(static_cast<Index>(rows + skip), 2);
  const Vector<Cuda, T> dx(space, std::span<const T>(in)), db(space, std::span<const T>(out));
  const auto x = dx.span().subspan(skip), b = db.span().subspan(skip);
  Vector<Cuda, double> slot(space, 1, 0.0);
  std::vector<double> all;
  const auto keep = [&](const Vector<Cuda, T>& y) {
    const std::vector<T> host = y.download();
    all.insert(all.end(), host.begin() + static_cast<std::ptrdiff_t>(skip), host.end());
    all.push_back(slot.download()[0]);
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

/// Describes the first element in which the results differ. Empty when they are equal.
std::string first_difference(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return "sizes differ";
  const auto [at, other] = std::mismatch(a.begin(), a.end(), b.begin());
  if (at == a.end()) return {};
  char text[128];
  std::snprintf(text, sizeof text, "element %td of %zu: %a, %a", at - a.begin(), a.size(), *at, *other);
  return text;
}

template <class T>
void expect_same_bits(const Cuda& space, const Csr<T>& a, const char* format, Compress compress) {
  SCOPED_TRACE(std::string(format) + (compress == Compress::on ? "" : ", not compressed"));
  const Operator plain(space, a, FormatOptions{.format = format, .jit = Jit::off, .compress = compress});
  const Operator generated(space, a, FormatOptions{.format = format, .jit = Jit::on, .compress = compress});
  const bool as_good = generated.generated().find("precompiled ones are as good") != std::string::npos;
  ASSERT_EQ(generated.revision() % 2, as_good ? 0 : 1) << generated.generated();
  EXPECT_EQ(plain.revision() % 2, 0);
  for (const std::size_t skip : {0, 1})
    EXPECT_EQ(first_difference(everything(space, plain, skip), everything(space, generated, skip)), "") << skip;
}

template <class T>
void expect_same_bits(const Cuda& space, const Csr<T>& a) {
  for (const char* format : {"dia", "brcsd-i", "brcsd-ii"}) {
    for (const Compress compress : {Compress::on, Compress::off}) expect_same_bits(space, a, format, compress);
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

TYPED_TEST(GeneratedOn, ProductsWithSeveralRowsAThreadHaveTheBitsOfThePrecompiled) {
  using T = typename TypeParam::T;
  const auto check = [&](const char* family, GenerateOptions options) {
    SCOPED_TRACE(family);
    expect_same_bits(this->space(), generate<T>(family, options), "dia", Compress::on);
  };
  check("poisson2d", {.n = 1800});
  check("poisson2d", {.n = 1301});  // an odd n: threads don't take rows in pairs
  check("poisson3d", {.n = 120});
  check("fem27", {.n = 96, .constant = true});
  check("variable2d", {.n = 1300});
  check("variable3d", {.n = 121});
  check("kgs2d", {.n = 700});
}

TYPED_TEST(GeneratedOn, InfinityOutsideARowsPatternStaysThere) {
  using T = typename TypeParam::T;
  const Csr<T> a = generate<T>("poisson2d", {.n = 1300});
  std::vector<T> x(static_cast<std::size_t>(a.cols), T{1});
  x.front() = x.back() = std::numeric_limits<T>::infinity();
  const auto product = [&](Jit jit) {
    const Operator op(this->space(), a, FormatOptions{.format = "dia", .jit = jit, .compress = Compress::on});
    const auto dx = this->put(x);
    auto y = this->put(std::vector<T>(x.size()));
    op.apply(T{1}, dx, T{0}, y);
    const std::vector<T> host = y.download();
    return std::count_if(host.begin(), host.end(), [](T v) { return !std::isfinite(v); });
  };
  EXPECT_EQ(product(Jit::off), 6);  // the rows of two corners, each with two neighbours
  EXPECT_EQ(product(Jit::on), 6);
}

TYPED_TEST(GeneratedOn, NewValuesOfAnotherKindGetNewKernels) {
  using T = typename TypeParam::T;
  Csr<T> a = generate<T>("poisson2d", {.n = 512});
  Operator op(this->space(), a, FormatOptions{.format = "dia", .jit = Jit::on, .compress = Compress::on});
  for (Index i = 0; i < a.rows; ++i) {  // the row classes stay, but are no longer the inner row with entries left out
    for (Offset k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) {
      if (a.col[k] == i) a.val[k] = static_cast<T>(a.row_ptr[i + 1] - a.row_ptr[i] - 1);
    }
  }
  const int before = op.revision();
  op.update_values(a);
  EXPECT_NE(op.revision(), before);
  EXPECT_EQ(op.revision() % 2, 1) << "kernels in use: " << op.generated();
  const auto x = random_vector<T>(a.cols, 5);
  const auto dx = this->put(x);
  auto y = this->put(std::vector<T>(x.size()));
  op.apply(T{1}, dx, T{0}, y);
  EXPECT_EQ(difference(y.download(), reference_product(a.view(), T{1}, x, T{0}, {})), "");
}

TYPED_TEST(GeneratedOn, NewValuesNeedNoNewKernels) {
  using T = typename TypeParam::T;
  for (const Index n : {50, 512}) {
    Csr<T> a = generate<T>("poisson2d", {.n = n});
    Operator op(this->space(), a, FormatOptions{.format = "dia", .jit = Jit::on, .compress = Compress::on});
    for (T& v : a.val) v *= 2;
    const int before = op.revision();
    op.update_values(a);
    EXPECT_NE(op.revision(), before);
    EXPECT_EQ(op.revision() % 2, 1) << op.generated();
    const Operator anew(this->space(), a, FormatOptions{.format = "dia", .jit = Jit::off, .compress = Compress::on});
    EXPECT_EQ(first_difference(everything(this->space(), op, 0), everything(this->space(), anew, 0)), "");
  }
}

/// Empties the cache of compiled kernels, so that the next operator has to compile its kernels.
void forget_kernels() {
  if constexpr (built_with_cuda) GeneratedKernels::forget();
}

/// Enqueues a compilation of about a second. Kernels requested later have to wait, because one thread compiles all.
void keep_compiler_busy() {
  if constexpr (built_with_cuda) (void)GeneratedKernels::request("sm_90", long_source(), {"many"});
}

template <class Op>
void wait_for_kernels(const Op& op) {
  const Stopwatch watch;
  while (op.generated() == "still being compiled" && watch.seconds() < 60)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

TYPED_TEST(GeneratedOn, SolveIsTheSameWheneverTheKernelsComeIntoUse) {
  using T = typename TypeParam::T;
  using Op = Operator<Cuda, T>;
  constexpr int change_at = 20;
  ::setenv("OSTINATO_CACHE_DIR", "", 1);  // turns the disk cache off, which may hold kernels of an earlier run
  const Csr<T> a = generate<T>("variable2d", {.n = 120});
  const auto b = random_vector<T>(a.rows, 3);
  const auto make = [&](Jit jit) {
    forget_kernels();
    return Op(this->space(), a, FormatOptions{.format = "dia", .expected_products = 1e9, .jit = jit});
  };
  const auto solve = [&](const Op& op, SolveOptions options = {}) {
    auto x = this->put(std::vector<T>(b.size()));
    const auto db = this->put(b);
    options.rtol = is_single<T> ? 1e-4 : 1e-9;
    const SolveResult result = cg(this->space(), op, db, x.span(), Identity{}, options);
    EXPECT_EQ(result.status, Status::converged) << result.message();
    return std::pair{x.download(), result.iterations};
  };
  const auto plain = solve(make(Jit::off));
  ASSERT_GT(plain.second, 3 * change_at);

  EXPECT_EQ(plain, solve(make(Jit::automatic)));
  EXPECT_EQ(plain, solve(make(Jit::on)));

  // The generated kernels become ready between two iterations, when the solver has already captured a graph of the
  // precompiled kernels.
  keep_compiler_busy();
  const Op op = make(Jit::automatic);
  int before = -1, after = -1, changed_at = 0;
  const auto callback = [&](const Iteration& now) {
    if (now.number < change_at) {
      before = op.revision();
    } else if (after < 0) {
      wait_for_kernels(op);
      after = op.revision();
      changed_at = now.number;
    }
    return true;
  };
  const auto changed = solve(op, {.check_every = 4, .callback = callback});

  EXPECT_EQ(before % 2, 0);
  EXPECT_EQ(after, before + 1) << op.generated();
  EXPECT_LT(changed_at, 2 * change_at);
  EXPECT_EQ(plain, changed);
}

}  // namespace
}  // namespace ostinato::test
