// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <Eigen/Sparse>

#include <gtest/gtest.h>

#include <cstdint>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/matrix/csr_from.hpp>

// Compiled where CMake finds Eigen.

namespace ostinato::test {
namespace {

/// 40 x 30, with entries in some places, not compressed unless asked.
template <class Matrix>
Matrix example(bool compressed) {
  Matrix a(40, 30);
  a.reserve(Eigen::VectorXi::Constant(a.outerSize(), 7));
  for (int i = 0; i < 40; ++i) {
    for (int j = i % 5; j < 30; j += 1 + i % 7) a.insert(i, j) = static_cast<typename Matrix::Scalar>(100 * i + j + 1);
  }
  if (compressed) a.makeCompressed();
  return a;
}

template <class Matrix>
void expect_same(const Matrix& a) {
  const auto b = csr_from(a);
  ASSERT_EQ(b.nonzeros(), a.nonZeros());
  EXPECT_TRUE(is_canonical(b.view()));
  for (Index i = 0; i < b.rows; ++i) {
    for (Offset k = b.row_ptr[static_cast<std::size_t>(i)]; k < b.row_ptr[static_cast<std::size_t>(i) + 1]; ++k)
      EXPECT_EQ(b.val[static_cast<std::size_t>(k)], a.coeff(i, b.col[static_cast<std::size_t>(k)])) << i;
  }
}

TEST(CsrFromEigen, TakesBothOrdersCompressedOrNot) {
  for (const bool compressed : {false, true}) {
    expect_same(example<Eigen::SparseMatrix<double>>(compressed));
    expect_same(example<Eigen::SparseMatrix<double, Eigen::RowMajor>>(compressed));
    expect_same(example<Eigen::SparseMatrix<float, Eigen::RowMajor, std::int64_t>>(compressed));
  }
  EXPECT_FALSE(example<Eigen::SparseMatrix<double>>(false).isCompressed());
  EXPECT_EQ(csr_from(Eigen::SparseMatrix<double>(3, 0)).rows, 3);
}

TEST(CsrFromEigen, TakesAMap) {
  const auto a = example<Eigen::SparseMatrix<double>>(true);
  expect_same(Eigen::Map<const Eigen::SparseMatrix<double>>(a.rows(), a.cols(), a.nonZeros(), a.outerIndexPtr(),
                                                            a.innerIndexPtr(), a.valuePtr()));
}

TEST(CsrFromEigen, RefusesVectorsAndPartsOfAMatrix) {
  const auto a = example<Eigen::SparseMatrix<double>>(true);
  Eigen::SparseVector<double> vector(5);
  vector.insert(2) = 1;
  EXPECT_THROW(csr_from(vector), ArgumentError);
  EXPECT_THROW(csr_from(a.middleCols(1, 2)), ArgumentError);
}

TEST(SpanOfEigen, TakesVectorsAndRefusesGaps) {
  Eigen::VectorXd v(5);
  Eigen::MatrixXd m(3, 4);
  EXPECT_EQ(span_of(v).data(), v.data());
  EXPECT_EQ(span_of(m).size(), 12u);
  EXPECT_EQ(span_of(m.col(1)).size(), 3u);
  EXPECT_THROW(span_of(m.row(1)), ArgumentError);
  EXPECT_THROW(span_of(m.topRows(2)), ArgumentError);
}

}  // namespace
}  // namespace ostinato::test
