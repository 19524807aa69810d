// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/matrix/generate.hpp>
#include <ostinato/spmv/operator.hpp>
#include <ostinato/spmv/space/vector.hpp>
#include <ostinato/spmv/team/distributed_operator.hpp>

#include "support/gpu_ranks.hpp"
#include "support/matrices.hpp"
#include "support/pieces.hpp"

namespace ostinato::test::gpus {
namespace {

using CudaRanksOperator = OnGpus;
using DistributedCuda = Distributed<Cuda>;

struct Named {
  std::string name;
  Csr<double> a;
  std::string format;  ///< that "auto" takes
};

std::vector<Named> matrices() {
  std::vector<Named> all;
  all.push_back({"poisson2d", generate<double>("poisson2d", {.n = 80}), "dia"});
  all.push_back({"variable3d", generate<double>("variable3d", {.n = 18}), "dia"});
  all.push_back({"convection", generate<double>("convection-diffusion2d", {.n = 80}), "dia"});
  all.push_back({"fem27", generate<double>("fem27", {.n = 18}), "sliced-ell"});
  all.push_back({"mesh2d", generate<double>("mesh2d", {.n = 80}), "sliced-ell"});
  all.push_back({"odd", odd_matrix(5000, 5000), "csr"});
  all.push_back({"wide", odd_matrix(300, 700), "sliced-ell"});
  all.push_back({"tall", odd_matrix(700, 300), "sliced-ell"});
  all.push_back({"four rows", from_triplets<double>(4, 4, std::vector<Triplet<double>>{{0, 3, 2.0}, {2, 1, 5.0}}), ""});
  return all;
}

/// What the ranks of a team find out about a matrix, put together.
struct Found {
  std::vector<double> y, added, turned, residual, accurate;
  double dot = 0, square = 0;
};

template <class T>
std::vector<T> joined(const Team& team, const Vector<Cuda, T>& mine) {
  return test::joined(team, mine.download());
}

/// Each rank returns the same.
Found products(const Team& team, const Cuda& gpu, const Named& named, const std::vector<double>& x,
               const std::vector<double>& z) {
  const Csr<double>& a = named.a;
  const Partition rows = Partition::by_rows(team, a.rows), cols = Partition::by_rows(team, a.cols);
  const Csr<double> mine = piece(a, rows.begin(team), rows.end(team));
  DistributedOperator<Cuda, double> part(DistributedCuda(gpu, team), rows, cols, mine);
  part.add_adjoint(mine);
  if (!named.format.empty()) {
    EXPECT_EQ(part.format(), named.format);
  }
  const auto there = [&](const std::vector<double>& of, const Partition& parts) {
    return Vector<Cuda, double>(gpu, piece(of, parts, team));
  };
  const Vector<Cuda, double> own_x = there(x, cols), own_z = there(z, rows);
  Vector<Cuda, double> y(gpu, part.rows(), 7.0), added = there(z, rows), turned(gpu, part.cols()), r(gpu, part.rows()),
                                                 accurate(gpu, part.rows()), slots(gpu, 2);
  for (int twice = 0; twice < 2; ++twice) part.apply(1, own_x.span(), 0, y.span());
  part.apply(-0.3, own_x.span(), 1.7, added.span());
  part.adjoint()->apply(1, own_z.span(), 0, turned.span());
  part.apply_dot(own_x.span(), y.span(), own_z.span(), slots.data());
  part.residual(own_x.span(), own_z.span(), r.span(), slots.data() + 1);
  const std::vector<double> sums = slots.download();
  EXPECT_TRUE(part.accurate_residual(1, 1, own_x.span(), own_z.span(), accurate.span(), slots.data()));
  return {joined(team, y), joined(team, added), joined(team, turned), joined(team, r), joined(team, accurate), sums[0],
          sums[1]};
}

/// Elements differ by the rounding of so many terms of a size at most.
void expect_near(const std::vector<double>& found, const std::vector<double>& expected, double size) {
  ASSERT_EQ(found.size(), expected.size());
  const double bound = 4 * std::numeric_limits<double>::epsilon() * size;
  for (std::size_t i = 0; i < found.size(); ++i) ASSERT_NEAR(found[i], expected[i], bound) << i;
}

/// Of all terms of a row or a column, for factors of at most 1.
double largest_sum(const Csr<double>& a) {
  const Structure of_rows = analyse(Host(), a.view()), of_columns = analyse(Host(), transpose(a.view()).view());
  return std::max(of_rows.norm_inf, of_columns.norm_inf);
}

TEST_F(CudaRanksOperator, GivesWhatTheHostGives) {
  for (const Named& named : matrices()) {
    SCOPED_TRACE(named.name);
    const Csr<double>&a = named.a, t = transpose(a.view());
    const std::vector<double> x = random_vector<double>(a.cols, 3), z = random_vector<double>(a.rows, 4);
    const Operator<Host, double> whole(Host(), a, {.format = "csr"}), turned(Host(), t, {.format = "csr"});
    Found expected{std::vector<double>(z.size()), z, std::vector<double>(x.size()), z, z};
    whole.apply(1, x, 0, expected.y);
    whole.apply(-0.3, x, 1.7, expected.added);
    turned.apply(1, z, 0, expected.turned);
    for (std::size_t i = 0; i < z.size(); ++i) expected.residual[i] = z[i] - expected.y[i];
    double slot = 0, terms = 0;
    whole.accurate_residual(1, 1, x, z, expected.accurate, &slot);
    for (std::size_t i = 0; i < z.size(); ++i) {
      expected.dot += z[i] * expected.y[i];
      terms += std::abs(z[i] * expected.y[i]);
      expected.square += expected.residual[i] * expected.residual[i];
    }
    const double size = 40 * (largest_sum(a) + 2);
    on_gpu_ranks({1, 2, 3, 5}, [&](const Team& team, const Cuda& gpu) {
      const Found found = products(team, gpu, named, x, z);
      expect_near(found.y, expected.y, size);
      expect_near(found.added, expected.added, size);
      expect_near(found.turned, expected.turned, size);
      expect_near(found.residual, expected.residual, size);
      EXPECT_EQ(found.accurate, expected.accurate);  // rounded once, on either
      EXPECT_NEAR(found.dot, expected.dot, 1e-12 * terms);
      EXPECT_NEAR(found.square, expected.square, 1e-12 * expected.square);
    });
  }
}

void expect_bits_of_one_rank(int gpus) {
  for (const Named& named : matrices()) {
    SCOPED_TRACE(named.name);
    const std::vector<double> x = random_vector<double>(named.a.cols, 3), z = random_vector<double>(named.a.rows, 4);
    Found alone;
    if (named.format == "csr") continue;
    on_gpu_ranks({1}, [&](const Team& team, const Cuda& gpu) { alone = products(team, gpu, named, x, z); });
    on_gpu_ranks(
        {2, 3, 5, PeerBuffers::most_ranks + 1},
        [&](const Team& team, const Cuda& gpu) {
          const Found found = products(team, gpu, named, x, z);
          EXPECT_EQ(found.y, alone.y);
          EXPECT_EQ(found.added, alone.added);
          EXPECT_EQ(found.turned, alone.turned);
          EXPECT_EQ(found.residual, alone.residual);
          EXPECT_EQ(found.accurate, alone.accurate);
          EXPECT_EQ(found.dot, alone.dot);
          EXPECT_EQ(found.square, alone.square);
        },
        gpus);
  }
}

TEST_F(CudaRanksOperator, HasTheBitsOfOneRank) { expect_bits_of_one_rank(1); }

TEST_F(CudaRanksOperator, HasTheBitsOfOneRankOnTwoGpus) {
  if (Cuda::device_count() < 2) GTEST_SKIP() << "needs two GPUs";
  expect_bits_of_one_rank(2);
}

TEST_F(CudaRanksOperator, SumsVectorsOfEveryLength) {
  for (const Index n : {0, 1, 31, 2048, 2049, 6000, 9001, 4300000}) {
    const std::vector<double> x = random_vector<double>(n, 3), y = random_vector<double>(n, 4);
    double expected = 0, terms = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      expected += x[i] * y[i];
      terms += std::abs(x[i] * y[i]);
    }
    on_gpu_ranks({1, 2, 3}, [&](const Team& team, const Cuda& gpu) {
      const Partition rows = Partition::by_rows(team, n);
      const Vector<Cuda, double> mine(gpu, piece(x, rows, team)), other(gpu, piece(y, rows, team));
      Vector<Cuda, double> slot(gpu, 1, -1.0);
      dot<double>(DistributedCuda(gpu, team), mine, other, slot.data());
      EXPECT_NEAR(slot.download()[0], expected, 1e-14 * terms) << n;
    });
  }
}

TEST_F(CudaRanksOperator, RefusesFormatsThatAddInAnotherOrder) {
  const Csr<double> a = generate<double>("poisson2d", {.n = 60});
  on_gpu_ranks({1, 2}, [&](const Team& team, const Cuda& gpu) {
    const Partition rows = Partition::by_rows(team, a.rows);
    const Csr<double> mine = piece(a, rows.begin(team), rows.end(team));
    EXPECT_THROW((DistributedOperator<Cuda, double>(DistributedCuda(gpu, team), rows, mine, "csr")), ArgumentError);
  });
}

}  // namespace
}  // namespace ostinato::test::gpus
