// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include <ostinato/spmv/jit/generated_kernels.hpp>
#include <ostinato/spmv/formats/diagonal/product_source.hpp>
#include <ostinato/spmv/matrix/generate.hpp>
#include <ostinato/spmv/space/host.hpp>
#include <ostinato/spmv/analysis/structure.hpp>

#include "support/matrices.hpp"

// That generated kernels compute what the precompiled ones do is tested where there is a GPU (generated_test.cpp);
// that their sources compile, here.

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
  std::vector<std::string> names{ProductSource::product, ProductSource::product_dot};
  if (source.tiling.pair > 1) names.push_back(ProductSource::product_pairs);
  const auto kernels = GeneratedKernels::request("sm_90", source.text, names);
  kernels->wait();
  if (kernels->why() == "built without CUDA" || kernels->why().find("NVRTC not found") != std::string::npos)
    GTEST_SKIP() << kernels->why();
  EXPECT_EQ(kernels->why(), "") << source.text;
}

template <class T>
void expect_plans_compile(const Csr<T>& a) {
  const std::string type = sizeof(T) == 8 ? "double" : "float";
  const DiagonalCensus census = census_of(a);
  for (const DiagonalCensus& c : {census, without_savings(census)}) {
    for (const auto plan : {formats::plan_dia, formats::plan_brcsd_i, formats::plan_brcsd_ii}) {
      const auto source = product_source(plan(c, sizeof(T)), type);
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
  const DiagonalCensus census = without_savings(census_of(generate<double>("fem27", {.n = 10})));
  EXPECT_FALSE(product_source(formats::plan_dia(census, 8), "double"));
  EXPECT_TRUE(
      product_source(formats::plan_dia(without_savings(census_of(generate<double>("pde3d", {.n = 10}))), 8), "double"));
}

TEST(ProductSource, TilesWhereNeighboursShareX) {
  const auto tiling = [](const Csr<double>& a) {
    return formats::choose_tiling(analyse(Host(), a.view()).offsets, Index{1} << 24);
  };
  const auto plane = tiling(generate<double>("poisson2d", {.n = 64}));
  EXPECT_EQ(plane.tall, 4);
  EXPECT_EQ(plane.pair, 2);
  EXPECT_EQ(plane.stride, 64);
  const auto space = tiling(generate<double>("poisson3d", {.n = 40}));
  EXPECT_EQ(space.tall, 2);
  EXPECT_EQ(space.pair, 2);
  EXPECT_EQ(space.stride, 1600);
  const auto dense = tiling(generate<double>("fem27", {.n = 40}));
  EXPECT_EQ(dense.tall, 2);
  EXPECT_EQ(dense.pair, 1);
  EXPECT_EQ(dense.stride, 40);
  EXPECT_EQ(formats::choose_tiling({-1, 0, 1}, Index{1} << 24).tall, 1);
  EXPECT_EQ(formats::choose_tiling({-1200000000, 0, 1200000000}, std::numeric_limits<Index>::max()).tall, 1);
  EXPECT_EQ(formats::choose_tiling({-64, -1, 0, 1, 64}, 4096).tall, 1);
}

TEST(ProductSource, TilingCoversEveryRow) {
  for (const Index rows : {1, 63, 64, 255, 4096, 4097, 16777216}) {
    for (const auto& t : {ProductSource::Tiling{1, 1, 1, 256}, ProductSource::Tiling{2, 4, 64, 256},
                          ProductSource::Tiling{1, 2, 101, 128}}) {
      const Offset chunk = Offset{t.stride} * t.tall;
      const Offset threads = Offset{t.blocks(rows)} * t.threads;
      const Offset first_past = t.tall == 1 ? threads * t.pair : threads * t.pair / t.stride * chunk;
      EXPECT_GE(first_past, rows) << rows << " " << t.pair << t.tall << t.stride;
    }
  }
}

}  // namespace
}  // namespace ostinato::test
