// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/matrix/generate/mesh.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <ostinato/spmv/matrix/generate.hpp>
#include <ostinato/spmv/matrix/generate/numbering.hpp>

namespace {

using ostinato::Csr;
using ostinato::generate;
using ostinato::Host;
using ostinato::Index;
using ostinato::Offset;

template <int D>
struct Dimension {
  static constexpr int value = D;
};

template <class D>
class MeshFamily : public testing::Test {
 protected:
  static constexpr int dimensions = D::value;
  using MeshOf = ostinato::generate_detail::Mesh<dimensions>;
  using Square = std::array<std::array<long double, dimensions>, dimensions>;

  static Csr<double> matrix(Index n, std::uint64_t seed = 1) {
    return generate<double>(dimensions == 2 ? "mesh2d" : "mesh3d", {.n = n, .seed = seed});
  }
  /// The vertex of each row.
  static std::vector<std::int64_t> vertices(const MeshOf& mesh, Index rows, std::uint64_t seed = 1) {
    std::vector<std::int64_t> all;
    for (const Index point : ostinato::generate_detail::random_order(rows, seed)) all.push_back(mesh.inner(point));
    return all;
  }

  /// All simplices of the mesh.
  static std::vector<typename MeshOf::Simplex> simplices(const MeshOf& mesh, Index n) {
    std::vector<typename MeshOf::Simplex> all;
    std::int64_t cells = 1;
    for (int axis = 0; axis < dimensions; ++axis) cells *= n + 1;
    for (std::int64_t cell = 0; cell < cells; ++cell) {
      std::array<std::int64_t, dimensions> at;
      std::int64_t rest = cell;
      for (auto& a : at) a = std::exchange(rest, rest / (n + 1)) % (n + 1);
      mesh.for_simplices(mesh.vertex(at), [&](const auto& simplex) { all.push_back(simplex); });
    }
    return all;
  }

  /// Inverts the matrix by Gauss and Jordan with pivots, and returns its determinant.
  static long double invert(Square& m) {
    Square inverse{};
    for (std::size_t k = 0; k < dimensions; ++k) inverse[k][k] = 1;
    long double determinant = 1;
    for (std::size_t k = 0; k < dimensions; ++k) {
      std::size_t pivot = k;
      for (std::size_t i = k; i < dimensions; ++i)
        if (std::abs(m[i][k]) > std::abs(m[pivot][k])) pivot = i;
      if (pivot != k) determinant = -determinant;
      std::swap(m[k], m[pivot]);
      std::swap(inverse[k], inverse[pivot]);
      const long double by = m[k][k];
      determinant *= by;
      for (std::size_t j = 0; j < dimensions; ++j) m[k][j] /= by, inverse[k][j] /= by;
      for (std::size_t i = 0; i < dimensions; ++i) {
        const long double factor = i == k ? 0 : m[i][k];
        for (std::size_t j = 0; j < dimensions; ++j)
          m[i][j] -= factor * m[k][j], inverse[i][j] -= factor * inverse[k][j];
      }
    }
    m = inverse;
    return determinant;
  }

  /// The edges from the first vertex of a simplex, one a row; `grid`: where the vertices were before they moved.
  static Square edges(const MeshOf& mesh, const typename MeshOf::Simplex& simplex, bool grid) {
    Square e;
    for (std::size_t k = 0; k < dimensions; ++k) {
      for (std::size_t axis = 0; axis < dimensions; ++axis) {
        const auto at = [&](std::int64_t v) -> long double {
          return grid ? static_cast<long double>(mesh.on_grid(v)[axis]) : mesh.position(v)[axis];
        };
        e[k][axis] = at(simplex[k + 1]) - at(simplex[0]);
      }
    }
    return e;
  }
};

using Dimensions = testing::Types<Dimension<2>, Dimension<3>>;
TYPED_TEST_SUITE(MeshFamily, Dimensions);

TYPED_TEST(MeshFamily, FillsTheSquareOrCubeWithSimplicesOfPositiveVolume) {
  using Mesh = typename TestFixture::MeshOf;
  constexpr int d = TestFixture::dimensions;
  for (const std::uint64_t seed : {1, 2, 3}) {
    const Index n = d == 2 ? 40 : 9;
    const Mesh mesh(Host(), n, seed);
    long double volume = 0;
    for (const auto& simplex : TestFixture::simplices(mesh, n)) {
      auto moved = TestFixture::edges(mesh, simplex, false), grid = TestFixture::edges(mesh, simplex, true);
      const long double size = TestFixture::invert(moved), before = TestFixture::invert(grid);
      ASSERT_NEAR(static_cast<double>(std::abs(before)), 1, 1e-15);
      ASSERT_GT(static_cast<double>(size * before), 0.2);
      volume += size * before;
    }
    EXPECT_NEAR(static_cast<double>(volume), std::pow(n + 1.0, d) * (d == 2 ? 2 : 6), 1e-9);
  }
}

// A simplex that crossed the common face of two cells on one side only would leave a face that belongs to one simplex.
TYPED_TEST(MeshFamily, JoinsSimplicesAtWholeFaces) {
  using Mesh = typename TestFixture::MeshOf;
  constexpr int d = TestFixture::dimensions;
  const Index n = d == 2 ? 12 : 6;
  const Mesh mesh(Host(), n, 1);
  std::map<std::vector<std::int64_t>, int> faces;
  for (const auto& simplex : TestFixture::simplices(mesh, n)) {
    for (std::size_t without = 0; without <= d; ++without) {
      std::vector<std::int64_t> face;
      for (std::size_t k = 0; k <= d; ++k)
        if (k != without) face.push_back(simplex[k]);
      std::sort(face.begin(), face.end());
      ++faces[face];
    }
  }
  for (const auto& [face, count] : faces) {
    bool in_boundary = false;
    for (std::size_t axis = 0; axis < d; ++axis) {
      for (const double side : {0.0, n + 1.0})
        in_boundary = in_boundary || std::all_of(face.begin(), face.end(),
                                                 [&](std::int64_t v) { return mesh.position(v)[axis] == side; });
    }
    ASSERT_EQ(count, in_boundary ? 1 : 2);
  }
}

TYPED_TEST(MeshFamily, HoldsTheSumOfItsElements) {
  using Mesh = typename TestFixture::MeshOf;
  constexpr int d = TestFixture::dimensions;
  for (const Index n : {1, 2, 5}) {
    const Csr<double> a = TestFixture::matrix(n, 7);
    const Mesh mesh(Host(), n, 7);
    const auto vertices = TestFixture::vertices(mesh, a.rows, 7);
    std::map<std::int64_t, Index> row_of;
    for (Index row = 0; row < a.rows; ++row) row_of[vertices[static_cast<std::size_t>(row)]] = row;
    std::map<std::pair<Index, Index>, long double> expected;
    for (const auto& simplex : TestFixture::simplices(mesh, n)) {
      auto inverse = TestFixture::edges(mesh, simplex, false);
      const long double volume = std::abs(TestFixture::invert(inverse)) / (d == 2 ? 2 : 6);
      for (std::size_t i = 0; i <= d; ++i) {
        for (std::size_t j = 0; j <= d; ++j) {
          const auto row = row_of.find(simplex[i]), col = row_of.find(simplex[j]);
          if (row == row_of.end() || col == row_of.end()) continue;
          long double product = 0;
          for (std::size_t axis = 0; axis < d; ++axis) {
            const auto slope = [&](std::size_t k) {  // of the function that is 1 in vertex k of the simplex
              long double rest = 0;
              for (std::size_t e = 0; e < d; ++e) rest -= inverse[axis][e];
              return k == 0 ? rest : inverse[axis][k - 1];
            };
            product += slope(i) * slope(j);
          }
          expected[{row->second, col->second}] += volume * product;
        }
      }
    }
    ASSERT_EQ(a.nonzeros(), static_cast<Offset>(expected.size()));
    for (Index row = 0; row < a.rows; ++row) {
      for (auto k = static_cast<std::size_t>(a.row_ptr[static_cast<std::size_t>(row)]);
           k < static_cast<std::size_t>(a.row_ptr[static_cast<std::size_t>(row) + 1]); ++k) {
        const auto found = expected.find({row, a.col[k]});
        ASSERT_NE(found, expected.end());
        ASSERT_NEAR(a.val[k], static_cast<double>(found->second), 1e-13);
      }
    }
  }
}

TYPED_TEST(MeshFamily, VanishesForLinearFunctionsAwayFromTheBoundary) {
  using Mesh = typename TestFixture::MeshOf;
  constexpr int d = TestFixture::dimensions;
  const Index n = d == 2 ? 30 : 10;
  const Csr<double> a = TestFixture::matrix(n);
  const Mesh mesh(Host(), n, 1);
  const auto vertices = TestFixture::vertices(mesh, a.rows);
  int seen = 0;
  for (std::size_t row = 0; row < vertices.size(); ++row) {
    const auto at = mesh.on_grid(vertices[row]);
    if (!std::all_of(at.begin(), at.end(), [&](std::int64_t x) { return x > 1 && x < n; })) continue;
    ++seen;
    long double sum = 0, slopes = 0;
    for (auto k = static_cast<std::size_t>(a.row_ptr[row]); k < static_cast<std::size_t>(a.row_ptr[row + 1]); ++k) {
      const auto& p = mesh.position(vertices[static_cast<std::size_t>(a.col[k])]);
      sum += a.val[k];
      for (std::size_t axis = 0; axis < d; ++axis) slopes += a.val[k] * (1.0 + static_cast<double>(axis)) * p[axis];
    }
    ASSERT_NEAR(static_cast<double>(sum), 0, 1e-13);
    ASSERT_NEAR(static_cast<double>(slopes), 0, 1e-11);
  }
  EXPECT_EQ(seen, d == 2 ? 28 * 28 : 8 * 8 * 8);
}

TYPED_TEST(MeshFamily, IsPositiveDefinite) {
  const Csr<double> a = TestFixture::matrix(TestFixture::dimensions == 2 ? 14 : 6);
  const auto n = static_cast<std::size_t>(a.rows);
  std::vector<long double> l(n * n);
  for (std::size_t i = 0; i < n; ++i)
    for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k)
      l[i * n + static_cast<std::size_t>(a.col[k])] = a.val[k];
  for (std::size_t j = 0; j < n; ++j) {  // Cholesky
    ASSERT_GT(l[j * n + j], 0.01L) << j;
    for (std::size_t i = j + 1; i < n; ++i) {
      const long double factor = l[i * n + j] / l[j * n + j];
      for (std::size_t k = j; k < n && factor != 0; ++k) l[i * n + k] -= factor * l[j * n + k];
    }
  }
}

TYPED_TEST(MeshFamily, HasNoRegularPattern) {
  constexpr int d = TestFixture::dimensions;
  const Csr<double> a = TestFixture::matrix(d == 2 ? 40 : 12);
  std::map<Offset, int> rows_of_length;
  for (std::size_t row = 0; row < static_cast<std::size_t>(a.rows); ++row)
    ++rows_of_length[a.row_ptr[row + 1] - a.row_ptr[row]];
  EXPECT_GE(rows_of_length.size(), std::size_t{d == 2 ? 5 : 15});
  EXPECT_LE(rows_of_length.rbegin()->first, d == 2 ? 9 : 27);
}

}  // namespace
