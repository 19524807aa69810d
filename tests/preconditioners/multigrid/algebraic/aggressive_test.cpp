// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/algebraic/aggressive.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <vector>

#include <ostinato/preconditioners/multigrid/algebraic/coarsening_steps.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/hierarchy.hpp>
#include <ostinato/preconditioners/multigrid/multigrid.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/strategy/solve_by_name.hpp>

#include "preconditioners/multigrid/algebraic/algebraic_matrices.hpp"
#include "spmv/algebra/algebra_cases.hpp"
#include "support/solving.hpp"
#include "support/spaces.hpp"

namespace ostinato::test {
namespace {

using Row = std::map<Index, long double>;

/// A splitting in host memory.
struct Split {
  std::vector<std::uint8_t> strong;
  std::vector<bool> is_coarse;
  std::vector<Offset> number;
  Index coarse_rows;
};

template <class Case>
class AggressiveOn : public SpaceTest<Case> {
 protected:
  using Home = typename Case::Space;
  using Value = typename Case::T;

  Split host(const algebraic::Coarsening<Home>& c) const {
    Split s{c.strong.download(), {}, c.number.download(), c.coarse_rows};
    for (const std::int32_t of_row : c.split.download()) s.is_coarse.push_back(of_row == algebraic::coarse);
    return s;
  }
  SpaceCsr<Home, Value> on_space(const Csr<Value>& a) const { return {this->space(), Csr<Value>(a)}; }

  std::vector<Row> rows_of(const SpaceCsr<Home, Value>& of) const {
    const Csr<Value> a = downloaded(this->space(), of);
    std::vector<Row> rows(static_cast<std::size_t>(a.rows));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k)
        rows[i][a.col[k]] = a.val[k];
    }
    return rows;
  }

  static std::vector<Csr<Value>> matrices() {
    std::vector<Csr<Value>> all = {
        generate<Value>("poisson2d", {.n = 20}), renumbered(generate<Value>("poisson3d", {.n = 9})),
        generate<Value>("convection-diffusion2d", {.n = 15}), renumbered(generate<Value>("anisotropic", {.n = 24}))};
    for (const Index n : {0, 1, 2, 31, 33, 597}) {
      all.push_back(graph_laplacian<Value>(n, 3, 0, 0, 1));
      all.push_back(graph_laplacian<Value>(n, 2, 2, 0.1, 2, 4));
      all.push_back(times(graph_laplacian<Value>(n, 2, 1, 0, 3), -1));
      if (n > 1) all.push_back(with_dense_row<Value>(n, n, n / 2, 4));
      if (n > 0) all.push_back(scattered<Value>(n, n, 4, true, 5));
    }
    return all;
  }
};

TYPED_TEST_SUITE(AggressiveOn, EverySpace, SpaceNames);

/// The rows that each row depends on.
template <class T>
std::vector<std::set<Index>> strong_of(const Csr<T>& a, const Split& s) {
  std::vector<std::set<Index>> found(static_cast<std::size_t>(a.rows));
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k)
      if (s.strong[k] != 0) found[i].insert(a.col[k]);
  }
  return found;
}

/// For each coarse row of the first splitting those that paths of one or two strong entries lead to.
template <class T>
std::vector<std::set<Index>> paths_of(const Csr<T>& a, const Split& first) {
  const auto strong = strong_of(a, first);
  std::vector<std::set<Index>> paths(strong.size());
  for (std::size_t i = 0; i < strong.size(); ++i) {
    if (!first.is_coarse[i]) continue;
    for (const Index m : strong[i]) {
      const auto middle = static_cast<std::size_t>(m);
      if (first.is_coarse[middle]) {
        paths[i].insert(m);
      } else {
        for (const Index j : strong[middle])
          if (first.is_coarse[static_cast<std::size_t>(j)]) paths[i].insert(j);
      }
    }
    paths[i].erase(static_cast<Index>(i));
  }
  return paths;
}

/// The rows to which three strong entries of short rows lead.
template <class T>
std::set<Index> three_steps_from(Index i, const Csr<T>& a, const std::vector<std::set<Index>>& strong) {
  constexpr Offset longest = 8;
  std::set<Index> reached{i};
  for (int step = 0; step < 3; ++step) {
    std::set<Index> next;
    for (const Index from : reached) {
      const auto row = static_cast<std::size_t>(from);
      if (a.row_ptr[row + 1] - a.row_ptr[row] <= longest) next.insert(strong[row].begin(), strong[row].end());
    }
    reached = std::move(next);
  }
  return reached;
}

TYPED_TEST(AggressiveOn, KeepsOfTheCoarseRowsThoseThatNoPathJoins) {
  using T = typename TypeParam::T;
  for (const Csr<T>& a : this->matrices()) {
    const auto m = this->on_space(a);
    const Split first = this->host(algebraic::coarsen(this->space(), m.view()));
    const Split both = this->host(algebraic::coarsen_twice(this->space(), m.view()));
    EXPECT_EQ(both.strong, first.strong);
    const auto paths = paths_of(a, first);
    std::vector<int> dependent(paths.size());
    for (const auto& of_row : paths)
      for (const Index j : of_row) ++dependent[static_cast<std::size_t>(j)];
    const auto strong = strong_of(a, first);
    const auto is_second = [&](Index j) {
      return both.is_coarse[static_cast<std::size_t>(j)] && dependent[static_cast<std::size_t>(j)] > 0;
    };
    Offset next = 0;
    for (std::size_t i = 0; i < paths.size(); ++i) {
      EXPECT_EQ(both.number[i], next);
      next += both.is_coarse[i];
      EXPECT_TRUE(first.is_coarse[i] || !both.is_coarse[i]);
      if (!first.is_coarse[i]) continue;
      const bool reads_coarse = std::any_of(paths[i].begin(), paths[i].end(),
                                            [&](Index j) { return both.is_coarse[static_cast<std::size_t>(j)]; });
      const std::set<Index> reached = three_steps_from(static_cast<Index>(i), a, strong);
      const bool leads_to_second = std::any_of(reached.begin(), reached.end(), is_second);
      if (both.is_coarse[i]) {
        EXPECT_FALSE(paths[i].empty() && dependent[i] == 0 && leads_to_second) << "row " << i;
        for (const Index j : paths[i])
          EXPECT_FALSE(both.is_coarse[static_cast<std::size_t>(j)] &&
                       paths[static_cast<std::size_t>(j)].count(static_cast<Index>(i)) > 0)
              << i << " and " << j << " of " << a.rows;
      } else {
        EXPECT_TRUE(paths[i].empty() ? leads_to_second : reads_coarse || dependent[i] == 0) << "row " << i;
      }
    }
    EXPECT_EQ(both.coarse_rows, next);
  }
}

TYPED_TEST(AggressiveOn, LeavesFewRowsOfLines) {
  using T = typename TypeParam::T;
  const auto a = generate<T>("anisotropic", {.n = 100});  // strong entries along y alone
  const auto m = this->on_space(a);
  const Index coarse_rows = algebraic::coarsen_twice(this->space(), m.view()).coarse_rows;
  EXPECT_LT(coarse_rows, 0.21 * a.rows) << "0.22 if all were kept that no path of two entries joins";
}

TYPED_TEST(AggressiveOn, LeavesFewRowsOfAMesh) {
  const auto a = renumbered(generate<typename TypeParam::T>("poisson3d", {.n = 24}));
  const auto m = this->on_space(a);
  const Index once = algebraic::coarsen(this->space(), m.view()).coarse_rows;
  const Index twice = algebraic::coarsen_twice(this->space(), m.view()).coarse_rows;

  EXPECT_LT(3 * twice, once);
  EXPECT_GT(20 * twice, once);
}

/// The interpolation from its definition, in long double and without truncation.
template <class T>
std::vector<Row> interpolated(const Csr<T>& a, const Split& s) {
  const auto strong = strong_of(a, s);
  const std::size_t n = strong.size();
  std::vector<Row> p(n);
  std::vector<int> pass(n, -1);
  for (std::size_t i = 0; i < n; ++i) {
    if (!s.is_coarse[i]) continue;
    p[i] = {{static_cast<Index>(s.number[i]), 1}};
    pass[i] = 0;
  }
  for (int now = 1, done = 1; done > 0; ++now) {
    done = 0;
    for (std::size_t i = 0; i < n; ++i) {
      if (pass[i] >= 0) continue;
      long double diagonal = 0, all = 0, read = 0;
      Row row;
      bool reads = false;
      for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k) {
        const auto j = static_cast<std::size_t>(a.col[k]);
        const long double v = a.val[k];
        if (j == i) {
          diagonal = v;
          continue;
        }
        all += v;
        if (s.strong[k] == 0 || pass[j] < 0 || pass[j] >= now) continue;
        reads = true;
        read += v;
        for (const auto& [c, w] : p[j]) row[c] += v * w;
      }
      if (!reads) continue;
      const long double share = all / read;
      const long double scale = diagonal == 0 ? 0 : (share > 0 && share < 1000 ? share : 1) / -diagonal;
      for (auto& [c, w] : row) w *= scale;
      p[i] = row;
      pass[i] = now;
      ++done;
    }
  }
  return p;
}

TYPED_TEST(AggressiveOn, InterpolatesPassByPass) {
  using T = typename TypeParam::T;
  const double eps = std::numeric_limits<T>::epsilon();
  int compared = 0;
  for (const Csr<T>& a : this->matrices()) {
    const auto m = this->on_space(a);
    const auto c = algebraic::coarsen_twice(this->space(), m.view());
    const auto made = algebraic::multipass_interpolation(this->space(), m.view(), c, 16);
    EXPECT_EQ(made.view().cols, c.coarse_rows);
    const auto found = this->rows_of(made), want = interpolated(a, this->host(c));
    if (std::any_of(want.begin(), want.end(), [](const Row& r) { return r.size() > 16; })) continue;  // truncated
    for (std::size_t i = 0; i < want.size(); ++i) {
      ASSERT_EQ(found[i].size(), want[i].size()) << "row " << i << " of " << a.rows;
      long double size = 1;
      for (const auto& [j, w] : want[i]) size = std::max(size, std::abs(w));
      for (const auto& [j, w] : want[i])
        EXPECT_NEAR(static_cast<double>(found[i].at(j)), static_cast<double>(w), 1000 * eps * static_cast<double>(size))
            << "row " << i << " of " << a.rows;
      ++compared;
    }
  }
  EXPECT_GT(compared, 1000);
}

TYPED_TEST(AggressiveOn, InterpolatesConstantsExactly) {
  using T = typename TypeParam::T;
  const Csr<T> a = graph_laplacian<T>(2000, 3, 1, 0, 6);  // the sum of a row is 0
  const auto m = this->on_space(a);
  const auto p =
      algebraic::multipass_interpolation(this->space(), m.view(), algebraic::coarsen_twice(this->space(), m.view()), 4);
  for (const Row& row : this->rows_of(p)) {
    EXPECT_LE(row.size(), 4u);
    long double total = 0;
    for (const auto& [j, w] : row) total += w;
    EXPECT_NEAR(static_cast<double>(total), 1, 1e3 * std::numeric_limits<T>::epsilon());
  }
}

/// A hub, all others of which come in pairs, each with a coarse row of its own: the hub takes more columns than a table
/// holds.
TYPED_TEST(AggressiveOn, InterpolatesConstantsExactlyAtARowThatTakesManyColumns) {
  using T = typename TypeParam::T;
  constexpr Index leaves = 200;
  std::vector<Triplet<T>> triplets;
  const auto join = [&](Index i, Index j) {
    triplets.insert(triplets.end(), {{i, j, T{-1}}, {j, i, T{-1}}, {i, i, T{1}}, {j, j, T{1}}});
  };
  for (Index k = 1; k <= leaves; ++k) join(0, k), join(k, leaves + k);
  const Csr<T> a = from_triplets<T>(2 * leaves + 1, 2 * leaves + 1, triplets);
  const auto m = this->on_space(a);
  auto c = algebraic::coarsen(this->space(), m.view());
  std::vector<std::int32_t> split(static_cast<std::size_t>(a.rows), algebraic::fine);
  std::fill(split.begin() + leaves + 1, split.end(), algebraic::coarse);
  c.split.upload(split);
  algebraic::number_coarse(this->space(), c);
  const auto p = algebraic::multipass_interpolation(this->space(), m.view(), c, 16);
  ASSERT_EQ(p.view().cols, leaves);
  for (const Row& row : this->rows_of(p)) {
    long double total = 0;
    for (const auto& [j, w] : row) total += w;
    EXPECT_NEAR(static_cast<double>(total), 1, 1e3 * std::numeric_limits<T>::epsilon());
  }
}

TYPED_TEST(AggressiveOn, IsTheSameOnEveryRun) {
  const auto m = this->on_space(renumbered(generate<typename TypeParam::T>("poisson3d", {.n = 16})));
  const auto make = [&] {
    const auto c = algebraic::coarsen_twice(this->space(), m.view());
    return this->rows_of(algebraic::multipass_interpolation(this->space(), m.view(), c));
  };
  const auto first = make();
  for (int run = 0; run < 5; ++run) EXPECT_EQ(make(), first);
}

TYPED_TEST(AggressiveOn, TakesLessMemoryAndSomeIterationsMore) {
  using Space = typename TypeParam::Space;
  using T = typename TypeParam::T;
  const System<T> system = with_known_solution(renumbered(generate<T>("poisson3d", {.n = 20})));
  const Analysis<Space, T> analysis(this->space(), system.a);
  const Operator<Space, T> op(analysis);
  const auto solve_with = [&](bool aggressive, double& entries) {
    const Multigrid<Space, T> m(analysis, {.kind = MultigridKind::classical, .aggressive = aggressive});
    entries = 0;
    for (const PreconditionerLevel& level : m.levels()) entries += static_cast<double>(level.nonzeros);
    entries /= static_cast<double>(system.a.nonzeros());
    auto x = this->put(system.x0);
    const SolveResult result =
        solve(this->space(), op, this->put(system.b).span(), x.span(), m, "cg", {.rtol = is_single<T> ? 1e-5 : 1e-8});
    EXPECT_EQ(result.status, Status::converged) << result.message();
    return result.iterations;
  };
  double once = 0, twice = 0;
  const int fewer = solve_with(false, once), more = solve_with(true, twice);

  EXPECT_LE(once, 2.8);
  EXPECT_LE(twice, 1.6);
  EXPECT_LE(fewer, 9);
  EXPECT_LE(more, 18);
}

}  // namespace
}  // namespace ostinato::test
