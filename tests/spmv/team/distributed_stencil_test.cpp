// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/matrix/csr.hpp>

#include "spmv/team/distributed_stencils.hpp"
#include "support/ranks.hpp"

namespace ostinato::test::stencils {
namespace {

template <class T>
void expect_bits_of_one_rank() {
  for (const Named& named : all()) {
    SCOPED_TRACE(named.name);
    const Found<T> one = of_one<T>(Host(1), named.stencil);
    on_ranks({1, 2, 3, 5, 15}, [&](const Team& team) { expect_bits_of_one(team, Host(1), named.stencil, one); });
  }
}

TEST(DistributedStencil, HasTheBitsOfOneRank) { expect_bits_of_one_rank<double>(); }
TEST(DistributedStencil, HasTheBitsOfOneRankInFloat) { expect_bits_of_one_rank<float>(); }

TEST(DistributedStencil, HasTheBitsOfOneRankForVectorsInFloat) {
  for (const Named& named : all()) {
    SCOPED_TRACE(named.name);
    const std::vector<float> one = of_one_in_float(Host(1), named.stencil);
    on_ranks({1, 2, 5}, [&](const Team& team) { EXPECT_EQ(of_slabs_in_float(team, Host(1), named.stencil), one); });
  }
}

TEST(DistributedStencil, SumsWithTheBitsOfOneRankWhereSlabsAreWholeBlocks) {
  const Stencil stencil = unsymmetric_stencil({64, 16, 24}, true);  // two planes are a block
  const auto dot_of = [&](const Team& team) {
    const Partition rows = slab_partition(team, stencil.extents);
    for (int r = 0; r < team.size(); ++r) EXPECT_EQ(rows.offset(r) % Partition::block, 0);
    return of_slabs<double>(team, Host(1), stencil, rows).dot;
  };
  const double alone = dot_of(Team::alone());
  on_ranks({2, 3}, [&](const Team& team) { EXPECT_EQ(dot_of(team), alone); });
}

TEST(DistributedStencil, KnowsTheFactsOfTheWholeMatrix) {
  for (const Named& named : all()) {
    SCOPED_TRACE(named.name);
    const Csr<double> matrix = stencil_matrix<double>(named.stencil);
    const StencilOperator<Host, double> one(Host(1), named.stencil);
    const Facts& expected = one.facts();
    on_ranks({1, 2, 3, 15}, [&](const Team& team) {
      for (const Partition& rows : partitions(team, named.stencil.extents)) {
        const DistributedStencil<Host, double> a(Distributed<Host>(Host(1), team), named.stencil, rows);
        const Facts& facts = *a.facts();
        EXPECT_EQ(facts.rows, expected.rows);
        EXPECT_EQ(facts.nonzeros, expected.nonzeros);
        EXPECT_EQ(facts.symmetric, expected.symmetric);
        EXPECT_EQ(facts.longest_row, expected.longest_row);
        EXPECT_EQ(facts.missing_diagonal, expected.missing_diagonal);
        EXPECT_EQ(facts.positive_diagonal, expected.positive_diagonal);
        EXPECT_EQ(facts.negative_diagonal, expected.negative_diagonal);
        EXPECT_EQ(facts.finite, expected.finite);
        EXPECT_EQ(facts.norm_inf, expected.norm_inf);
        EXPECT_EQ(a.structure().offsets, one.structure().offsets);
        EXPECT_EQ(a.grid().text(), one.grid().text());
        EXPECT_EQ(team.sum(a.report().entries), matrix.nonzeros());
        EXPECT_EQ(team.sum(a.report().rows), matrix.rows);
      }
    });
  }
}

TEST(DistributedStencil, KnowsItsDiagonal) {
  for (const Named& named : all()) {
    SCOPED_TRACE(named.name);
    const Csr<double> matrix = stencil_matrix<double>(named.stencil);
    std::vector<double> expected(static_cast<std::size_t>(matrix.rows));
    double largest = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      double sum = 0;
      for (auto k = static_cast<std::size_t>(matrix.row_ptr[i]); k < static_cast<std::size_t>(matrix.row_ptr[i + 1]);
           ++k) {
        sum += std::abs(matrix.val[k]);
        if (matrix.col[k] == static_cast<Index>(i)) expected[i] = matrix.val[k];
      }
      if (expected[i] != 0) largest = std::max(largest, sum / std::abs(expected[i]));
    }
    on_ranks({1, 2, 5}, [&](const Team& team) {
      for (const Partition& rows : partitions(team, named.stencil.extents)) {
        const DistributedStencil<Host, double> a(Distributed<Host>(Host(1), team), named.stencil, rows);
        EXPECT_EQ(joined(team, a.diagonal()), expected);
        if (a.facts()->missing_diagonal == 0) {
          EXPECT_NEAR(a.largest_row(), largest, 1e-12 * largest);
        }
        if (const auto same = a.constant_diagonal()) {
          EXPECT_EQ(std::count(expected.begin(), expected.end(), *same), matrix.rows);
        }
      }
    });
  }
}

TEST(DistributedStencil, CutsSlabsEvenly) {
  on_ranks({1, 2, 3, 8}, [](const Team& team) {
    for (const Extents& e : {Extents{100, 100, 100}, Extents{64, 64, 64}, Extents{1000, 700, 1}, Extents{3, 3, 300}}) {
      const Partition rows = slab_partition(team, e);
      const Index planes = e.z > 1 ? e.z : e.y, plane = rows.rows() / planes;
      EXPECT_EQ(static_cast<std::size_t>(rows.rows()), e.points());
      for (int r = 0; r < team.size(); ++r) {
        EXPECT_EQ(rows.offset(r) % plane, 0);
        const double mean = 1.0 * planes / team.size(), own = 1.0 * (rows.offset(r + 1) - rows.offset(r)) / plane;
        EXPECT_NEAR(own, mean, mean / 4 + 1);
      }
    }
  });
}

TEST(DistributedStencil, RefusesRowsThatAreNoPlanes) {
  const Stencil stencil = laplacian_stencil({10, 10, 10}, true);
  on_ranks({2, 3}, [&](const Team& team) {
    std::vector<Index> offsets(static_cast<std::size_t>(team.size()) + 1, 50);
    offsets.front() = 0;
    offsets.back() = 1000;
    const Distributed<Host> space(Host(1), team);
    EXPECT_THROW((DistributedStencil<Host, double>(space, stencil, Partition(offsets))), ArgumentError);
  });
}

TEST(DistributedStencil, RefusesStencilsAsOneRankDoes) {
  Stencil stencil = laplacian_stencil({10, 10, 10}, true);
  stencil.terms.push_back(stencil.terms.front());
  on_ranks({1, 2}, [&](const Team& team) {
    EXPECT_THROW((DistributedStencil<Host, double>(Distributed<Host>(Host(1), team), stencil)), ArgumentError);
  });
}

}  // namespace
}  // namespace ostinato::test::stencils
