// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <ostinato/spmv/space/vector.hpp>
#include <ostinato/spmv/stencil/stencil_operator.hpp>
#include <ostinato/spmv/team/distributed_stencil.hpp>

#include "support/matrices.hpp"
#include "support/pieces.hpp"
#include "support/stencils.hpp"

// Stencils on slabs of ranks, beside those of one rank.

namespace ostinato::test::stencils {

struct Named {
  std::string name;
  Stencil stencil;
};

/// Coefficients by a function, of all steps.
inline Stencil varied(const Extents& e, bool star) {
  Stencil stencil = laplacian_stencil(e, star);
  stencil.coefficient = varying;
  return stencil;
}

/// The same from both ends of a step, with a large diagonal.
inline Stencil symmetric(const Extents& e, bool star) {
  Stencil stencil = laplacian_stencil(e, star);
  stencil.coefficient = [](Index x, Index y, Index z, int dx, int dy, int dz) {
    if (dx == 0 && dy == 0 && dz == 0) return 60.0 + std::cos(1.0 * x + y + z);
    return std::cos(2.0 * (x + y + z) + dx + dy + dz) - 1.5;
  };
  return stencil;
}

inline std::vector<Named> all() {
  const Extents plane{37, 23, 1}, box{11, 7, 13}, thin{9, 7, 3}, two{8, 5, 2};
  std::vector<Named> all;
  for (const bool star : {true, false}) {
    const std::string kind = star ? " star" : " box";
    all.push_back({"2-D" + kind, laplacian_stencil(plane, star)});
    all.push_back({"3-D" + kind, laplacian_stencil(box, star)});
    all.push_back({"unsymmetric" + kind, unsymmetric_stencil(box, star)});
    all.push_back({"Neumann" + kind, with_neumann(unsymmetric_stencil(box, star), 63)});
    all.push_back({"Neumann on some sides" + kind, with_neumann(laplacian_stencil(plane, star), 4)});
    for (const int axes : {1, 4, 7}) {
      const std::string what = " periodic " + std::to_string(axes) + kind;
      all.push_back({"3-D" + what, with_periodic(unsymmetric_stencil(box, star), axes)});
      all.push_back({"thin" + what, with_periodic(laplacian_stencil(thin, star), axes)});
      all.push_back({"varied" + what, with_periodic(varied(thin, star), axes)});
    }
    all.push_back({"2-D periodic" + kind, with_periodic(laplacian_stencil(plane, star), 2)});
    all.push_back({"varied 2-D" + kind, varied(plane, star)});
    all.push_back({"varied 3-D" + kind, with_neumann(varied(box, star), 33)});
    all.push_back({"symmetric" + kind, symmetric(box, star)});
    all.push_back({"two planes" + kind, with_neumann(laplacian_stencil(two, star), 32)});
  }
  all.push_back({"a line", laplacian_stencil({50, 1, 1}, true)});
  all.push_back({"a periodic line", with_periodic(unsymmetric_stencil({50, 1, 1}, true), 1)});
  all.push_back({"a point", laplacian_stencil({1, 1, 1}, true)});
  return all;
}

/// Slabs of as many planes as others, and of very different ones, some of none.
inline std::vector<Partition> partitions(const Team& team, const Extents& e) {
  const Index planes = e.z > 1 ? e.z : e.y > 1 ? e.y : e.x, plane = static_cast<Index>(e.points()) / planes;
  std::vector<Index> uneven = {0};
  for (int r = 1; r < team.size(); ++r) uneven.push_back(std::min(planes, (r + 1) / 2) * plane);
  uneven.push_back(planes * plane);
  return {slab_partition(team, e), Partition::grid(team, e), Partition(uneven)};
}

/// What is found out about a stencil, put together.
template <class T>
struct Found {
  std::vector<T> y, added, residual, accurate;
  double dot = 0;
};

template <class T, class Local>
Found<T> of_one(const Local& local, const Stencil& stencil) {
  const StencilOperator<Local, T> a(local, stencil);
  const std::vector<T> x = random_vector<T>(a.rows(), 3), z = random_vector<T>(a.rows(), 4);
  const std::size_t n = x.size();
  const Vector<Local, T> there_x(local, std::span<const T>(x)), there_z(local, std::span<const T>(z));
  Vector<Local, T> y(local, n), added(local, std::span<const T>(z)), accurate(local, n);
  Vector<Local, double> slots(local, 2);
  a.apply(1, there_x, 0, y);
  a.apply(T(-0.3), there_x, T(1.7), added);
  a.accurate_residual(2, 0.5, there_x, there_z, accurate, slots.data());
  Vector<Local, T> residual(local, n);
  a.residual(there_x, there_z, residual, slots.data());
  a.apply_dot(there_x, y, there_z, slots.data());
  return {y.download(), added.download(), residual.download(), accurate.download(), slots.download()[0]};
}

/// Each rank returns the same.
template <class T, class Local>
Found<T> of_slabs(const Team& team, const Local& local, const Stencil& stencil, const Partition& rows) {
  const DistributedStencil<Local, T> a(Distributed<Local>(local, team), stencil, rows);
  const auto mine = [&](std::uint64_t seed) {
    const std::vector<T> whole = random_vector<T>(rows.rows(), seed);
    return std::vector<T>(whole.begin() + rows.begin(team), whole.begin() + rows.end(team));
  };
  const std::vector<T> own_x = mine(3), own_z = mine(4);
  const Vector<Local, T> x(local, std::span<const T>(own_x)), z(local, std::span<const T>(own_z));
  Vector<Local, T> y(local, a.rows(), T(7)), added(local, std::span<const T>(own_z)), accurate(local, a.rows()),
      residual(local, a.rows());
  Vector<Local, double> slots(local, 2);
  for (int twice = 0; twice < 2; ++twice) a.apply(1, x.span(), 0, y.span());
  a.apply(T(-0.3), x.span(), T(1.7), added.span());
  EXPECT_TRUE(a.accurate_residual(2, 0.5, x.span(), z.span(), accurate.span(), slots.data()));
  a.residual(x.span(), z.span(), residual.span(), slots.data());
  a.apply_dot(x.span(), y.span(), z.span(), slots.data());
  return {joined(team, y.download()), joined(team, added.download()), joined(team, residual.download()),
          joined(team, accurate.download()), slots.download()[0]};
}

template <class T>
double size_of_terms(const Stencil& stencil, const Found<T>& found) {
  const std::vector<T> z = random_vector<T>(static_cast<Index>(stencil.extents.points()), 4);
  double size = 0;
  for (std::size_t i = 0; i < z.size(); ++i)
    size += std::abs(static_cast<double>(z[i]) * static_cast<double>(found.y[i]));
  return size;
}

/// y of A in double and x in float, by one rank and by slabs.
template <class Local>
std::vector<float> of_one_in_float(const Local& local, const Stencil& stencil) {
  const StencilOperator<Local, double> a(local, stencil);
  const std::vector<float> x = random_vector<float>(a.rows(), 3);
  const Vector<Local, float> there(local, std::span<const float>(x));
  Vector<Local, float> y(local, x.size());
  a.lower()->apply(1, there.span(), 0, y.span());
  return y.download();
}

template <class Local>
std::vector<float> of_slabs_in_float(const Team& team, const Local& local, const Stencil& stencil) {
  const DistributedStencil<Local, double> a(Distributed<Local>(local, team), stencil);
  const std::vector<float> whole = random_vector<float>(a.row_parts().rows(), 3);
  const std::span<const float> own(whole.data() + a.row_parts().begin(team), a.rows());
  const Vector<Local, float> x(local, own);
  Vector<Local, float> y(local, a.rows(), 7.0f);
  a.lower()->apply(1, x.span(), 0, y.span());
  return joined(team, y.download());
}

/// Products have the bits of a StencilOperator, on the same space.
template <class T, class Local>
void expect_bits_of_one(const Team& team, const Local& local, const Stencil& stencil, const Found<T>& one) {
  for (const Partition& rows : partitions(team, stencil.extents)) {
    const Found<T> found = of_slabs<T>(team, local, stencil, rows);
    EXPECT_EQ(found.y, one.y);
    EXPECT_EQ(found.added, one.added);
    EXPECT_EQ(found.residual, one.residual);
    EXPECT_EQ(found.accurate, one.accurate);
    EXPECT_NEAR(found.dot, one.dot, 1e-13 * size_of_terms(stencil, one));
  }
}

}  // namespace ostinato::test::stencils
