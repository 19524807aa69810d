// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/solvers/methods/gmres.hpp>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>

#include <ostinato/solvers/methods/gcrodr.hpp>
#include <ostinato/solvers/methods/gmres_definition.hpp>
#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/scalar.hpp>

#include "support/solving.hpp"

namespace ostinato::test {
namespace {

template <class Case>
class GmresOn : public SpaceTest<Case> {
 protected:
  template <class T, class M = Identity>
  Solved<T> solve(const System<T>& system, const SolveOptions& options, const M& m = {}) const {
    return solve_honestly<Gmres>(this->space(), system, options, m);
  }
};

TYPED_TEST_SUITE(GmresOn, EverySpace, SpaceNames);

/// A preconditioner that changes with each call: z = r, 2 r, 3 r, r, ...
template <class Space, class T>
class Varying {
 public:
  explicit Varying(const Space& space) : space_(space) {}
  void apply(std::span<const T> r, std::span<T> z) const { scale<T>(space_, T(1 + calls_++ % 3), r, z); }

 private:
  Space space_;
  mutable int calls_ = 0;
};

template <class Space, class T>
struct SaysThatItVaries : Varying<Space, T> {
  using Varying<Space, T>::Varying;
  bool varies() const { return true; }
};

/// A random matrix with a dominant diagonal, whose entries have both signs.
template <class T>
Csr<T> indefinite(Index n) {
  std::vector<Triplet<T>> triplets;
  Random random(5);
  for (Index i = 0; i < n; ++i) {
    triplets.push_back({i, i, static_cast<T>(i % 3 == 0 ? -6 : 6)});
    for (int k = 0; k < 4; ++k) triplets.push_back({i, below(random, n), static_cast<T>(signed_unit(random))});
  }
  return from_triplets<T>(n, n, triplets);
}

TYPED_TEST(GmresOn, EndsInAsManyStepsAsThereAreUnknowns) {
  using T = typename TypeParam::T;
  const auto system = with_known_solution(indefinite<T>(31));

  const auto result = this->solve(system, {.rtol = 1e-5, .restart = 100}).result;

  EXPECT_EQ(result.status, Status::converged);
  EXPECT_LE(result.iterations, 31);
  EXPECT_TRUE(result.notes.empty());
}

TYPED_TEST(GmresOn, SolvesAShiftThatStallsUntilTheLastStep) {
  using T = typename TypeParam::T;
  std::vector<Triplet<T>> triplets;
  for (Index i = 0; i < 20; ++i) triplets.push_back({i, (i + 1) % 20, 1});
  std::vector<T> b(20);
  b[0] = 1;

  const auto result = this->solve(System<T>{from_triplets<T>(20, 20, triplets), b}, {.rtol = 1e-5}).result;

  EXPECT_EQ(result.status, Status::converged);
  EXPECT_EQ(result.iterations, 20);
  for (std::size_t k = 0; k < 20; ++k) EXPECT_NEAR(result.history[k], 1, 1e-5);
}

TYPED_TEST(GmresOn, FlexibleIsTheSameForAFixedPreconditioner) {
  using T = typename TypeParam::T;
  const auto system = with_known_solution(generate<T>("pde2d", {.n = 25}));
  const Jacobi m(this->space(), system.a);

  const auto plain = this->solve(system, {.rtol = 1e-4}, m);
  const auto flexible = this->solve(system, {.rtol = 1e-4, .flexible = true}, m);

  EXPECT_EQ(flexible.result.status, Status::converged);
  EXPECT_NEAR(flexible.result.iterations, plain.result.iterations, 1);
}

TYPED_TEST(GmresOn, FlexibleBearsAPreconditionerThatVaries) {
  using T = typename TypeParam::T;
  using Space = typename TypeParam::Space;
  const auto system = with_known_solution(generate<T>("poisson2d", {.n = 12}));

  const auto flexible =
      this->solve(system, {.rtol = 1e-4, .restart = 144, .flexible = true}, Varying<Space, T>(this->space()));
  const auto plain =
      this->solve(system, {.rtol = 1e-4, .max_iterations = 300, .restart = 144}, Varying<Space, T>(this->space()));

  EXPECT_EQ(flexible.result.status, Status::converged) << flexible.result.message();
  EXPECT_TRUE(flexible.result.notes.empty());
  EXPECT_FALSE(plain.result.notes.empty() && plain.result.status == Status::converged) << "it can't have varied";
}

TYPED_TEST(GmresOn, IsFlexibleForAPreconditionerThatSaysThatItVaries) {
  using T = typename TypeParam::T;
  using Space = typename TypeParam::Space;
  const auto system = with_known_solution(generate<T>("poisson2d", {.n = 12}));
  const SolveOptions options{.rtol = 1e-4, .restart = 144};
  SolveOptions flexible = options;
  flexible.flexible = true;

  const auto by_option = this->solve(system, flexible, Varying<Space, T>(this->space()));
  const auto by_itself = this->solve(system, options, SaysThatItVaries<Space, T>(this->space()));

  EXPECT_EQ(by_itself.result.status, Status::converged) << by_itself.result.message();
  EXPECT_EQ(by_itself.x, by_option.x);
}

/// z = r / 3, rounded to float: not linear to more than 1e-7.
template <class Space, class T>
struct InFloat {
  Space space;
  std::size_t rows;
  void apply(std::span<const T> r, std::span<T> z) const {
    std::vector<T> host(rows);
    space.download(host.data(), r.data(), r.size_bytes());
    for (T& v : host) v = static_cast<T>(static_cast<float>(v / 3));
    space.upload(z.data(), host.data(), z.size_bytes());
    space.wait();
  }
  bool works_in_float() const { return true; }
};

TYPED_TEST(GmresOn, KeepsThePreconditionedBasisUnderAPreconditionerInFloat) {
  using T = typename TypeParam::T;
  using Space = typename TypeParam::Space;
  const auto system = with_known_solution(generate<T>("pde2d", {.n = 20}));
  const double rtol = is_single<T> ? 1e-5 : 1e-12;
  const InFloat<Space, T> m{this->space(), 400};

  const auto without = this->solve(system, {.rtol = rtol, .restart = 200}).result;
  const auto in_float = this->solve(system, {.rtol = rtol, .restart = 200}, m).result;
  const auto short_of_memory =
      this->solve(system, {.rtol = rtol, .mem_limit = 300 * 400 * sizeof(T), .restart = 200}, m).result;

  EXPECT_NEAR(in_float.iterations, without.iterations, 1);
  EXPECT_EQ(short_of_memory.status, Status::converged);
  EXPECT_LE(short_of_memory.workspace_bytes, 220 * 400 * sizeof(T) + 202 * 202 * sizeof(T));
}

/// Lets the process have little more memory than it has.
class LittleMemory {
 public:
  explicit LittleMemory(std::size_t bytes) {
    getrlimit(RLIMIT_AS, &before_);
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    rlimit less = before_;
    less.rlim_cur = pages * static_cast<std::size_t>(getpagesize()) + bytes;
    setrlimit(RLIMIT_AS, &less);
  }
  ~LittleMemory() { setrlimit(RLIMIT_AS, &before_); }
  LittleMemory(const LittleMemory&) = delete;
  LittleMemory& operator=(const LittleMemory&) = delete;

 private:
  rlimit before_{};
};

/// A method with a preconditioner in float keeps one basis where two don't fit. Each method has a limit of its own:
/// AddressSanitizer keeps the addresses of what was freed.
template <class Method>
void expect_one_basis() {
  const Host space;
  const auto system = with_known_solution(generate<double>("pde2d", {.n = 150}));
  const InFloat<Host, double> m{space, system.b.size()};
  const SolveOptions options{.rtol = 1e-2, .max_iterations = 500, .restart = 500, .recycle = 1};
  const std::size_t basis = 500 * system.b.size() * sizeof(double);

  const LittleMemory memory(basis + basis / 2);
  const SolveResult result = solve_honestly<Method>(space, system, options, m).result;

  EXPECT_EQ(result.status, Status::converged) << result.message();
  EXPECT_LE(result.workspace_bytes, basis + basis / 2);
}

TEST(GmresInLittleMemory, KeepsOneBasisWhereThereIsNoRoomForTwo) { expect_one_basis<Gmres>(); }

TEST(GcrodrInLittleMemory, KeepsOneBasisWhereThereIsNoRoomForTwo) { expect_one_basis<Gcrodr>(); }

TEST(GmresMemory, ARestartThatDoesNotFitIsRefusedBeforeItsMemoryIsTaken) {
  const auto system = with_known_solution(generate<double>("convection-diffusion2d", {.n = 300}));
  const Host space;
  const Operator<Host, double> op(space, system.a);
  std::vector<double> x(system.b.size());
  const double vector = 90000 * sizeof(double);
  const LittleMemory memory(static_cast<std::size_t>(400 * vector));
  for (const SolveOptions& options : {SolveOptions{.restart = 3000}, SolveOptions{.restart = 3000, .flexible = true}}) {
    const std::string what =
        message_of<MemoryLimitError>([&] { gmres(space, op, In<double>(system.b), Out<double>(x), options); });
    EXPECT_EQ(what.rfind("gmres: a basis of 3000 vectors takes ", 0), 0u) << what;
    EXPECT_NE(what.find(" are free; lower restart"), std::string::npos) << what;
  }
  const std::string what = message_of<MemoryLimitError>(
      [&] { gcrodr(space, op, In<double>(system.b), Out<double>(x), SolveOptions{.restart = 3000}); });
  EXPECT_EQ(what.rfind("gcrodr: a basis of ", 0), 0u) << what;
  EXPECT_NE(what.find(" are free; lower restart or recycle"), std::string::npos) << what;
  // No more vectors than ten iterations can use.
  EXPECT_EQ(gmres(space, op, In<double>(system.b), Out<double>(x), {.max_iterations = 10, .restart = 3000}).iterations,
            10);
  EXPECT_EQ(
      gcrodr(space, op, In<double>(system.b), Out<double>(x), {.max_iterations = 10, .restart = 3000, .recycle = 5})
          .iterations,
      10);
}

TYPED_TEST(GmresOn, KeepsNoMoreVectorsThanIterationsCanUse) {
  using T = typename TypeParam::T;
  const auto system = with_known_solution(generate<T>("convection-diffusion2d", {.n = 40}));
  for (const int restart : {automatic_restart, 1000}) {
    for (const bool flexible : {false, true}) {
      const SolveOptions options = {.rtol = 1e-9, .max_iterations = 7, .restart = restart, .flexible = flexible};
      const Jacobi<typename TypeParam::Space, T> m(this->space(), system.a);
      const auto result = this->solve(system, options, m).result;
      EXPECT_EQ(result.iterations, 7);
      EXPECT_LE(result.workspace_bytes, 24 * 1600 * sizeof(T));
    }
  }
}

TYPED_TEST(GmresOn, RestartCountsForTheWorkspace) {
  using T = typename TypeParam::T;
  const auto system = with_known_solution(generate<T>("poisson2d", {.n = 20}));

  const auto small = this->solve(system, {.rtol = 1e-4, .restart = 5}).result;
  const auto large = this->solve(system, {.rtol = 1e-4, .restart = 50}).result;

  EXPECT_LT(large.iterations, small.iterations);
  EXPECT_GE(large.workspace_bytes, small.workspace_bytes + 45 * 400 * sizeof(T));
}

/// A ring of shifts: the residual stays as it is until the last of n steps.
template <class T>
System<T> ring_of_shifts(Index n) {
  std::vector<Triplet<T>> triplets;
  for (Index i = 0; i < n; ++i) triplets.push_back({i, (i + 1) % n, 1});
  std::vector<T> b(static_cast<std::size_t>(n));
  b[0] = 1;
  return {from_triplets<T>(n, n, triplets), b};
}

TYPED_TEST(GmresOn, AutomaticRestartKeepsABasisThatGetsNowhereYet) {
  using T = typename TypeParam::T;
  const auto system = ring_of_shifts<T>(120);

  const auto automatic = this->solve(system, {.rtol = 1e-4}).result;
  const auto after_fifty = this->solve(system, {.rtol = 1e-4, .restart = 50}).result;

  EXPECT_EQ(automatic.status, Status::converged) << automatic.message();
  EXPECT_EQ(automatic.iterations, 120);
  EXPECT_TRUE(automatic.notes.empty());
  EXPECT_EQ(after_fifty.status, Status::stagnated);
}

TYPED_TEST(GmresOn, AutomaticRestartIsHadWhereFewCyclesAreLeft) {
  using T = typename TypeParam::T;
  const auto system = with_known_solution(generate<T>("convection-diffusion2d", {.n = 40}));

  const auto automatic = this->solve(system, {.rtol = 1e-5}).result;
  const auto given = this->solve(system, {.rtol = 1e-5, .restart = 1000}).result;

  EXPECT_EQ(automatic.status, Status::converged);
  EXPECT_GT(given.iterations, 50) << "else nothing was tested";
  EXPECT_GE(restarts(automatic), 1);
  EXPECT_EQ(restarts(given), 0);
}

TYPED_TEST(GmresOn, BasisOfAnAutomaticRestartGrowsWithTheSolve) {
  using T = typename TypeParam::T;
  const auto easy = this->solve(with_known_solution(diagonal_matrix(std::vector<T>(600, T{2}))), {.rtol = 1e-4}).result;
  const auto hard = this->solve(ring_of_shifts<T>(600), {.rtol = 1e-3}).result;

  EXPECT_EQ(easy.iterations, 1);
  EXPECT_EQ(hard.iterations, 600);
  EXPECT_GE(hard.workspace_bytes, easy.workspace_bytes + 500 * 600 * sizeof(T));
}

TYPED_TEST(GmresOn, BasisStaysWithinALimitOfMemory) {
  using T = typename TypeParam::T;
  const auto system = ring_of_shifts<T>(600);
  const std::size_t limit = 40 * 600 * sizeof(T);

  const auto result = this->solve(system, {.rtol = 1e-3, .max_iterations = 200, .mem_limit = limit}).result;

  EXPECT_TRUE(mentions(result, "gmres kept 40 vectors: the limit of memory leaves")) << result.message();
  EXPECT_LE(result.workspace_bytes, limit + 20 * 600 * sizeof(T));
  EXPECT_THROW(this->solve(system, {.mem_limit = limit, .restart = 41}), MemoryLimitError);
  EXPECT_NO_THROW(this->solve(system, {.rtol = 1e-3, .max_iterations = 80, .mem_limit = limit, .restart = 40}));
}

TEST(KrylovVectors, AreBoundedByRowsMemoryAndWhatWasAskedFor) {
  EXPECT_EQ(krylov_vectors(67, 8, automatic_restart), 67);
  EXPECT_EQ(krylov_vectors(100'000, 8, 50), 50);
  EXPECT_EQ(krylov_vectors(10, 8, 50), 10);
  EXPECT_EQ(krylov_vectors(0, 8, automatic_restart), 1);
  EXPECT_LE(krylov_vectors(1'000, 8, automatic_restart), 1'000);
  EXPECT_LE(krylov_vectors(1'000'000, 8, automatic_restart), 250) << "2 GB";
  EXPECT_EQ(krylov_vectors(2'000'000'000, 8, automatic_restart), 1);
  EXPECT_EQ(krylov_vectors(1'000, 8, automatic_restart, 80'000), 10);
  EXPECT_EQ(krylov_vectors(1'000, 8, 50, 80'000), 50) << "a given one isn't made smaller";
  EXPECT_EQ(basis_memory(1000), 1000);
  EXPECT_EQ(basis_memory(), 2e9);
  EXPECT_EQ(basis_memory(1'000'000'000'000), 2e9);
}

TYPED_TEST(GmresOn, TakesARestartOverTheNumberOfRowsAndRefusesNone) {
  using T = typename TypeParam::T;
  const auto system = with_known_solution(generate<T>("poisson2d", {.n = 5}));
  const auto result = this->solve(system, {.rtol = 1e-3, .restart = 1000000}).result;

  EXPECT_EQ(result.status, Status::converged) << result.message();
  const auto text = message_of<ArgumentError>([&] { this->solve(system, {.rtol = 1e-3, .restart = -3}); });
  EXPECT_EQ(text, "SolveOptions: restart is -3; it has to be at least 0");
}

/// Orthonormal vectors, by columns, and the columns of H with A V = V H.
template <class T>
struct Basis {
  std::vector<std::vector<T>> v;
  std::vector<std::vector<double>> h;
};

/// The basis that GMRES makes from `start`, of so many steps, `every` of them before the host looks at them.
template <class Space, class T>
Basis<T> basis_of(const Space& space, const Csr<T>& a, const std::vector<T>& start, int steps, int every = 1,
                  const PreconditionerRef<Space, T>& m = {}) {
  const Operator<Space, T> op(space, a);
  const OperatorRef<Space, T> ref(op);
  Workspace<Space> workspace(space);
  gmres_loop::Arnoldi<Space, T> krylov(space, ref, m, steps, 8, false, workspace);
  const Vector<Space, T> r(space, std::span<const T>(start));
  double norm = 0;
  for (const T value : start) norm = std::hypot(norm, value);
  HessenbergOf<double> least_squares(norm);
  ConvergenceState state{.last = steps + 1};
  krylov.begin(r, norm);
  for (int j = 0; j < steps && state.running();) {
    EXPECT_TRUE(krylov.make_room(j + 1));
    krylov.step(j++);
    if (j % every == 0 || j == steps) j = krylov.absorb(j, least_squares, state);
  }
  Basis<T> found{{}, krylov.hessenberg()};
  for (int j = 0; j < least_squares.columns(); ++j) {
    found.v.emplace_back(start.size());
    space.download(found.v.back().data(), krylov.basis(j).data(), start.size() * sizeof(T));
  }
  return found;
}

template <class T>
constexpr double basis_tolerance = is_single<T> ? 1e-5 : 1e-13;

/// Expects ||I - V^T V|| in the Frobenius norm to be within the tolerance.
template <class T>
void expect_orthonormal(const Basis<T>& basis) {
  long double sum = 0;
  for (std::size_t i = 0; i < basis.v.size(); ++i) {
    for (std::size_t j = 0; j < basis.v.size(); ++j) {
      long double product = i == j ? -1 : 0;
      for (std::size_t k = 0; k < basis.v[i].size(); ++k)
        product += static_cast<long double>(basis.v[i][k]) * static_cast<long double>(basis.v[j][k]);
      sum += product * product;
    }
  }
  EXPECT_LE(std::sqrt(sum), basis_tolerance<T>);
}

/// Expects ||A M^-1 v(j) - V H(:, j)|| to be small beside `size`, a norm of A M^-1, for all j but the last.
template <class T>
void expect_arnoldi_relation(const Basis<T>& basis, const Csr<T>& a, double size, double of_m = 1) {
  for (std::size_t j = 0; j + 1 < basis.v.size(); ++j) {
    const auto rows = reference_product(a.view(), T{1}, basis.v[j], T{0}, {});
    long double sum = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      long double rest = rows[i].value / static_cast<long double>(of_m);
      for (std::size_t k = 0; k < j + 2; ++k) rest -= static_cast<long double>(basis.v[k][i]) * basis.h[j][k];
      sum += rest * rest;
    }
    EXPECT_LE(std::sqrt(sum), basis_tolerance<T> * size) << "column " << j;
  }
}

/// Upper bidiagonal, with a diagonal from 1 to 10^-digits and `beside` times the diagonal beside it.
template <class T>
Csr<T> graded(Index n, double digits, double beside) {
  std::vector<Triplet<T>> triplets;
  for (Index i = 0; i < n; ++i) {
    const double value = std::pow(10, -digits * i / std::max<Index>(n - 1, 1));
    triplets.push_back({i, i, static_cast<T>(value)});
    if (i + 1 < n) triplets.push_back({i, i + 1, static_cast<T>(beside * value)});
  }
  return from_triplets<T>(n, n, triplets);
}

TYPED_TEST(GmresOn, BasisIsOrthonormalHoweverIllConditionedAIs) {
  using T = typename TypeParam::T;
  const double digits = is_single<T> ? 7 : 15;
  for (const Index n : {1, 2, 31, 33, 597}) {
    for (const double beside : {0.0, 0.5, 10.0}) {
      for (const int every : {1, 5}) {
        SCOPED_TRACE(testing::Message() << n << " rows, " << beside << " beside, every " << every);
        const Csr<T> a = graded<T>(n, digits, beside);
        const auto basis =
            basis_of<typename TypeParam::Space, T>(this->space(), a, random_vector<T>(n, 3), std::min(n, 120), every);
        EXPECT_GE(basis.v.size(), n == 597 ? 20u : 1u);
        expect_orthonormal(basis);
        expect_arnoldi_relation(basis, a, 1 + beside);
      }
    }
  }
}

TYPED_TEST(GmresOn, BasisIsOrthonormalFromAStartNearAnInvariantSpace) {
  using T = typename TypeParam::T;
  const Index n = 597;
  const Csr<T> steep = graded<T>(n, 3, 0);
  for (const double off : {is_single<T> ? 1e-6 : 1e-14, is_single<T> ? 1e-5 : 1e-13, 1e-3}) {
    for (const int every : {1, 4}) {
      SCOPED_TRACE(testing::Message() << off << ", every " << every);
      std::vector<T> start = random_vector<T>(n, 4);
      for (T& value : start) value *= static_cast<T>(off / std::sqrt(n));
      start[0] = start[1] = 1;  // nearly in a space of two dimensions
      const auto basis = basis_of<typename TypeParam::Space, T>(this->space(), steep, start, 40, every);
      EXPECT_EQ(basis.v.size(), 40u);
      expect_orthonormal(basis);
      expect_arnoldi_relation(basis, steep, 1);
    }
  }
}

/// The image of the last vector is in the space but for rounding: no vector can follow.
TYPED_TEST(GmresOn, BasisEndsWithAnInvariantSpace) {
  using T = typename TypeParam::T;
  for (const Index dimension : {1, 2, 9, 30}) {
    for (const std::uint64_t seed : {1, 2, 3, 4}) {
      SCOPED_TRACE(testing::Message() << dimension << " dimensions, seed " << seed);
      Random random(seed);
      std::vector<Triplet<T>> triplets;
      for (Index i = 0; i < 97; ++i) {
        triplets.push_back({i, i, static_cast<T>(i + 2)});
        for (Index k = 0; k < dimension && i < dimension; ++k)
          triplets.push_back({i, k, static_cast<T>(10 * signed_unit(random))});
      }
      const auto a = from_triplets<T>(97, 97, triplets);
      std::vector<T> start = random_vector<T>(97, seed);
      std::fill(start.begin() + dimension, start.end(), T{0});
      for (const int every : {1, 4}) {
        const auto basis = basis_of<typename TypeParam::Space, T>(this->space(), a, start, dimension + 3, every);
        EXPECT_EQ(basis.v.size(), static_cast<std::size_t>(dimension));
        expect_orthonormal(basis);
        expect_arnoldi_relation(basis, a, 60);
      }
    }
  }
}

TYPED_TEST(GmresOn, BasisIsThatOfAPreconditionedMatrixFarFromOne) {
  using T = typename TypeParam::T;
  using Space = typename TypeParam::Space;
  const double factor = is_single<T> ? 1e12 : 1e100;
  Csr<T> a = generate<T>("convection-diffusion2d", {.n = 20});
  for (T& value : a.val) value *= static_cast<T>(factor);
  const auto basis = basis_of<Space, T>(this->space(), a, random_vector<T>(400, 5), 30);
  EXPECT_EQ(basis.v.size(), 30u);
  expect_orthonormal(basis);
  expect_arnoldi_relation(basis, a, 8 * factor);

  const Csr<T> diagonal = diagonal_matrix(std::vector<T>(400, T{4}));
  const Jacobi<Space, T> m(this->space(), diagonal);
  const auto& adapted = detail::as_preconditioner<Space, T>(this->space(), m);
  const PreconditionerRef<Space, T> ref(adapted);
  const auto preconditioned = basis_of<Space, T>(this->space(), a, random_vector<T>(400, 5), 30, 3, ref);
  expect_orthonormal(preconditioned);
  expect_arnoldi_relation(preconditioned, a, 2 * factor, 4);
}

TYPED_TEST(GmresOn, DelayedAndImmediateReorthogonalisationTakeAsManySteps) {
  using T = typename TypeParam::T;
  for (const char* family : {"convection-diffusion2d", "pde2d", "variable2d"}) {
    for (const Index n : {1, 2, 6, 24}) {
      for (const int restart : {1, 2, 50}) {
        SCOPED_TRACE(testing::Message() << family << " " << n << ", restart " << restart);
        const auto system = with_known_solution(generate<T>(family, {.n = n}));
        const Jacobi m(this->space(), system.a);
        const double rtol = is_single<T> ? 1e-4 : 1e-8;
        const auto delayed = this->solve(system, {.rtol = rtol, .max_iterations = 200, .restart = restart}, m).result;
        const auto immediate =
            this->solve(system, {.rtol = rtol, .max_iterations = 200, .restart = restart, .flexible = true}, m).result;
        EXPECT_EQ(delayed.status, immediate.status);
        EXPECT_NEAR(delayed.iterations, immediate.iterations, 1);
      }
    }
  }
}

TYPED_TEST(GmresOn, EndsWhereTheKrylovSpaceIsComplete) {
  using T = typename TypeParam::T;
  std::vector<T> diagonal(33);
  for (std::size_t i = 0; i < diagonal.size(); ++i) diagonal[i] = static_cast<T>(i + 1);
  const Csr<T> a = diagonal_matrix(diagonal);
  for (const int dimension : {1, 2, 5}) {
    std::vector<T> b(33);
    for (int k = 0; k < dimension; ++k) b[static_cast<std::size_t>(6 * k)] = static_cast<T>(k + 3);
    for (const int restart : {1, 2, 50}) {
      const auto result =
          this->solve(System<T>{a, b}, {.rtol = is_single<T> ? 1e-5 : 1e-12, .restart = restart}).result;
      EXPECT_EQ(result.status, Status::converged) << result.message();
      if (dimension <= restart) {
        EXPECT_EQ(result.iterations, dimension) << "restart " << restart;
      }
    }
  }
  const auto all = this->solve(ring_of_shifts<T>(31), {.rtol = 1e-5, .restart = 31}).result;
  EXPECT_EQ(all.iterations, 31);
  const auto none = this->solve(System<T>{a, std::vector<T>(33)}, {.restart = 2});
  EXPECT_EQ(none.result.iterations, 0);
  EXPECT_EQ(none.x, std::vector<T>(33));
}

}  // namespace
}  // namespace ostinato::test
