// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/selection/numbering.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>
#include <random>
#include <vector>

#include <ostinato/spmv/analysis/profile.hpp>
#include <ostinato/spmv/analysis/structure.hpp>
#include <ostinato/spmv/matrix/generate.hpp>
#include <ostinato/spmv/ordering/breadth_first.hpp>
#include <ostinato/spmv/ordering/renumber.hpp>

namespace ostinato::test {
namespace {

/// A matrix of the generator, numbered at random.
Csr<double> at_random(const char* family, Index n, Index unknowns = 1) {
  const Csr<double> a = generate<double>(family, {.n = n, .unknowns = unknowns});
  std::vector<Index> points(static_cast<std::size_t>(a.rows / unknowns)), order;
  std::iota(points.begin(), points.end(), 0);
  std::shuffle(points.begin(), points.end(), std::mt19937(1));
  for (const Index p : points)
    for (Index u = 0; u < unknowns; ++u) order.push_back(unknowns * p + u);
  return renumber<double>(Host(), a, order);
}

/// A CPU, whatever the one is that the tests run on.
constexpr Machine one_thread = {.bandwidth = 9e10,
                                .latency = 1e-6,
                                .term_seconds = 1.1e-10,
                                .cache_bytes = std::size_t{32} << 20,
                                .threads = 1,
                                .entry_seconds = 1.85e-10,
                                .call_seconds = 7.5e-8};

NumberingChoice choice_of(const Csr<double>& a, double expected_products = 500) {
  return choose_numbering(analyse(Host(), a.view()), one_thread, sizeof(double), expected_products);
}

TEST(NumberingChoice, IsForScatteredRowsThatManyProductsRead) {
  const Csr<double> grid = generate<double>("poisson2d", {.n = 400}), scattered = at_random("poisson2d", 400);

  EXPECT_TRUE(choice_of(scattered).renumber);
  EXPECT_EQ(choice_of(scattered).reason, "neighbours are far from each other");
  EXPECT_FALSE(choice_of(scattered, 1).renumber);
  EXPECT_FALSE(choice_of(grid).renumber);
  EXPECT_FALSE(choice_of(at_random("poisson2d", 50)).renumber) << "a cache holds x";
}

TEST(NumberingChoice, SaysWhyNumbersStay) {
  const auto reason_with = [](auto change) {
    Csr<double> a = at_random("poisson2d", 400);
    change(a);
    const NumberingChoice choice = choice_of(a);
    EXPECT_FALSE(choice.renumber);
    return choice.reason;
  };
  const char* const by_row = "messages about single rows need the numbers of the file";
  EXPECT_EQ(reason_with([](Csr<double>& a) { a.val[5] = std::numeric_limits<double>::infinity(); }), by_row);
  EXPECT_EQ(reason_with([](Csr<double>& a) {
              const auto first = a.col.begin() + a.row_ptr[1];
              a.val[static_cast<std::size_t>(std::find(a.col.begin(), first, 0) - a.col.begin())] = 0;
            }),
            by_row);
  EXPECT_EQ(choice_of(at_random("fem27", 30, 3)).reason, "rows come in blocks");
  EXPECT_EQ(choice_of(Csr<double>{}).reason, "the matrix is empty");
  EXPECT_EQ(choice_of(from_triplets<double>(1, 2, std::vector<Triplet<double>>{{0, 0, 1}})).reason,
            "the matrix isn't square");
}

TEST(NumberingChoice, OnAGpuWeighsOtherTimes) {
  const Machine gpu{.bandwidth = 4.3e12,
                    .latency = 2.5e-6,
                    .load_latency = 7e-7,
                    .term_seconds = 1.75e-12,
                    .cache_bytes = std::size_t{50} << 20,
                    .device = true,
                    .shared_bytes = std::size_t{227} << 10,
                    .sector_seconds = 5.1e-12};
  const Structure scattered = analyse(Host(), at_random("poisson2d", 400).view());
  const auto renumbers = [&](const Structure& s, double products) {
    return choose_numbering(s, gpu, sizeof(double), products).renumber;
  };
  EXPECT_TRUE(renumbers(scattered, 1e6));
  EXPECT_FALSE(renumbers(scattered, 100)) << "5 ms aren't repaid";
  // Such an order is good enough for a GPU: that of clusters would hardly be better.
  Structure near = scattered;
  auto profile = std::make_shared<Profile>(*near.profile);
  profile->sectors = 24;
  near.profile = profile;
  EXPECT_FALSE(renumbers(near, 1e6));
  // As poisson3d:256: x is larger than the cache. Without that, 0.2 ms a product would be gained instead of 1.5.
  Structure large = scattered;
  large.rows = large.cols = 256 * 256 * 256;
  large.nonzeros = Offset{7} * large.rows;
  EXPECT_TRUE(renumbers(large, 150));
  EXPECT_FALSE(renumbers(large, 30));
}

TEST(NumberingChoice, SeesWhetherAnOrderHelped) {
  const Csr<double> a = at_random("poisson3d", 50);
  const Csr<double> b = renumber<double>(Host(), a, breadth_first_order(a.row_ptr, a.col));
  const Structure before = analyse(Host(), a.view()), after = analyse(Host(), b.view());

  EXPECT_TRUE(is_better_numbered(after, before));
  EXPECT_FALSE(is_better_numbered(before, before));
  EXPECT_FALSE(is_better_numbered(before, after));
  const auto with_sectors = [&](double sectors) {
    Structure s = before;
    auto profile = std::make_shared<Profile>(*s.profile);
    profile->sectors = sectors;
    s.profile = profile;
    return s;
  };
  EXPECT_TRUE(is_better_numbered(with_sectors(25), with_sectors(30)));
  EXPECT_FALSE(is_better_numbered(with_sectors(26), with_sectors(30)));
}

}  // namespace
}  // namespace ostinato::test
