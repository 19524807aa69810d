// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <ostinato/preconditioners/jacobi.hpp>
#include <ostinato/solvers/definitions.hpp>
#include <ostinato/solvers/list.hpp>
#include <ostinato/solvers/methods/instantiate.hpp>
#include <ostinato/spmv/space/concept.hpp>

#include "support/halves.hpp"
#include "support/solving.hpp"

// All solvers, with sums over two parts of each vector, against the same solvers with whole sums.

namespace ostinato {

// Those of Host are the library's.
#define OSTINATO_OF_LIBRARY(Method)                     \
  extern OSTINATO_INSTANTIATE_RUN(Method, Host, float); \
  extern OSTINATO_INSTANTIATE_RUN(Method, Host, double)
OSTINATO_OF_LIBRARY(Cg);
OSTINATO_OF_LIBRARY(Bicgstab);
OSTINATO_OF_LIBRARY(Gmres);
OSTINATO_OF_LIBRARY(Minres);
OSTINATO_OF_LIBRARY(Bicgstab2);
OSTINATO_OF_LIBRARY(Idr);
OSTINATO_OF_LIBRARY(Gcrodr);
OSTINATO_OF_LIBRARY(Lsmr);

}  // namespace ostinato

namespace ostinato::test {
namespace {

static_assert(HasLoops<Halves<Host>, Sums<1>> && DistributedSpace<Halves<Host>> && !DistributedSpace<Host>);

/// A matrix without sums of its own, so that the space adds up every dot product.
template <class T>
class Products {
 public:
  using value_type = T;
  explicit Products(const Csr<T>& a) : a_(Host(), a), transposed_(Host(), transpose(a.view())) {}

  std::size_t rows() const { return a_.rows(); }
  std::size_t cols() const { return a_.cols(); }
  void apply(T alpha, std::span<const T> x, T beta, std::span<T> y) const { a_.apply(alpha, x, beta, y); }
  void apply_transposed(T alpha, std::span<const T> x, T beta, std::span<T> y) const {
    transposed_.apply(alpha, x, beta, y);
  }
  const Facts& facts() const { return a_.structure(); }

 private:
  Operator<Host, T> a_, transposed_;
};

template <class T>
class Diagonal {
 public:
  explicit Diagonal(const Csr<T>& a) : m_(Host(), a) {}
  void apply(std::span<const T> r, std::span<T> z) const { m_.apply(r, z); }
  static constexpr bool equals_transpose() { return true; }
  static constexpr bool for_least_squares() { return true; }  // positive, which is all that LSMR needs

 private:
  Jacobi<Host, T> m_;
};

template <class Method, class T>
Solved<T> solved_on(const auto& space, const System<T>& system, const auto& m, const SolveOptions& options) {
  return run_with<Method>(space, Products<T>(system.a), system, m, options);
}

template <class Method, class T, class M>
void expect_equal_bits(const System<T>& system, const M& m, const SolveOptions& options) {
  SCOPED_TRACE(std::string(Method::name));
  const Solved<T> whole = solved_on<Method>(Host(), system, m, options);
  const int before = Halves<Host>::reductions;
  const Solved<T> parts = solved_on<Method>(Halves<Host>(), system, m, options);

  EXPECT_GT(Halves<Host>::reductions, before + parts.result.iterations);
  constexpr bool may_refuse = Method::needs_symmetry;
  EXPECT_GT(whole.result.iterations, may_refuse ? -1 : 3);
  EXPECT_EQ(parts.result.status, whole.result.status);
  EXPECT_EQ(parts.result.iterations, whole.result.iterations);
  EXPECT_EQ(parts.result.history, whole.result.history);
  EXPECT_EQ(parts.result.residual, whole.result.residual);
  EXPECT_TRUE(same_bits(parts.x, whole.x));
}

template <class T, class M, class... Method>
void expect_equal_bits(MethodList<Method...>, const System<T>& system, const M& m, const SolveOptions& options) {
  (expect_equal_bits<Method>(system, m, options), ...);
}

template <class T>
class DistributedSums : public testing::Test {};
using Values = testing::Types<float, double>;
TYPED_TEST_SUITE(DistributedSums, Values);

TYPED_TEST(DistributedSums, GiveEverySolverTheBitsOfHost) {
  using T = TypeParam;
  for (const char* family : {"poisson2d", "convection-diffusion2d", "variable2d"}) {
    SCOPED_TRACE(family);
    const System<T> system = with_known_solution(generate<T>(family, {.n = 72}));  // 5184 rows, three blocks
    const SolveOptions options{.rtol = is_single<T> ? 1e-4 : 1e-8, .max_iterations = 60};
    expect_equal_bits(Solvers{}, system, Identity{}, options);
    expect_equal_bits(Solvers{}, system, Diagonal<T>(system.a), options);
  }
}

TEST(DistributedSum, AsksForNoElementsWherePrepareSaysNo) {
  struct Skipped {
    int *elements, *skips, *ends;
    bool prepare() const { return false; }
    void skipped() const { ++*skips; }
    Sums<1> operator()(std::size_t) const { return {{1.0 + ++*elements}}; }
    void finish(const Sums<1>&) const { ++*ends; }
  };
  int elements = 0, skips = 0, ends = 0;
  double slot = 7;
  sum(Halves<Host>(), 5000, Skipped{&elements, &skips, &ends}, &slot);
  EXPECT_EQ(elements, 0);
  EXPECT_EQ(skips, 1);
  EXPECT_EQ(ends, 0);
  EXPECT_EQ(slot, 7);
}

TEST(DistributedSum, IsThatOfHostForEveryLength) {
  for (const std::size_t n : {0, 1, 31, 2048, 2049, 4096, 4097, 10000}) {
    const std::vector<double> x = random_vector<double>(static_cast<Index>(n), 3),
                              y = random_vector<double>(static_cast<Index>(n), 4);
    double whole = -1, parts = -2;
    dot<double>(Host(), x, y, &whole);
    dot<double>(Halves<Host>(), x, y, &parts);
    EXPECT_EQ(parts, whole) << n;
  }
}

}  // namespace
}  // namespace ostinato::test
