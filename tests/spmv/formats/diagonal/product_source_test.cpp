// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include <ostinato/spmv/analysis/structure.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/formats/diagonal/product_source.hpp>
#include <ostinato/spmv/formats/diagonal/product_text.hpp>
#include <ostinato/spmv/jit/generated_kernels.hpp>
#include <ostinato/spmv/matrix/generate.hpp>
#include <ostinato/spmv/space/host.hpp>

#include "support/matrices.hpp"
#include "support/spaces.hpp"

// These tests need no GPU: they check that the generated sources compile, and the tiling that the kernels are launched
// with. generated_product_test.cpp compares the results of generated and precompiled kernels on a GPU.

namespace ostinato::test {
namespace {

using formats::ClassTable;
using formats::ProductSource;

template <class T>
DiagonalCensus census_of(const Csr<T>& a) {
  return *analyse(Host(), a.view()).census;
}

template <class T>
ClassTable<T> table_of(const Csr<T>& a, const DiagonalCensus& census) {
  ClassTable<T> table;
  table.rows = a.rows;
  table.cols = a.cols;
  for (const Diagonal& d : census.diagonals) table.offsets.push_back(d.offset);
  for (const Index row : census.class_rows) {
    std::uint64_t present = 0;
    std::vector<T> values(table.offsets.size(), T{0});
    for (Offset k = a.row_ptr[row]; k < a.row_ptr[row + 1]; ++k) {
      const auto at = std::lower_bound(table.offsets.begin(), table.offsets.end(), a.col[k] - row);
      const std::size_t d = static_cast<std::size_t>(at - table.offsets.begin());
      present |= std::uint64_t{1} << d;
      values[d] = a.val[k];
    }
    table.present.push_back(present);
    table.values.insert(table.values.end(), values.begin(), values.end());
  }
  return table;
}

void expect_compiles(const ProductSource& source) {
  if constexpr (built_with_cuda) {
    std::vector<std::string> names{ProductSource::product, ProductSource::product_dot};
    if (source.tiling.pair > 1) names.push_back(ProductSource::product_pairs);
    const auto kernels = GeneratedKernels::request("sm_90", source.text, names);
    kernels->wait();
    if (kernels->why().find("NVRTC not found") != std::string::npos) GTEST_SKIP() << kernels->why();
    EXPECT_EQ(kernels->why(), "") << source.text;
  } else {
    GTEST_SKIP() << Cuda::build_description();
  }
}

template <class T>
void expect_plans_compile(const Csr<T>& a) {
  const std::string type = is_single<T> ? "float" : "double";
  const DiagonalCensus census = census_of(a);
  for (const bool compress : {true, false}) {
    for (const auto plan : {formats::plan_dia, formats::plan_brcsd_i, formats::plan_brcsd_ii}) {
      const auto source = product_source(plan(census, sizeof(T), compress), type);
      if (source) expect_compiles(*source);
      if (testing::Test::IsSkipped()) return;
    }
  }
}

TEST(ProductSource, OfBandsCompiles) {
  expect_plans_compile(generate<double>("kgs2d", {.n = 24}));
  expect_plans_compile(generate<float>("variable2d", {.n = 40}));
  expect_plans_compile(generate<double>("banded", {.n = 3000, .bandwidth = 3}));
}

TEST(ProductSource, OfEveryStorageCompiles) {
  Csr<double> a = generate<double>("variable2d", {.n = 30});
  for (double& v : a.val) v = static_cast<float>(v);  // single
  expect_plans_compile(a);
  for (std::size_t k = 0; k < a.val.size(); ++k) a.val[k] = static_cast<double>(k % 300) / 4;  // bfloat, for most
  expect_plans_compile(a);
  for (std::size_t k = 0; k < a.val.size(); ++k) a.val[k] = static_cast<double>(k % 7) + 0.1;  // codes
  expect_plans_compile(a);
}

TEST(ProductSource, OfMirroredDiagonalsCompiles) {
  const DiagonalCensus census = census_of(generate<double>("variable2d", {.n = 64}));
  formats::BandPlan plan = formats::plan_dia(census, 8);
  plan.rows = plan.cols = plan.pieces[0].end = Index{1} << 22;  // so that threads take several rows
  const auto source = product_source(plan, "double");
  ASSERT_TRUE(source);
  EXPECT_GT(source->tiling.tall, 1);
  expect_compiles(*source);
}

TEST(ProductSource, OfRowClassesCompiles) {
  for (const char* family : {"poisson2d", "poisson3d", "maxwell2d", "anisotropic"}) {
    SCOPED_TRACE(family);
    const auto a = generate<double>(family, {.n = 64});
    const DiagonalCensus census = census_of(a);
    ASSERT_FALSE(census.class_rows.empty());
    ClassTable<double> large = table_of(a, census);
    large.rows = large.cols = Index{1} << 24;  // so that threads take several rows
    expect_compiles(product_source(large, true));
    for (const bool simple : {true, false}) expect_compiles(product_source(table_of(a, census), simple));
  }
  const auto f = generate<float>("fem27", {.n = 40, .constant = true});
  expect_compiles(product_source(table_of(f, census_of(f)), true));
}

TEST(ProductSource, DependsOnTheStructureAlone) {
  const auto a = generate<double>("pde2d", {.n = 40});
  auto b = a;
  for (double& v : b.val) v *= 1.7;
  const auto source = [](const Csr<double>& m) {
    return product_source(formats::plan_dia(census_of(m), 8), "double")->text;
  };
  EXPECT_EQ(source(a), source(b));
  EXPECT_NE(source(a), source(generate<double>("pde2d", {.n = 41})));
}

TEST(ProductSource, IsNotWrittenForManyRowPieces) {
  formats::BandPlan plan;
  plan.rows = plan.cols = 256 * 5000;
  for (Index k = 0; k < 5000; ++k) plan.pieces.push_back({256 * k, 256 * (k + 1), 0, 0});
  EXPECT_FALSE(product_source(plan, "double"));
}

TEST(ProductSource, IsNotWrittenForManyWholeDiagonals) {
  const auto source = [](const char* family) {
    return product_source(formats::plan_dia(census_of(generate<double>(family, {.n = 10})), 8, false), "double");
  };
  EXPECT_FALSE(source("fem27"));
  EXPECT_TRUE(source("pde3d"));
}

/// The rows of thread number `thread`, as tiled_kernel() computes them. Consecutive threads cover `stride` rows, `pair`
/// rows each; every thread also takes the rows at distances stride, 2 stride, ... (`tall` groups in all). The threads
/// after them continue `stride * tall` rows further down.
std::vector<Offset> rows_of(Offset thread, const ProductSource::Tiling& t) {
  const Offset u = thread * t.pair, first = t.tall == 1 ? u : u / t.stride * t.stride * t.tall + u % t.stride;
  std::vector<Offset> rows;
  for (int r = 0; r < t.tall; ++r) {
    for (int q = 0; q < t.pair; ++q) rows.push_back(first + Offset{t.stride} * r + q);
  }
  return rows;
}

/// Empty when the threads of a launch take each row exactly once. Otherwise names a row that they don't.
std::string fault_of(const ProductSource::Tiling& t, Index rows) {
  std::vector<char> taken(static_cast<std::size_t>(rows));
  for (Offset thread = 0; thread < Offset{t.blocks(rows)} * t.threads; ++thread) {
    for (const Offset row : rows_of(thread, t)) {
      if (row < rows && taken[static_cast<std::size_t>(row)]++ != 0) return "row " + std::to_string(row) + " twice";
    }
  }
  const auto left = std::find(taken.begin(), taken.end(), 0);
  return left == taken.end() ? "" : "row " + std::to_string(left - taken.begin()) + " never";
}

int rows_of_a_thread(const ProductSource::Tiling& t) { return t.tall * t.pair; }

/// Diagonal offsets of stencils on grids of n x n (x n) points. Rows a grid line apart read common elements of x.
std::vector<std::vector<Index>> shared_stencils() {
  std::vector<std::vector<Index>> all;
  for (const char* family : {"poisson2d", "poisson3d", "fem27"})
    all.push_back(analyse(Host(), generate<double>(family, {.n = 40}).view()).offsets);
  all.push_back(analyse(Host(), generate<double>("poisson2d", {.n = 67}).view()).offsets);
  return all;
}

constexpr Index many_rows = Index{1} << 24;

TEST(ProductSource, TilesWhereNeighboursShareX) {
  for (const std::vector<Index>& offsets : shared_stencils()) {
    SCOPED_TRACE(offsets.back());

    const ProductSource::Tiling t = formats::choose_tiling(offsets, many_rows);

    EXPECT_GT(t.tall, 1);
    EXPECT_NE(std::find(offsets.begin(), offsets.end(), t.stride), offsets.end()) << t.stride;
    const std::size_t apart = offsets.size() * static_cast<std::size_t>(rows_of_a_thread(t));
    EXPECT_LT(formats::product_text::reach(offsets, t).size(), apart) << "a thread reads no less of x";
  }
}

/// The tilings that were fastest on the H200 (2026-11), or larger ones.
TEST(ProductSource, TakesAtLeastTheMeasuredRowsAThread) {
  const auto tiling = [](const char* family, Index n) {
    return formats::choose_tiling(analyse(Host(), generate<double>(family, {.n = n}).view()).offsets, many_rows);
  };
  const auto plane = tiling("poisson2d", 64), space = tiling("poisson3d", 40), dense = tiling("fem27", 40);

  EXPECT_GE(plane.tall, 4);
  EXPECT_EQ(plane.pair, 2);
  EXPECT_GE(space.tall, 2);
  EXPECT_EQ(space.pair, 2);
  EXPECT_GE(dense.tall, 2);
  EXPECT_GE(tiling("poisson2d", 67).tall, 4) << "an odd stride, without pairs";
}

TEST(ProductSource, TakesOneRowAThreadWhereNeighboursShareNothing) {
  EXPECT_EQ(rows_of_a_thread(formats::choose_tiling({-1, 0, 1}, many_rows)), 1) << "but the next rows";
  EXPECT_EQ(rows_of_a_thread(formats::choose_tiling({}, many_rows)), 1);
  EXPECT_EQ(rows_of_a_thread(formats::choose_tiling({-1200000000, 0, 1200000000}, std::numeric_limits<Index>::max())),
            1)
      << "and past 32 bits";
}

TEST(ProductSource, TilesMoreTheMoreRowsThereAreAndKeepsTheGpuBusy) {
  for (const std::vector<Index>& offsets : shared_stencils()) {
    SCOPED_TRACE(offsets.back());
    int before = 1;
    for (Index rows = 4096; rows <= many_rows; rows *= 2) {
      const int taken = rows_of_a_thread(formats::choose_tiling(offsets, rows));
      EXPECT_GE(taken, before) << rows;
      if (taken > 1) {
        EXPECT_GE(rows / taken, formats::product_text::enough_threads) << rows;
      }
      before = taken;
    }
    EXPECT_EQ(rows_of_a_thread(formats::choose_tiling(offsets, 4096)), 1);
  }
}

TEST(ProductSource, TilingsAreThoseOfAKernel) {
  for (const std::vector<Index>& offsets : shared_stencils()) {
    for (Index rows = 4096; rows <= many_rows; rows *= 2) {
      const ProductSource::Tiling t = formats::choose_tiling(offsets, rows);
      EXPECT_TRUE(t.pair == 1 || t.pair == 2) << t.pair;
      EXPECT_TRUE(t.threads % 32 == 0 && t.threads >= 32 && t.threads <= 1024) << t.threads;
      if (t.tall > 1) {
        EXPECT_EQ(t.stride % t.pair, 0) << "a pair would lie in two lines";
      }
    }
  }
}

TEST(ProductSource, TilingTakesEveryRowOnceSlow) {
  for (const Index rows : {1, 63, 64, 255, 4096, 4097, 100000}) {
    for (const auto& t : {ProductSource::Tiling{1, 1, 1, 256}, ProductSource::Tiling{2, 4, 64, 256},
                          ProductSource::Tiling{1, 2, 101, 128}, ProductSource::Tiling{2, 1, 1, 256}})
      EXPECT_EQ(fault_of(t, rows), "") << rows << " " << t.pair << t.tall << t.stride;
  }
  for (const std::vector<Index>& offsets : shared_stencils()) {
    for (const Index rows : {many_rows / 4, many_rows / 4 + 1, many_rows / 4 - 12345})
      EXPECT_EQ(fault_of(formats::choose_tiling(offsets, rows), rows), "") << rows << " " << offsets.back();
  }
}

}  // namespace
}  // namespace ostinato::test
