// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/ilu/library_factors.hpp>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <fstream>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <ostinato/preconditioners/ilu/cholesky.hpp>
#include <ostinato/preconditioners/ilu/incomplete_lu.hpp>
#include <ostinato/spmv/analysis/analysis.hpp>
#include <ostinato/spmv/matrix/csr.hpp>
#include <ostinato/spmv/matrix/generate.hpp>
#include <ostinato/spmv/space/host.hpp>

namespace ostinato {
namespace {

using Kind = LibraryFactorOptions::Kind;
using Numbers = std::vector<double>;

/// The library has to be there where the build has its header: tests that skip themselves find nothing.
class FactorsByLibrary : public ::testing::Test {
 protected:
  void SetUp() override {
#if defined(OSTINATO_HAS_MUMPS)
    ASSERT_TRUE(!LibraryFactors::multifrontal().empty()) << "the header of MUMPS is here, libdmumps_seq isn't";
#else
    GTEST_SKIP() << "a build without MUMPS";
#endif
  }
};

/// A x = b for x = A^-1 b: the largest |b - A x| of a row, beside the sum of its |a| |x|. With `transposed`, of A^T.
double backward_error(const Csr<double>& given, const Numbers& x, const Numbers& b, bool transposed = false) {
  const Csr<double> a = transposed ? transpose(given.view()) : given;
  double worst = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(a.rows); ++i) {
    long double r = b[i], size = std::abs(b[i]);
    for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k) {
      const long double product = static_cast<long double>(a.val[k]) * x[static_cast<std::size_t>(a.col[k])];
      r -= product;
      size += std::abs(product);
    }
    worst = std::max(worst, static_cast<double>(std::abs(r) / std::max(size, 1e-300L)));
  }
  return worst;
}

Numbers numbers(std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> between(-1, 1);
  Numbers v(n);
  for (double& x : v) x = between(random);
  return v;
}

/// Rows of some entries in random columns, and a diagonal that can't be relied on.
Csr<double> random_matrix(Index rows, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<Index> column(0, rows - 1);
  std::uniform_real_distribution<double> value(-1, 1);
  std::vector<Triplet<double>> entries;
  for (Index i = 0; i < rows; ++i) {
    entries.push_back({i, i, 0.01 * value(random)});
    for (int k = 0; k < 7; ++k) entries.push_back({i, column(random), value(random)});
  }
  return from_triplets(rows, rows, entries);
}

/// [A B; B^T 0] with A = 4 I - neighbours of a square grid, and columns of B that each take hold of four points.
Csr<double> saddle_point(Index side, Index constraints) {
  const Index n = side * side;
  std::vector<Triplet<double>> entries;
  for (Index i = 0; i < n; ++i) {
    entries.push_back({i, i, 4.5});
    for (const Index j : {i - side, i - (i % side > 0 ? 1 : 0), i + (i % side < side - 1 ? 1 : 0), i + side}) {
      if (j >= 0 && j < n && j != i) entries.push_back({i, j, -1.0});
    }
  }
  for (Index k = 0; k < constraints; ++k) {
    for (const Index i : {3 * k, 3 * k + 1, 3 * k + side, 3 * k + side + 1}) {
      entries.push_back({i, n + k, 1.0 + 0.1 * static_cast<double>(k % 7)});
      entries.push_back({n + k, i, 1.0 + 0.1 * static_cast<double>(k % 7)});
    }
  }
  return from_triplets(n + constraints, n + constraints, entries);
}

/// The graph Laplacian of a square grid: A * ones = 0.
Csr<double> laplacian(Index side) {
  std::vector<Triplet<double>> entries;
  for (Index y = 0; y < side; ++y) {
    for (Index x = 0; x < side; ++x) {
      const Index i = y * side + x;
      for (const auto& [u, v] : {std::pair{x + 1, y}, std::pair{x, y + 1}, std::pair{x + 1, y + 1}}) {
        if (u >= side || v >= side) continue;
        const Index j = v * side + u;
        for (const auto& [row, col, value] :
             {std::tuple{i, j, -1.0}, std::tuple{j, i, -1.0}, std::tuple{i, i, 1.0}, std::tuple{j, j, 1.0}})
          entries.push_back({row, col, value});
      }
    }
  }
  return from_triplets(side * side, side * side, entries);
}

void expect_solves(const Csr<double>& a, Kind kind) {
  const std::optional<LibraryFactors> f = LibraryFactors::make(a.view(), {.kind = kind}, {});
  ASSERT_TRUE(f.has_value());
  const Numbers b = numbers(static_cast<std::size_t>(a.rows), 7);
  Numbers x = b;
  f->solve(x);
  EXPECT_LE(backward_error(a, x, b), 1e-9);
  Numbers y = b;
  f->solve_transposed(y);
  EXPECT_LE(backward_error(a, y, b, true), 1e-9);
  EXPECT_GE(f->kept().nonzeros(), a.nonzeros());
  EXPECT_GT(f->kept().bytes(), 0u);
  EXPECT_EQ(f->kept().null_pivots(), 0);
}

TEST_F(FactorsByLibrary, SolveWithAMatrixAndItsTranspose) { expect_solves(random_matrix(600, 1), Kind::general); }

TEST_F(FactorsByLibrary, SolveADefiniteMatrix) {
  expect_solves(generate<double>("poisson3d", {.n = 10}), Kind::definite);
}

TEST_F(FactorsByLibrary, CountTheNegativeEigenvaluesOfASaddlePoint) {
  const Csr<double> a = saddle_point(40, 200);
  expect_solves(a, Kind::symmetric);
  EXPECT_EQ(LibraryFactors::make(a.view(), {.kind = Kind::symmetric}, {})->kept().negative_pivots(), 200);
}

TEST_F(FactorsByLibrary, RefuseAnIndefiniteMatrixAsDefinite) {
  EXPECT_THROW(LibraryFactors::make(saddle_point(40, 200).view(), {.kind = Kind::definite}, {}), NotDefinite);
}

TEST_F(FactorsByLibrary, FindTheNullVectorOfALaplacian) {
  const Csr<double> a = laplacian(40);
  for (const Kind kind : {Kind::symmetric, Kind::general}) {
    const std::optional<LibraryFactors> f = LibraryFactors::make(a.view(), {.kind = kind}, {});
    ASSERT_TRUE(f.has_value());
    EXPECT_EQ(f->kept().null_pivots(), 1);
    Numbers b(static_cast<std::size_t>(a.rows), 0);
    b.front() = 1, b.back() = -1;  // orthogonal to the null vector
    Numbers x = b;
    f->solve(x);
    EXPECT_LE(backward_error(a, x, b), 1e-9);
  }
}

/// One row is far larger than others, beside which what shows that A isn't singular looks like rounding.
TEST_F(FactorsByLibrary, OfRowsOfDifferentSizeFindNoNullVectorWhereThereIsNone) {
  const Csr<double> grid = laplacian(40);
  const Index n = grid.rows, large_row = 5;
  std::vector<Triplet<double>> entries = {{n, n, 1}, {n, n + 1, 1}, {n + 1, n, 1}, {n + 1, n + 1, 1 + 2e-13}};
  for (Index i = 0; i < n; ++i) {
    const double scale = i == large_row ? 0x1p24 : 1;
    for (auto k = static_cast<std::size_t>(grid.row_ptr[static_cast<std::size_t>(i)]);
         k < static_cast<std::size_t>(grid.row_ptr[static_cast<std::size_t>(i) + 1]); ++k)
      entries.push_back({i, grid.col[k], scale * (grid.val[k] + (grid.col[k] == i ? 1 : 0))});
    if (i == large_row) entries.push_back({i, n, scale});
  }
  const Csr<double> a = from_triplets(n + 2, n + 2, entries);
  const std::optional<LibraryFactors> f = LibraryFactors::make(a.view(), {}, {});
  ASSERT_TRUE(f.has_value());
  EXPECT_EQ(f->kept().library().substr(0, 3), "MUM");
  EXPECT_EQ(f->kept().null_pivots(), 0);
}

/// A matrix next to a singular one is solved to the end, and isn't called singular.
TEST_F(FactorsByLibrary, KeepThePivotsOfAMatrixThatIsNearlySingular) {
  Csr<double> a = laplacian(40);
  for (Index i = 0; i < a.rows; ++i) {
    for (Offset k = a.row_ptr[static_cast<std::size_t>(i)]; k < a.row_ptr[static_cast<std::size_t>(i) + 1]; ++k) {
      if (a.col[static_cast<std::size_t>(k)] == i) a.val[static_cast<std::size_t>(k)] += 0x1p-42;
    }
  }
  for (const Kind kind : {Kind::definite, Kind::symmetric, Kind::general}) {
    const std::optional<LibraryFactors> f = LibraryFactors::make(a.view(), {.kind = kind}, {});
    ASSERT_TRUE(f.has_value());
    EXPECT_EQ(f->kept().null_pivots(), 0);
    const Numbers b = numbers(static_cast<std::size_t>(a.rows), 5);  // x is some 1e12 times as large
    Numbers x = b;
    f->solve(x);
    EXPECT_LE(backward_error(a, x, b), 1e-9);
  }
}

TEST_F(FactorsByLibrary, RefuseWhatTakesTooMuchMemoryOrTime) {
  const Csr<double> a = generate<double>("poisson3d", {.n = 16});
  Offset announced = 0;
  const FactorMemory little{a.nonzeros(), [&](Offset entries, Certainty c) {
                              announced = entries;
                              EXPECT_EQ(c, Certainty::at_least);
                            }};
  EXPECT_THROW(LibraryFactors::make(a.view(), {}, little), TooManyEntries);
  EXPECT_GT(announced, a.nonzeros());
  EXPECT_THROW(LibraryFactors::make(a.view(), {.most_seconds = 1e-9}, {}), SlowFactors);
}

TEST_F(FactorsByLibrary, AreOfTheLibraryThatSuitsTheMatrix) {
  const auto library = [](const Csr<double>& a) {
    const std::optional<LibraryFactors> f = LibraryFactors::make(a.view(), {}, {});
    return f ? f->kept().library().substr(0, 3) : "none";
  };
  EXPECT_EQ(library(generate<double>("poisson3d", {.n = 12})), "MUM");
  EXPECT_EQ(library(generate<double>("poisson2d", {.n = 18})), "KLU");  // few rows
  EXPECT_EQ(library(generate<double>("banded", {.n = 900, .bandwidth = 3, .scatter = 0})), "none");
}

/// Rows of three entries, so that the factors take few operations.
Csr<double> sparse_matrix(Index rows, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<Index> column(0, rows - 1);
  std::uniform_real_distribution<double> value(-1, 1);
  std::vector<Triplet<double>> entries;
  for (Index i = 0; i < rows; ++i) {
    entries.push_back({i, (i + 1) % rows, 2 + value(random)});
    entries.push_back({i, column(random) / 16, value(random)});
  }
  return from_triplets(rows, rows, entries);
}

TEST_F(FactorsByLibrary, OfFewOperationsSolveToo) {
  const Csr<double> a = sparse_matrix(1500, 4);
  expect_solves(a, Kind::general);
  EXPECT_EQ(LibraryFactors::make(a.view(), {}, {})->kept().library().substr(0, 3), "KLU");
  EXPECT_THROW(LibraryFactors::make(a.view(), {}, {10, [](Offset, Certainty) {}}), TooManyEntries);
}

TEST_F(FactorsByLibrary, OfASingularMatrixAreLeftToOthers) {
  Csr<double> a = sparse_matrix(1500, 4);
  for (auto k = static_cast<std::size_t>(a.row_ptr[7]); k < static_cast<std::size_t>(a.row_ptr[8]); ++k) a.val[k] = 0;
  EXPECT_FALSE(LibraryFactors::make(a.view(), {}, {}).has_value());
}

/// Small factors reserve little of the addresses of the process, whatever memory allows.
TEST_F(FactorsByLibrary, ReserveLittleWhereTheyNeedLittle) {
  const auto reserved_pages = [] {
    double pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    return pages;
  };
  const Csr<double> a = random_matrix(500, 3);
  const FactorMemory plenty{Offset{1} << 30, [](Offset, Certainty) {}};
  const double before = reserved_pages();
  std::vector<std::optional<LibraryFactors>> all;
  for (int k = 0; k < 8; ++k) all.push_back(LibraryFactors::make(a.view(), {}, plenty));
  const double gigabytes = (reserved_pages() - before) * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1e9;
  EXPECT_LT(gigabytes, 1);
}

/// Pivots that are taken off the diagonal fill more than was predicted, and count.
TEST_F(FactorsByLibrary, EndWhereLatePivotsTakeMoreEntriesThanMemoryHas) {
  const Csr<double> a = random_matrix(900, 6);
  Offset predicted = 0;
  const auto keep = [&](Offset entries, Certainty) { predicted = entries; };
  const std::optional<LibraryFactors> f =
      LibraryFactors::make(a.view(), {.match = false}, {std::numeric_limits<Offset>::max(), keep});
  ASSERT_TRUE(f.has_value());
  const Offset made = f->kept().nonzeros();
  ASSERT_GT(made, predicted + 1);
  EXPECT_THROW(LibraryFactors::make(a.view(), {.match = false}, {made - 1, keep}), TooManyEntries);
}

/// A request that is made once it was asked some times.
struct AfterSome {
  std::shared_ptr<std::atomic<int>> left;
  bool stop_requested() const { return --*left < 0; }
};

struct Late {
  std::chrono::steady_clock::time_point at;
  bool stop_requested() const { return std::chrono::steady_clock::now() >= at; }
};

/// Leaves MUMPS alone with factors that take it a second or more.
void leave_mumps_alone() {
  const Csr<double> a = generate<double>("poisson3d", {.n = 32});
  std::vector<Index> order(static_cast<std::size_t>(a.rows));  // one with which the factors take long
  std::iota(order.begin(), order.end(), 0);
  const StopRequest soon(Late{std::chrono::steady_clock::now() + std::chrono::milliseconds(400)});
  EXPECT_THROW(LibraryFactors::make(a.view(), {.kind = Kind::definite, .order = order}, {}, soon), Stopped);
}

/// Who waits for MUMPS stops in time, too.
TEST_F(FactorsByLibrary, StopWhileTheyWaitForTheLibrary) {
  using Clock = std::chrono::steady_clock;
  const Csr<double> small = random_matrix(500, 3);
  leave_mumps_alone();
  const Clock::time_point begin = Clock::now();
  const StopRequest sooner(Late{begin + std::chrono::milliseconds(50)});
  EXPECT_THROW(LibraryFactors::make(small.view(), {}, {}, sooner), Stopped);
  EXPECT_LT(std::chrono::duration<double>(Clock::now() - begin).count(), 0.5);
}

/// A process that is forked while MUMPS is at work does without it.
TEST_F(FactorsByLibrary, AreMadeByOthersInAForkOfAProcessThatFactors) {
  const Csr<double> small = random_matrix(500, 3);
  leave_mumps_alone();
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    try {
      const std::optional<LibraryFactors> f = LibraryFactors::make(small.view(), {}, {});
      _exit(f && f->kept().library().substr(0, 3) == "MUM" ? 2 : 0);
    } catch (...) {
      _exit(1);
    }
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST_F(FactorsByLibrary, StopAndLeaveTheLibraryToOthers) {
  const Csr<double> large = generate<double>("poisson3d", {.n = 32}), small = random_matrix(500, 3);
  for (const int looks : {0, 1, 2, 3}) {
    const StopRequest stop(AfterSome{std::make_shared<std::atomic<int>>(looks)});
    EXPECT_THROW(LibraryFactors::make(large.view(), {.kind = Kind::definite}, {}, stop), Stopped) << looks;
  }
  expect_solves(small, Kind::general);
}

/// A matrix whose large entries aren't on the diagonal: they have to be found again with other values.
TEST_F(FactorsByLibrary, OfNewValuesFillNoMoreThanTheFirst) {
  const Host space;
  Csr<double> a = generate<double>("poisson3d", {.n = 12});
  std::vector<Triplet<double>> moved;
  for (Index i = 0; i < a.rows; ++i) {
    for (auto k = static_cast<std::size_t>(a.row_ptr[static_cast<std::size_t>(i)]);
         k < static_cast<std::size_t>(a.row_ptr[static_cast<std::size_t>(i) + 1]); ++k)
      moved.push_back({static_cast<Index>((Offset{i} * 1009) % a.rows), a.col[k], a.val[k]});
  }
  const Csr<double> b = from_triplets(a.rows, a.rows, moved);
  Lu<Host, double> m(Analysis<Host, double>(space, b));
  const std::size_t bytes = m.bytes();
  ASSERT_NE(m.remarks().find(LibraryFactors::multifrontal()), std::string::npos);
  m.update_values(Analysis<Host, double>(space, b));
  EXPECT_EQ(m.bytes(), bytes);
}

TEST_F(FactorsByLibrary, TakeAnOrderThatIsKnown) {
  const Csr<double> a = generate<double>("poisson3d", {.n = 10});
  const std::optional<LibraryFactors> f = LibraryFactors::make(a.view(), {}, {});
  ASSERT_TRUE(f.has_value());
  std::vector<Index> sorted = f->kept().order();
  std::sort(sorted.begin(), sorted.end());
  for (Index i = 0; i < a.rows; ++i) ASSERT_EQ(sorted[static_cast<std::size_t>(i)], i);
  const std::optional<LibraryFactors> again = LibraryFactors::make(a.view(), {.order = f->kept().order()}, {});
  ASSERT_TRUE(again.has_value());
  EXPECT_NEAR(static_cast<double>(again->kept().nonzeros()) / static_cast<double>(f->kept().nonzeros()), 1, 0.1);
}

TEST_F(FactorsByLibrary, ServeSeveralThreads) {
  std::vector<std::thread> threads;
  std::vector<double> errors(4, 1);
  for (unsigned t = 0; t < 4; ++t) {
    threads.emplace_back([t, &errors] {
      const Csr<double> a = random_matrix(500 + static_cast<Index>(10 * t), t);
      const std::optional<LibraryFactors> f = LibraryFactors::make(a.view(), {}, {});
      const Numbers b = numbers(static_cast<std::size_t>(a.rows), t);
      double worst = f ? 0 : 1;
      for (int k = 0; f && k < 20; ++k) {
        Numbers x = b;
        f->solve(x);
        worst = std::max(worst, backward_error(a, x, b));
      }
      errors[t] = worst;
    });
  }
  for (std::thread& t : threads) t.join();
  for (const double e : errors) EXPECT_LE(e, 1e-9);
}

TEST_F(FactorsByLibrary, AreThoseOfLuUnlessAnOrderOrPrecisionIsAskedFor) {
  const Host space;
  const Csr<double> a = random_matrix(600, 9);
  const auto is_by_library = [&](const LuKind::Options& options) {
    return Lu<Host, double>(space, a, options).remarks().find(LibraryFactors::multifrontal()) != std::string::npos;
  };
  EXPECT_TRUE(is_by_library({}));
  LuKind::Options ordered;
  ordered.preparation.order = Ordering::rcm;
  EXPECT_FALSE(is_by_library(ordered));
  EXPECT_FALSE(is_by_library({.in_float = true}));
}

/// The lower triangle is a singular matrix, A isn't.
TEST_F(FactorsByLibrary, OfANearlySymmetricMatrixAreOfAllOfIt) {
  const Host space;
  Csr<double> a = laplacian(40);
  for (Index i = 0; i < a.rows; ++i) {
    for (auto k = static_cast<std::size_t>(a.row_ptr[static_cast<std::size_t>(i)]);
         k < static_cast<std::size_t>(a.row_ptr[static_cast<std::size_t>(i) + 1]); ++k) {
      if (a.col[k] > i) a.val[k] *= 1 + 1e-7;
    }
  }
  const Lu<Host, double> m(space, a);
  ASSERT_NE(m.remarks().find(LibraryFactors::multifrontal()), std::string::npos);
  EXPECT_EQ(m.null_pivots(), 0);
  const Numbers b = numbers(static_cast<std::size_t>(a.rows), 3);
  Numbers x(b.size());
  m.apply(b, x);
  EXPECT_LE(backward_error(a, x, b), 1e-9);
}

TEST_F(FactorsByLibrary, OfAStructurallySingularMatrixAreLeftToOthers) {
  const Host space;
  Csr<double> a = random_matrix(600, 8);
  std::vector<Triplet<double>> entries;
  for (Index i = 0; i < a.rows; ++i) {
    for (auto k = static_cast<std::size_t>(a.row_ptr[static_cast<std::size_t>(i)]);
         i != 7 && k < static_cast<std::size_t>(a.row_ptr[static_cast<std::size_t>(i) + 1]); ++k)
      entries.push_back({i, a.col[k], a.val[k]});
  }
  a = from_triplets(a.rows, a.cols, entries);
  EXPECT_EQ((Lu<Host, double>(space, a).null_pivots()), 1);
}

TEST_F(FactorsByLibrary, TakeNewValues) {
  const Host space;
  Csr<double> a = random_matrix(600, 11);
  Lu<Host, double> m(Analysis<Host, double>(space, a));
  for (double& v : a.val) v *= 1.5 + v;
  m.update_values(Analysis<Host, double>(space, a));
  const Numbers b = numbers(600, 2);
  Numbers x(600);
  m.apply(b, x);
  EXPECT_LE(backward_error(a, x, b), 1e-9);
}

TEST_F(FactorsByLibrary, ServeFloat) {
  const Host space;
  const Csr<double> wide = random_matrix(600, 12);
  Csr<float> a{wide.rows, wide.cols, wide.row_ptr, wide.col, {}};
  for (const double v : wide.val) a.val.push_back(static_cast<float>(v));
  const Lu<Host, float> m(space, a);
  EXPECT_NE(m.remarks().find(LibraryFactors::multifrontal()), std::string::npos);
  const Numbers b = numbers(600, 2);
  std::vector<float> r;
  for (const double v : b) r.push_back(static_cast<float>(v));
  std::vector<float> z(600);
  m.apply(r, z);
  const Csr<double> exact{a.rows, a.cols, a.row_ptr, a.col, {a.val.begin(), a.val.end()}};
  EXPECT_LE(backward_error(exact, {z.begin(), z.end()}, {r.begin(), r.end()}), 1e-5);
}

}  // namespace
}  // namespace ostinato
