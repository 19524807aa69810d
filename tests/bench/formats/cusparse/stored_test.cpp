// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <ostinato/bench/formats/cusparse/cusparse_steps.hpp>
#include <ostinato/bench/formats/cusparse/stored.hpp>
#include <ostinato/spmv/analysis/profile.hpp>
#include <ostinato/spmv/formats/cusparse/on_gpu.hpp>
#include <ostinato/spmv/operator.hpp>
#include <ostinato/spmv/space/parallel.hpp>

#include "support/reference.hpp"
#include "support/samples.hpp"
#include "support/spaces.hpp"

namespace ostinato::test {
namespace {

using formats::CusparseArrays;
using formats::CusparseBsr;
using formats::CusparseSell;

/// The arrays that are handed to cuSPARSE, copied to host memory.
template <class T>
struct StoredArrays {
  std::vector<std::int32_t> start;
  std::vector<Index> col;
  std::vector<T> val;
};

template <class Space, class T>
StoredArrays<T> stored(const CusparseArrays<Space, T>& a) {
  return {a.start.download(), a.col.download(), a.val.download()};
}

/// Constants of an NVIDIA H200, so that the tests of cost() need no GPU.
constexpr Machine h200{4.3e12, 2.5e-6, 0.7e-6, 1.75e-12, 50 << 20, true, 0, 5.1e-12, 1.5};

/// A plan input for the constructors of the cuSPARSE formats, which require one but don't read it.
PlanInput unused() {
  static const Structure none;
  return {none, h200};
}

/// Tests the conversion from CSR. On Host, which lacks cuSPARSE, the conversion is called directly; on Cuda the formats
/// call it.
template <class Case>
class CusparseStorages : public SpaceTest<Case> {
 protected:
  using S = typename Case::Space;
  using V = typename Case::T;

  StoredArrays<V> slices(const Csr<V>& a) const {
    if constexpr (S::has_streams) {
      return stored(CusparseSell<S, V>(this->space(), matrix(a), unused()).product().arrays());
    } else {
      return stored(formats::to_slices(this->space(), a.view()));
    }
  }

  StoredArrays<V> blocks(const Csr<V>& a, int size) const {
    if constexpr (S::has_streams) {
      return stored(CusparseBsr<S, V>(this->space(), matrix(a), unused(), {size}).product().arrays());
    } else {
      return stored(formats::to_blocks(this->space(), a.view(), size));
    }
  }

  /// The arrays after conversion of `a` and an update to the values of `changed`, which has the same pattern.
  StoredArrays<V> updated_slices(const Csr<V>& a, const Csr<V>& changed) const {
    if constexpr (S::has_streams) {
      CusparseSell<S, V> f(this->space(), matrix(a), unused());
      f.update_values(matrix(changed));
      return stored(f.product().arrays());
    } else {
      auto arrays = formats::to_slices(this->space(), a.view());
      formats::fill_slices(this->space(), changed.view(), arrays, false);
      return stored(arrays);
    }
  }

  StoredArrays<V> updated_blocks(const Csr<V>& a, const Csr<V>& changed, int size) const {
    if constexpr (S::has_streams) {
      CusparseBsr<S, V> f(this->space(), matrix(a), unused(), {size});
      f.update_values(matrix(changed));
      return stored(f.product().arrays());
    } else {
      auto arrays = formats::to_blocks(this->space(), a.view(), size);
      formats::fill_blocks(this->space(), changed.view(), size, arrays);
      return stored(arrays);
    }
  }

 private:
  SpaceCsr<S, V> matrix(const Csr<V>& a) const { return SpaceCsr<S, V>(this->space(), a.view()); }
};

TYPED_TEST_SUITE(CusparseStorages, EverySpace, SpaceNames);

template <class T>
Csr<T> with_other_values(Csr<T> a) {
  for (T& v : a.val) v = 1 - 2 * v;
  return a;
}

TYPED_TEST(CusparseStorages, StoresSlicesColumnByColumn) {
  using T = typename TypeParam::T;
  const Csr<T> a = dense<T>({{1, 0, 0, 2, 0}, {0, 0, 0, 0, 0}, {0, 3, 4, 0, 5}, {6, 0, 0, 0, 0}, {0, 0, 0, 7, 8}});

  const StoredArrays<T> got = this->slices(a);

  std::vector<Index> col(96, -1);
  std::vector<T> val(96);
  const auto put = [&](std::size_t row, std::size_t k, Index column, double value) {
    col[32 * k + row] = column;
    val[32 * k + row] = static_cast<T>(value);
  };
  put(0, 0, 0, 1);
  put(0, 1, 3, 2);
  put(2, 0, 1, 3);
  put(2, 1, 2, 4);
  put(2, 2, 4, 5);
  put(3, 0, 0, 6);
  put(4, 0, 3, 7);
  put(4, 1, 4, 8);
  EXPECT_EQ(got.start, (std::vector<std::int32_t>{0, 96}));
  EXPECT_EQ(got.col, col);
  EXPECT_EQ(got.val, val);
}

TYPED_TEST(CusparseStorages, StoresEverySliceInItsOwnWidth) {
  using T = typename TypeParam::T;
  for (const Sample<T>& sample : every_sample<T, typename TypeParam::Space>()) {
    SCOPED_TRACE(sample.name);
    const Csr<T>& a = sample.matrix;

    const StoredArrays<T> got = this->slices(a);

    const std::size_t rows = static_cast<std::size_t>(a.rows), slices = (rows + 31) / 32;
    std::vector<std::int32_t> start(1, 0);
    std::vector<Index> col;
    std::vector<T> val;
    for (std::size_t s = 0; s < slices; ++s) {
      Offset width = 0;
      for (std::size_t i = 32 * s; i < std::min(32 * s + 32, rows); ++i)
        width = std::max(width, a.row_ptr[i + 1] - a.row_ptr[i]);
      for (Offset slot = 0; slot < 32 * width; ++slot) {
        const std::size_t i = 32 * s + static_cast<std::size_t>(slot % 32);
        const Offset k = i < rows ? a.row_ptr[i] + slot / 32 : 0;
        const bool used = i < rows && k < a.row_ptr[i + 1];
        col.push_back(used ? a.col[static_cast<std::size_t>(k)] : -1);
        val.push_back(used ? a.val[static_cast<std::size_t>(k)] : T{0});
      }
      start.push_back(static_cast<std::int32_t>(val.size()));
    }
    EXPECT_EQ(got.start, start);
    EXPECT_EQ(got.col, col);
    EXPECT_EQ(got.val, val);
  }
}

TYPED_TEST(CusparseStorages, StoresBlocksRowByRow) {
  using T = typename TypeParam::T;
  const Csr<T> a = dense<T>({{1, 2, 0, 0}, {0, 3, 0, 4}, {0, 0, 0, 0}, {0, 0, 5, 6}});

  const StoredArrays<T> got = this->blocks(a, 2);

  EXPECT_EQ(got.start, (std::vector<std::int32_t>{0, 2, 3}));
  EXPECT_EQ(got.col, (std::vector<Index>{0, 1, 1}));
  EXPECT_EQ(got.val, (std::vector<T>{1, 2, 0, 3, 0, 0, 0, 4, 0, 0, 5, 6}));
}

TYPED_TEST(CusparseStorages, StoresEachBlockOnceInAscendingOrder) {
  using T = typename TypeParam::T;
  for (const int size : {2, 3, 4, 5, 6, 8}) {
    SCOPED_TRACE(size);
    for (const Csr<T>& a : {scattered<T>(240, 480, 9, true, 1), with_dense_row<T>(480, 480, 77, 2),
                            stencil<T>(480, 240, 7, 3), from_triplets<T>(240, 240, {})}) {
      const StoredArrays<T> got = this->blocks(a, size);

      const auto width = static_cast<std::size_t>(size), area = width * width;
      std::vector<std::int32_t> start(1, 0);
      std::vector<Index> col;
      std::vector<T> val;
      for (Index block_row = 0; block_row < a.rows / size; ++block_row) {
        std::vector<std::vector<T>> blocks(static_cast<std::size_t>(a.cols / size));
        for (std::size_t r = 0; r < width; ++r) {
          const std::size_t i = static_cast<std::size_t>(block_row) * width + r;
          for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k) {
            auto& block = blocks[static_cast<std::size_t>(a.col[k] / size)];
            block.resize(area);
            block[r * width + static_cast<std::size_t>(a.col[k] % size)] = a.val[k];
          }
        }
        for (std::size_t c = 0; c < blocks.size(); ++c) {
          if (blocks[c].empty()) continue;
          col.push_back(static_cast<Index>(c));
          val.insert(val.end(), blocks[c].begin(), blocks[c].end());
        }
        start.push_back(static_cast<std::int32_t>(col.size()));
      }
      EXPECT_EQ(got.start, start);
      EXPECT_EQ(got.col, col);
      EXPECT_EQ(got.val, val);
    }
  }
}

TYPED_TEST(CusparseStorages, PutsNewValuesWhereTheOldOnesWere) {
  using T = typename TypeParam::T;
  const Csr<T> a = with_dense_row<T>(480, 480, 77, 4), changed = with_other_values(a);

  const StoredArrays<T> slices = this->updated_slices(a, changed), blocks = this->updated_blocks(a, changed, 4);

  EXPECT_EQ(slices.val, this->slices(changed).val);
  EXPECT_EQ(slices.col, this->slices(changed).col);
  EXPECT_EQ(blocks.val, this->blocks(changed, 4).val);
  EXPECT_EQ(blocks.col, this->blocks(changed, 4).col);
}

/// Tests every block size that divides the matrix, also sizes that cost() rejects.
TYPED_TEST(CusparseStorages, MultipliesWithBlocksOfEverySize) {
  using Space = typename TypeParam::Space;
  using T = typename TypeParam::T;
  if constexpr (!Space::has_streams) {
    GTEST_SKIP() << formats::cusparse_needs_gpu;
  } else {
    const Csr<T> a = with_dense_row<T>(480, 480, 77, 5);
    const auto x = random_vector<T>(480, 6), y = random_vector<T>(480, 7);
    for (const int size : {2, 3, 4, 5, 6, 8}) {
      const CusparseBsr<Space, T> f(this->space(), SpaceCsr<Space, T>(this->space(), a.view()), unused(), {size});
      const auto in = this->put(x);
      auto out = this->put(y);

      f.apply(T(2.5), in, T{-1}, out);

      EXPECT_EQ(difference(out.download(), reference_product(a.view(), T(2.5), x, T{-1}, y)), "") << size;
    }
  }
}

TEST(CusparseStorageCost, RefusesWhatPasses32Bits) {
  constexpr Offset limit = (Offset{1} << 31) - 1;
  Structure s;
  s.rows = s.cols = 1 << 27;
  s.nonzeros = limit;
  Profile profile;
  profile.sliced_slots = Offset{16} * s.rows;
  s.profile = std::make_shared<const Profile>(profile);

  EXPECT_EQ((CusparseSell<Cuda, double>::cost({s, h200}).reason_not), "cuSPARSE stores at most 2^31 - 1 values");
}

TEST(CusparseStorageCost, RefusesSlicesThatAreMostlyPadding) {
  Structure s;
  s.rows = s.cols = 1000000;
  s.nonzeros = 2000000;
  s.longest_row = 1000000;
  s.mean_row = 2;
  Profile profile;
  profile.sliced_slots = 8 * s.nonzeros + 7;
  s.profile = std::make_shared<const Profile>(profile);
  EXPECT_EQ((CusparseSell<Cuda, double>::cost({s, h200}).reason_not), "");
  profile.sliced_slots = 32 * Offset{s.longest_row};
  s.profile = std::make_shared<const Profile>(profile);
  EXPECT_EQ((CusparseSell<Cuda, double>::cost({s, h200}).reason_not),
            "the longest row has 1,000,000 entries and pads 31 others: 16 slots for an entry");
}

TEST(CusparseStorageCost, RefusesBlocksThatDoNotFit) {
  using F = CusparseBsr<Cuda, double>;
  const Structure diagonal = analyse(Host(), diagonal_matrix(std::vector<double>(12, 1)).view());
  const Structure odd = analyse(Host(), diagonal_matrix(std::vector<double>(7, 1)).view());

  EXPECT_EQ(F::cost({odd, h200}, {3}).reason_not, "rows and columns aren't multiples of 3");
  EXPECT_EQ(F::cost({diagonal, h200}, {2}).reason_not, "");
  EXPECT_EQ(F::cost({diagonal, h200}, {3}).reason_not, "blocks of 3 x 3 would be 33 % full");
  const auto variants = F::variants({diagonal, h200});
  ASSERT_EQ(variants.size(), 1u);
  EXPECT_EQ(variants[0].block, 2);
  EXPECT_TRUE(F::variants({odd, h200}).empty());
}

TEST(CusparseStorageCost, TakesTheLargestBlocksThatAreFull) {
  using F = CusparseBsr<Cuda, float>;
  std::vector<Triplet<float>> triplets;
  for (Index i = 0; i < 12; ++i) {
    for (Index j = 0; j < 12; ++j) triplets.push_back({i, j, 1});
  }
  const Structure s = analyse(Host(), from_triplets<float>(12, 12, triplets).view());

  const PlanInput in{s, h200};
  const F::Parameters chosen = F::choose(in);

  EXPECT_EQ(chosen.block, 6);
  EXPECT_EQ(F::cost(in, chosen).bytes, 4u * (144 + 4 + 3));
  EXPECT_EQ(F::cost(in, chosen).padding, 0);
}

TEST(CusparseStorageParameters, ReadWhatTheyWrite) {
  using Parameters = CusparseBsr<Cuda, double>::Parameters;

  EXPECT_EQ(Parameters::parse("block=8").block, 8);
  EXPECT_EQ(Parameters::parse("").block, 3);
  EXPECT_EQ(Parameters{5}.text(), "block=5");
  const auto refused = message_of<ArgumentError>([] { Parameters::parse("block=7"); });
  EXPECT_NE(refused.find("cusparse-bsr"), std::string::npos) << refused;
}

}  // namespace
}  // namespace ostinato::test
