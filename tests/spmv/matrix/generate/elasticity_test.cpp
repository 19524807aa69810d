// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/matrix/generate.hpp>
#include <ostinato/spmv/matrix/generate/mesh.hpp>

namespace {

using ostinato::Csr;
using ostinato::generate;
using ostinato::generate_coordinates;
using ostinato::GenerateOptions;
using ostinato::Host;
using ostinato::Index;

using Mesh3d = ostinato::generate_detail::Mesh<3>;
using Point = std::array<long double, 3>;

/// The motions of a rigid body: three translations and three rotations.
Point motion(int mode, const Point& p) {
  const Point along[6] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-p[1], p[0], 0}, {0, -p[2], p[1]}, {p[2], 0, -p[0]}};
  return along[mode];
}

/// The row of the first displacement of each vertex that moves, by where the vertex is.
std::map<std::array<double, 3>, Index> rows_of(const std::vector<double>& points) {
  std::map<std::array<double, 3>, Index> rows;
  for (std::size_t k = 0; k < points.size(); k += 3)
    rows[{points[k], points[k + 1], points[k + 2]}] = static_cast<Index>(k);
  return rows;
}

std::vector<long double> product(const Csr<double>& a, const std::vector<long double>& x) {
  std::vector<long double> y(x.size());
  for (std::size_t i = 0; i < y.size(); ++i)
    for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k)
      y[i] += static_cast<long double>(a.val[k]) * x[static_cast<std::size_t>(a.col[k])];
  return y;
}

/// The strains xx, yy, zz, yz, xz, xy of the displacements of a tetrahedron's corners, and its volume.
std::pair<std::array<long double, 6>, long double> strain(const std::array<Point, 4>& at,
                                                          const std::array<Point, 4>& u) {
  Point e[3], w[3];
  for (std::size_t k = 0; k < 3; ++k)
    for (std::size_t d = 0; d < 3; ++d) e[k][d] = at[k + 1][d] - at[0][d], w[k][d] = u[k + 1][d] - u[0][d];
  const auto determinant = [](const Point& a, const Point& b, const Point& c) {
    return a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
  };
  const long double whole = determinant(e[0], e[1], e[2]);
  long double slope[3][3];  // of displacement d along axis x, by Cramer's rule
  for (std::size_t d = 0; d < 3; ++d) {
    for (std::size_t x = 0; x < 3; ++x) {
      Point m[3] = {e[0], e[1], e[2]};
      for (std::size_t k = 0; k < 3; ++k) m[k][x] = w[k][d];
      slope[d][x] = determinant(m[0], m[1], m[2]) / whole;
    }
  }
  return {{slope[0][0], slope[1][1], slope[2][2], slope[1][2] + slope[2][1], slope[0][2] + slope[2][0],
           slope[0][1] + slope[1][0]},
          std::abs(whole) / 6};
}

TEST(ElasticityFamily, HoldsTheEnergyOfItsElements) {
  for (const Index n : {1, 2, 4}) {
    const GenerateOptions options{.n = n, .seed = 5};
    const Csr<double> a = generate<double>("elasticity3d", options);
    const auto rows = rows_of(generate_coordinates("elasticity3d", options));
    ASSERT_EQ(a.rows, 3 * n * (n + 1) * (n + 1));
    ASSERT_EQ(rows.size(), static_cast<std::size_t>(a.rows / 3));
    std::vector<long double> u(static_cast<std::size_t>(a.rows));
    for (std::size_t i = 0; i < u.size(); ++i) u[i] = std::sin(static_cast<long double>(i * i + 1));
    const std::vector<long double> au = product(a, u);
    long double energy = 0, expected = 0;
    for (std::size_t i = 0; i < u.size(); ++i) energy += u[i] * au[i];

    const Mesh3d mesh(Host(), n - 1, 5);
    for (std::int64_t z = 0; z < n; ++z)
      for (std::int64_t y = 0; y < n; ++y)
        for (std::int64_t x = 0; x < n; ++x)
          mesh.for_simplices(mesh.vertex({x, y, z}), [&](const Mesh3d::Simplex& simplex) {
            std::array<Point, 4> at, moved{};
            for (std::size_t k = 0; k < 4; ++k) {
              const auto& p = mesh.position(simplex[k]);
              at[k] = {p[0], p[1], p[2]};
              const auto row = rows.find({p[0] / n, p[1] / n, p[2] / n});
              ASSERT_EQ(row == rows.end(), p[0] == 0);
              for (std::size_t d = 0; d < 3 && row != rows.end(); ++d)
                moved[k][d] = u[static_cast<std::size_t>(row->second) + d];
            }
            const auto [s, volume] = strain(at, moved);
            const long double trace = s[0] + s[1] + s[2], lambda = 0.3L / (1.3L * 0.4L), mu = 0.5L / 1.3L;
            long double squares = 0;
            for (int k = 0; k < 6; ++k)
              squares += (k < 3 ? 2 : 1) * s[static_cast<std::size_t>(k)] * s[static_cast<std::size_t>(k)];
            expected += volume * (lambda * trace * trace + mu * squares);
          });
    EXPECT_NEAR(static_cast<double>(energy / expected), 1, 1e-13) << n;
  }
}

TEST(ElasticityFamily, LetsARigidBodyMoveAwayFromTheHeldFace) {
  const GenerateOptions options{.n = 5};
  const Csr<double> a = generate<double>("elasticity3d", options);
  const std::vector<double> points = generate_coordinates("elasticity3d", options);
  for (int mode = 0; mode < 6; ++mode) {
    std::vector<long double> u;
    for (std::size_t k = 0; k < points.size(); k += 3)
      for (const long double v : motion(mode, {points[k], points[k + 1], points[k + 2]})) u.push_back(v);
    const std::vector<long double> forces = product(a, u);
    long double held = 0;
    for (std::size_t i = 0; i < forces.size(); ++i) {
      const bool is_free = points[i / 3 * 3] > 1.5 / 5;
      if (is_free) {
        ASSERT_NEAR(static_cast<double>(forces[i]), 0, 1e-14) << mode << " " << i;
      } else {
        held = std::max(held, std::abs(forces[i]));
      }
    }
    EXPECT_GT(held, 0.01L) << mode;
  }
}

TEST(ElasticityFamily, NamesTheLimitOfRows) {
  try {
    generate_coordinates("elasticity3d", {.n = 894});
    FAIL();
  } catch (const ostinato::ArgumentError& e) {
    EXPECT_EQ(std::string(e.what()),
              "generate elasticity3d: n = 894 gives 2148349050 rows, and the limit is 2147483647");
  }
  EXPECT_TRUE(generate_coordinates("poisson3d", {.n = 5}).empty());
}

}  // namespace
