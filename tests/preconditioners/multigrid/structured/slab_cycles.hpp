// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <ostinato/preconditioners/multigrid/rate_steps.hpp>
#include <ostinato/preconditioners/multigrid/structured/cycle.hpp>
#include <ostinato/preconditioners/multigrid/structured/slab_cycle.hpp>
#include <ostinato/spmv/stencil/stencil_operator.hpp>

#include "support/pieces.hpp"
#include "support/reference.hpp"
#include "support/stencils.hpp"

// Cycles over slabs, and the same on one rank, for some right-hand sides one after the other.

namespace ostinato::test::slabs {

using namespace multigrid;

/// A grid, and how a cycle goes over it.
struct Case {
  Extents grid;
  bool star;
  int sweeps;
  std::size_t most_gathered;
  double along_last = 1;  ///< of a star: how many times as much neighbours along the last axis count

  Smoother smoother() const { return sweeps == 1 ? Smoother::jacobi : Smoother::chebyshev; }
  std::string text() const {
    return std::to_string(grid.x) + " x " + std::to_string(grid.y) + " x " + std::to_string(grid.z) +
           (star ? ", a star, " : ", all neighbours, ") + std::to_string(sweeps) + " sweeps, gathered from " +
           std::to_string(most_gathered) + ", times " + std::to_string(along_last) + " along the last axis";
  }
};

inline constexpr int right_hand_sides = 3;

template <class T>
std::vector<T> right_hand_side(std::size_t n, int number) {
  std::vector<T> r(n);
  for (std::size_t i = 0; i < n; ++i) r[i] = static_cast<T>(random_error(i + 7919 * static_cast<std::size_t>(number)));
  return r;
}

inline StencilOperator<Host, double> stencil_of(const Case& c) {
  ostinato::Stencil stencil = laplacian_stencil(c.grid, c.star);
  for (StencilTerm& t : stencil.terms) {
    if (t.dx == 0 && t.dy == 0 && t.dz == 0) t.coefficient += 2 * (c.along_last - 1);
    if ((c.grid.z > 1 ? t.dz : t.dy) != 0) t.coefficient *= c.along_last;
  }
  return StencilOperator<Host, double>(Host(), stencil);
}

/// z of all right-hand sides, and r . z.
template <class T>
struct Answers {
  std::vector<std::vector<T>> z;
  std::vector<double> dots;
};

/// apply(r, z, slot) for each right-hand side, of which this rank has elements begin .. end - 1; the host doesn't wait.
template <class T, class Local, class Apply>
Answers<T> answers(const Local& local, std::size_t n, std::size_t begin, std::size_t end, Apply apply) {
  Vector<Local, double> slots(local, right_hand_sides);
  std::vector<Vector<Local, T>> r, z;
  for (int k = 0; k < right_hand_sides; ++k) {
    const std::vector<T> whole = right_hand_side<T>(n, k);
    r.emplace_back(local, std::span<const T>(whole).subspan(begin, end - begin));
    z.emplace_back(local, end - begin);
  }
  local.wait();
  for (std::size_t k = 0; k < r.size(); ++k) apply(std::as_const(r[k]).data(), z[k].data(), slots.data() + k);
  Answers<T> all{{}, slots.download()};
  for (const auto& v : z) all.z.push_back(v.download());
  return all;
}

/// Those of make_cycle().
template <class T, class Local>
Answers<T> of_one_rank(const Local& local, const Case& c) {
  const auto a = stencil_of(c);
  const auto hierarchy =
      std::make_shared<const Hierarchy<Local>>(GridPlan<Local>(local, a.grid(), a.table(), a.structure().norm_inf));
  const Cycle<Local> cycle = make_cycle<Local>(local, a.grid(), hierarchy, c.smoother(), c.sweeps);
  const std::size_t n = c.grid.points();
  return answers<T>(local, n, 0, n, [&](const T* r, T* z, Slot<T> slot) { cycle.template apply<T>({r}, {z}, slot); });
}

/// Those of a cycle over slabs, put together.
template <class T, class Local>
Answers<T> of_slabs(const Team& team, const Local& local, const Case& c, const Partition& rows) {
  const auto a = stencil_of(c);
  const Distributed<Local> space(local, team);
  const ConstantGrid found{a.grid(), a.table()};
  const auto cycle = make_slab_cycle<Local>(space, found, a.structure().norm_inf, rows, c.smoother(), c.sweeps,
                                            MemoryBudget(local, "test"), c.most_gathered);
  if (!cycle) return {};
  EXPECT_GT(cycle->levels().size(), 1u);
  const auto begin = static_cast<std::size_t>(rows.begin(team)), end = static_cast<std::size_t>(rows.end(team));
  Answers<T> all = answers<T>(local, c.grid.points(), begin, end,
                              [&](const T* r, T* z, Slot<T> slot) { cycle->template apply<T>({r}, {z}, slot); });
  for (std::vector<T>& z : all.z) z = joined(team, z);
  return all;
}

/// What r . z of each right-hand side is.
template <class T>
void expect_dots(const Answers<T>& found) {
  for (std::size_t k = 0; k < found.z.size(); ++k) {
    const std::vector<T> r = right_hand_side<T>(found.z[k].size(), static_cast<int>(k));
    double sum = 0;
    for (std::size_t i = 0; i < r.size(); ++i) sum += static_cast<double>(r[i]) * static_cast<double>(found.z[k][i]);
    EXPECT_NEAR(found.dots[k], sum, 1e-10 * std::abs(sum));
  }
}

/// Ways to share rows: planes, blocks of rows, any rows with an empty rank, and all on the last rank.
inline std::vector<Partition> partitions(const Team& team, const Extents& grid) {
  const auto n = static_cast<Index>(grid.points());
  std::vector<Index> last(static_cast<std::size_t>(team.size()) + 1, 0);
  last.back() = n;
  return {Partition::grid(team, grid), Partition::by_rows(team, n), uneven(team, n), Partition(last)};
}

}  // namespace ostinato::test::slabs
