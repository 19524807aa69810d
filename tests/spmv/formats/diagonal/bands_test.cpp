// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/formats/diagonal/bands.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <ostinato/spmv/analysis/structure.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/formats/diagonal/diagonal_format.hpp>
#include <ostinato/spmv/formats/diagonal/row_classes.hpp>
#include <ostinato/spmv/matrix/generate.hpp>
#include <ostinato/spmv/matrix/space_csr.hpp>

#include "support/matrices.hpp"
#include "support/reference.hpp"
#include "support/spaces.hpp"

// The formats DIA, BRCSD-I and BRCSD-II: their plans, the ways to store values, and row classes.

namespace ostinato::test {
namespace {

using formats::Band;
using formats::BandPlan;
using formats::BandPlanner;
using formats::Bands;
using formats::RowClasses;
using formats::Storage;

/// The values of a test matrix, by the narrowest storage that holds them.
enum class Values { constant, few, bfloat, single, any };
constexpr Values every_values[] = {Values::constant, Values::few, Values::bfloat, Values::single, Values::any};

std::uint64_t mixed(std::uint64_t h) {
  h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9u;
  h = (h ^ (h >> 27)) * 0x94d049bb133111ebu;
  return h ^ (h >> 31);
}

template <class T>
T value_of(Values values, Index row, Index col, std::uint64_t seed) {
  const std::uint64_t h = mixed((static_cast<std::uint64_t>(row) << 32 | static_cast<std::uint32_t>(col)) + seed);
  const double unit = static_cast<double>(h >> 11) * 0x1p-52 - 1;
  switch (values) {
    case Values::constant:
      return static_cast<T>(col - row) / 3 + static_cast<T>(seed);
    case Values::few:
      return static_cast<T>(h % 101) / 4;
    case Values::bfloat:
      return static_cast<T>(formats::detail::float_of(formats::detail::upper_half(static_cast<float>(unit))));
    case Values::single:
      return static_cast<T>(static_cast<float>(unit));
    case Values::any:
      break;
  }
  return static_cast<T>(unit);
}

/// Five diagonals, the outer two at offsets -far and far. With `gaps`, the outer diagonals miss every seventh entry.
struct Pattern {
  Index rows, cols, far;
  bool symmetric, gaps;
};

template <class T>
Csr<T> made(const Pattern& p, Values values, std::uint64_t seed = 1) {
  std::vector<Triplet<T>> triplets;
  for (Index i = 0; i < p.rows; ++i) {
    for (const Index offset : {-p.far, p.symmetric ? Index{-1} : Index{-2}, Index{0}, Index{1}, p.far}) {
      const Index j = i + offset, low = std::min(i, j), high = std::max(i, j);
      if (j < 0 || j >= p.cols || (p.gaps && std::abs(offset) == p.far && low % 7 == 3)) continue;
      triplets.push_back({i, j, p.symmetric ? value_of<T>(values, low, high, seed) : value_of<T>(values, i, j, seed)});
    }
  }
  return from_triplets<T>(p.rows, p.cols, triplets);
}

template <class T>
DiagonalCensus census_of(const Csr<T>& a) {
  const Host host;
  const Structure s = analyse(host, a.view());
  DiagonalCensus census = take_census(host, a.view(), std::span<const Index>(s.offsets));
  census.symmetric = s.symmetric;
  return census;
}

struct PlannerCase {
  const char* name;
  BandPlanner plan;
};
constexpr PlannerCase planners[] = {
    {"dia", formats::plan_dia}, {"brcsd-i", formats::plan_brcsd_i}, {"brcsd-ii", formats::plan_brcsd_ii}};

/// The storage of each band as a letter: a small letter when the band is mirrored, a capital otherwise.
std::string letters(const BandPlan& plan) {
  std::string out;
  for (const Band& band : plan.bands) out += (band.mirrored ? "fsbcmk" : "FSBCMK")[static_cast<int>(band.storage)];
  return out;
}

struct PieceText {
  Index begin, end;
  std::vector<Index> offsets;
  bool operator==(const PieceText&) const = default;
};

std::vector<PieceText> pieces_of(const BandPlan& plan) {
  std::vector<PieceText> out;
  for (const formats::RowPiece& piece : plan.pieces) {
    out.push_back({piece.begin, piece.end, {}});
    for (Index b = piece.first_band; b < piece.first_band + piece.bands; ++b)
      out.back().offsets.push_back(plan.bands[static_cast<std::size_t>(b)].offset);
  }
  return out;
}

/// Rows begin .. end - 1 of the diagonal at `offset`. from_stretches() makes the values symmetric, otherwise different.
struct Stretch {
  Index offset, begin, end;
};

Csr<double> from_stretches(Index n, const std::vector<Stretch>& stretches) {
  std::vector<Triplet<double>> triplets;
  for (const Stretch& s : stretches) {
    for (Index i = s.begin; i < s.end; ++i) {
      const Index j = i + s.offset;
      triplets.push_back({i, j, value_of<double>(Values::any, std::min(i, j), std::max(i, j), 1)});
    }
  }
  return from_triplets<double>(n, n, triplets);
}

TEST(BandPlan, DiaIsOnePieceOfEveryDiagonal) {
  const DiagonalCensus census = census_of(from_stretches(600, {{-300, 300, 600}, {0, 0, 600}, {599, 0, 1}}));

  const BandPlan plan = formats::plan_dia(census, 8);

  EXPECT_EQ(pieces_of(plan), (std::vector<PieceText>{{0, 600, {-300, 0, 599}}}));
  EXPECT_EQ(plan.slots, 3 * 600);
  EXPECT_EQ(plan.remainder(), 0);
}

TEST(BandPlan, BrcsdICutsWhereDiagonalsEnterAndLeave) {
  const DiagonalCensus census = census_of(from_stretches(2304, {{-1024, 1024, 2304}, {0, 0, 2304}, {1024, 0, 1280}}));

  const BandPlan plan = formats::plan_brcsd_i(census, 8);

  EXPECT_EQ(pieces_of(plan),
            (std::vector<PieceText>{{0, 1024, {0, 1024}}, {1024, 1280, {-1024, 0, 1024}}, {1280, 2304, {-1024, 0}}}));
  EXPECT_EQ(plan.slots, 2 * 1024 + 3 * 256 + 2 * 1024);
}

TEST(BandPlan, BrcsdIMovesPointsToWholeBlocks) {
  const DiagonalCensus census = census_of(from_stretches(2000, {{-1000, 1000, 2000}, {0, 0, 2000}, {1010, 0, 990}}));

  const BandPlan plan = formats::plan_brcsd_i(census, 8);

  EXPECT_EQ(pieces_of(plan), (std::vector<PieceText>{{0, 1024, {-1000, 0, 1010}}, {1024, 2000, {-1000, 0}}}));
}

TEST(BandPlan, BrcsdIIMergesNeighboursWithTheSameDiagonals) {
  const DiagonalCensus census = census_of(from_stretches(1024, {{0, 0, 1024}, {5, 256, 768}}));

  const BandPlan plan = formats::plan_brcsd_ii(census, 8);

  EXPECT_EQ(pieces_of(plan), (std::vector<PieceText>{{0, 256, {0}}, {256, 768, {0, 5}}, {768, 1024, {0}}}));
  EXPECT_EQ(plan.remainder(), 0);
}

TEST(BandPlan, BrcsdIIMovesScatterPointsToTheRemainder) {
  const DiagonalCensus census = census_of(from_stretches(1024, {{0, 0, 1024}, {600, 300, 301}, {-7, 900, 902}}));

  const BandPlan plan = formats::plan_brcsd_ii(census, 8);

  EXPECT_EQ(pieces_of(plan), (std::vector<PieceText>{{0, 1024, {0}}}));
  EXPECT_EQ(plan.remainder_ptr, (std::vector<Index>{0, 0, 1, 1, 3}));
}

TEST(BandPlan, MirrorsTheLowerHalfOfASymmetricMatrix) {
  const Pattern p{1500, 1500, 40, true, true};

  EXPECT_EQ(letters(formats::plan_dia(census_of(made<double>(p, Values::any)), 8)), "ffFFF");
  EXPECT_EQ(letters(formats::plan_dia(census_of(made<double>({1500, 1500, 40, false, true}, Values::any)), 8)),
            "FFFFF");
  EXPECT_EQ(letters(formats::plan_dia(census_of(made<double>(p, Values::constant)), 8)), "MKKKM");
}

TEST(BandPlan, MirrorsOnlyWhatIsStoredAbove) {
  const auto lower_half = [](Index upper_begin, Index upper_end, Index far) {
    const Csr<double> a =
        from_stretches(1024, {{far, upper_begin, upper_end}, {0, 0, 1024}, {-far, upper_begin + far, upper_end + far}});
    return formats::plan_brcsd_ii(census_of(a), 8);
  };

  const BandPlan covered = lower_half(100, 240, 10);
  // The last four entries of the upper diagonal are alone in their piece, so they are in the remainder.
  const BandPlan uncovered = lower_half(200, 260, 200);

  EXPECT_EQ(letters(covered), "fFFF");
  EXPECT_EQ(letters(uncovered), "FFFFF");
  EXPECT_EQ(uncovered.remainder(), 4);
}

TEST(BandPlan, GivesEachDiagonalTheNarrowestStorage) {
  const Pattern p{3000, 3000, 900, false, true};
  const auto plan = [&](Values values, std::size_t value_bytes) {
    return letters(formats::plan_dia(census_of(made<double>(p, values)), value_bytes));
  };

  EXPECT_EQ(plan(Values::constant, 8), "MKKKM");
  EXPECT_EQ(plan(Values::few, 8), "CCCCC");
  EXPECT_EQ(plan(Values::bfloat, 8), "BBBBB");
  EXPECT_EQ(plan(Values::single, 8), "SSSSS");
  EXPECT_EQ(plan(Values::single, 4), "FFFFF");
  EXPECT_EQ(plan(Values::any, 8), "FFFFF");
}

TEST(BandPlan, WithoutCompressionStoresEveryValueAsItIs) {
  for (const Values values : every_values) {
    for (const bool symmetric : {false, true}) {
      const DiagonalCensus census = census_of(made<double>({3000, 3000, 900, symmetric, true}, values));
      for (const PlannerCase& planner : planners) {
        SCOPED_TRACE(std::string(planner.name) + " values " + std::to_string(static_cast<int>(values)));

        const BandPlan plan = planner.plan(census, 8, false);

        EXPECT_EQ(letters(plan), std::string(plan.bands.size(), 'F'));
        EXPECT_TRUE(plan.is_whole);
        EXPECT_TRUE(plan.codes.empty());
        const BandPlan saving = planner.plan(census, 8, true);
        EXPECT_EQ(pieces_of(plan), pieces_of(saving));
        EXPECT_EQ(plan.slots, saving.slots);
        EXPECT_EQ(plan.remainder_ptr, saving.remainder_ptr);
      }
    }
  }
}

TEST(DiagonalPlan, KeepsClassesOfRowsWhereTheyTakeFewerBytesUnlessCompressionIsOff) {
  const Structure few = analyse(Host(), generate<double>("poisson2d", {.n = 300}).view());
  const Structure many = analyse(Host(), made<double>({3000, 3000, 900, true, true}, Values::any).view());
  const Machine m = machine_of(Host());
  for (const PlannerCase& planner : planners) {
    SCOPED_TRACE(planner.name);
    const auto as_classes = [&](const Structure& s, bool compress) {
      return formats::plan_diagonals({s, m, compress}, 8, planner.plan).as_classes;
    };

    EXPECT_TRUE(as_classes(few, true));
    EXPECT_FALSE(as_classes(few, false));
    EXPECT_FALSE(as_classes(many, true));
  }
}

/// Calls f(band, i) for each band and each of its rows i in which the band's column is inside the matrix.
template <class F>
void for_slots(const BandPlan& plan, F f) {
  for (const formats::RowPiece& piece : plan.pieces) {
    for (Index b = piece.first_band; b < piece.first_band + piece.bands; ++b) {
      const Band& band = plan.bands[static_cast<std::size_t>(b)];
      for (Index i = std::max(piece.begin, -band.offset); i < std::min(piece.end, plan.cols - band.offset); ++i)
        f(band, i);
    }
  }
}

TEST(BandPlan, OnlyMirrorsShareAPlace) {
  const DiagonalCensus census = census_of(made<double>({3000, 3000, 900, true, true}, Values::any));
  for (const PlannerCase& planner : planners) {
    SCOPED_TRACE(planner.name);
    const BandPlan plan = planner.plan(census, 8, true);
    std::map<Offset, std::pair<Index, Index>> stored;
    int mirrored = 0;

    for_slots(plan, [&](const Band& band, Index i) {
      if (band.mirrored) return;
      ASSERT_TRUE(band.base + i >= 0 && (band.base + i + 1) * 8 <= static_cast<Offset>(plan.data_bytes));
      ASSERT_TRUE(stored.insert({band.base + i, {i, i + band.offset}}).second) << band.offset << " " << i;
    });

    for_slots(plan, [&](const Band& band, Index i) {
      if (!band.mirrored) return;
      ++mirrored;
      ASSERT_EQ(stored[band.base + i], std::pair(i + band.offset, i)) << band.offset << " " << i;
    });
    EXPECT_EQ(mirrored, 2999 + 2100);
  }
}

template <class Case>
class DiagonalFamily : public SpaceTest<Case> {
 protected:
  using Space = typename Case::Space;
  using V = typename Case::T;

  Bands<Space, V> bands(const Csr<V>& a, const DiagonalCensus& census, BandPlan plan) const {
    const SpaceCsr<Space, V> matrix(this->space(), a.view());
    return Bands<Space, V>(this->space(), matrix.view(), census, std::make_shared<const BandPlan>(std::move(plan)));
  }

  Bands<Space, V> bands(const Csr<V>& a, BandPlanner plan, bool compress = true) const {
    const DiagonalCensus census = census_of(a);
    return bands(a, census, plan(census, sizeof(V), compress));
  }

  std::optional<RowClasses<Space, V>> classes(const Csr<V>& a) const {
    const SpaceCsr<Space, V> matrix(this->space(), a.view());
    return RowClasses<Space, V>::make(this->space(), matrix.view(), census_of(a));
  }

  template <class Stored>
  bool update(Stored& stored, const Csr<V>& a) const {
    const SpaceCsr<Space, V> matrix(this->space(), a.view());
    return stored.update_values(matrix.view());
  }

  /// A x, written over a y full of NaN.
  template <class Stored>
  std::vector<V> product(const Stored& stored, Index rows, const std::vector<V>& x) const {
    const auto dx = this->put(x);
    auto y = this->put(nan(rows));
    stored.apply(plain_product<V>(dx.data(), y.data()));
    return y.download();
  }

  /// alpha A x + beta z, written over z (`in_place`) or to another vector.
  template <class Stored>
  std::vector<V> product(const Stored& stored, V alpha, const std::vector<V>& x, V beta, const std::vector<V>& z,
                         bool in_place) const {
    const auto dx = this->put(x);
    auto dz = this->put(z), y = this->put(nan(static_cast<Index>(z.size())));
    V* const to = in_place ? dz.data() : y.data();
    stored.apply({alpha, dx.data(), beta, dz.data(), to});
    return in_place ? dz.download() : y.download();
  }

  template <class Stored>
  void expect_every_alpha_and_beta(const Stored& stored, const Csr<V>& a) const {
    const auto x = random_vector<V>(a.cols, 3), z = random_vector<V>(a.rows, 4);
    for (const V alpha : {V{0}, V{1}, V{-1}, V(2.5)}) {
      for (const V beta : {V{0}, V{1}, V{-1}, V(2.5)}) {
        const auto wanted = reference_product(a.view(), alpha, x, beta, z);
        EXPECT_EQ(difference(product(stored, alpha, x, beta, z, true), wanted), "") << alpha << " " << beta;
        EXPECT_EQ(difference(product(stored, alpha, x, beta, z, false), wanted), "") << alpha << " " << beta;
      }
      EXPECT_TRUE(all_finite(product(stored, alpha, x, V{0}, nan(a.rows), true))) << alpha;
    }
  }

  /// Checks y = A x with w . y, then r = w - A x with r . r.
  template <class Stored>
  void expect_dots(const Stored& stored, const Csr<V>& a) const {
    const auto x = random_vector<V>(a.cols, 5), w = random_vector<V>(a.rows, 6);
    const auto dx = this->put(x), dw = this->put(w);
    auto y = this->put(nan(a.rows));
    auto slot = this->template put<double>({-1});

    stored.apply_dot(plain_product<V>(dx.data(), y.data()), dw.data(), slot.data());
    EXPECT_EQ(difference(y.download(), reference_product(a.view(), V{1}, x, V{0}, {})), "");
    expect_dot(slot.download()[0], w, y.download());

    stored.apply_dot({V{-1}, dx.data(), V{1}, dw.data(), y.data()}, y.data(), slot.data());
    EXPECT_EQ(difference(y.download(), reference_product(a.view(), V{-1}, x, V{1}, w)), "");
    expect_dot(slot.download()[0], y.download(), y.download());
  }

  static std::vector<V> nan(Index n) {
    return std::vector<V>(static_cast<std::size_t>(n), std::numeric_limits<V>::quiet_NaN());
  }

 private:
  static void expect_dot(double got, const std::vector<V>& w, const std::vector<V>& y) {
    ReferenceRow dot{0, 0, static_cast<Offset>(w.size())};
    for (std::size_t i = 0; i < w.size(); ++i) {
      dot.value += static_cast<long double>(w[i]) * y[i];
      dot.magnitude += std::abs(static_cast<long double>(w[i]) * y[i]);
    }
    EXPECT_EQ(difference(std::vector<double>{got}, {dot}), "");
  }
};

TYPED_TEST_SUITE(DiagonalFamily, EverySpace, SpaceNames);

/// Sizes just below and above those of words, pieces and thread blocks.
std::vector<Pattern> every_pattern() {
  std::vector<Pattern> out;
  for (const bool gaps : {false, true}) {
    for (const auto& [rows, cols] :
         {std::pair{1, 1}, {31, 31}, {33, 33}, {597, 597}, {3000, 3000}, {3000, 900}, {900, 3000}}) {
      const Index far = std::max(3, std::min(rows, cols) * 11 / 30);
      out.push_back({rows, cols, far, false, gaps});
      if (rows == cols) out.push_back({rows, cols, far, true, gaps});
    }
  }
  return out;
}

TYPED_TEST(DiagonalFamily, EveryStorageGivesTheBitsOfWholeValues) {
  using T = typename TypeParam::T;
  std::set<char> storages;
  int compared = 0;
  for (const Pattern& pattern : every_pattern()) {
    for (const Values values : every_values) {
      const Csr<T> a = made<T>(pattern, values);
      const DiagonalCensus census = census_of(a);
      const auto x = random_vector<T>(a.cols, 2);
      const auto wanted = reference_product(a.view(), T{1}, x, T{0}, {});
      for (const PlannerCase& planner : planners) {
        SCOPED_TRACE(std::string(planner.name) + " " + std::to_string(a.rows) + " x " + std::to_string(a.cols) +
                     " values " + std::to_string(static_cast<int>(values)) + (pattern.symmetric ? " symmetric" : "") +
                     (pattern.gaps ? " gaps" : ""));
        const BandPlan saving = planner.plan(census, sizeof(T), true), whole = planner.plan(census, sizeof(T), false);
        EXPECT_LE(saving.data_bytes, whole.data_bytes);
        for (const char letter : letters(saving)) storages.insert(letter);

        const auto y = this->product(this->bands(a, census, saving), a.rows, x);

        EXPECT_EQ(difference(y, wanted), "");
        if (saving.remainder() != whole.remainder()) continue;  // another remainder, hence another order of additions
        ++compared;
        EXPECT_TRUE(same_bits(y, this->product(this->bands(a, census, whole), a.rows, x)));
      }
    }
  }
  EXPECT_GT(compared, 300);
  EXPECT_EQ(storages, !is_single<T> ? (std::set<char>{'F', 'S', 'B', 'C', 'M', 'K', 'f', 's', 'b', 'c'})
                                    : (std::set<char>{'F', 'B', 'C', 'M', 'K', 'f', 'b', 'c'}));
}

TYPED_TEST(DiagonalFamily, StoragesMayDifferSideBySide) {
  using T = typename TypeParam::T;
  std::vector<Triplet<T>> triplets;
  constexpr Values of_offset[] = {Values::any,      Values::constant, Values::constant, Values::bfloat, Values::single,
                                  Values::constant, Values::any,      Values::any,      Values::single};
  for (Index i = 0; i < 5000; ++i) {
    for (Index offset = -9; offset < 18; ++offset) {
      const Values values = of_offset[(offset + 9) % 9];
      const bool hole = offset % 4 == 0 && i % 5 == 1;
      if (i + offset < 0 || i + offset >= 5000 || hole) continue;
      triplets.push_back({i, i + offset, value_of<T>(values, i, i + offset, 1)});
    }
  }
  const Csr<T> a = from_triplets<T>(5000, 5000, triplets);
  const auto x = random_vector<T>(a.cols, 2);
  for (const PlannerCase& planner : planners) {
    SCOPED_TRACE(planner.name);

    const auto y = this->product(this->bands(a, planner.plan), a.rows, x);

    EXPECT_TRUE(same_bits(y, this->product(this->bands(a, planner.plan, false), a.rows, x)));
    EXPECT_EQ(difference(y, reference_product(a.view(), T{1}, x, T{0}, {})), "");
  }
}

TYPED_TEST(DiagonalFamily, RemainderIsAdded) {
  using T = typename TypeParam::T;
  const Csr<T> a = generate<T>("banded", {.n = 5000, .bandwidth = 5, .broken = 0.3, .scatter = 0.01});
  const DiagonalCensus census = census_of(a);
  const BandPlan plan = formats::plan_brcsd_ii(census, sizeof(T), true);
  ASSERT_GT(plan.remainder(), 10);
  ASSERT_GT(plan.pieces.size(), 3u);
  const auto x = random_vector<T>(a.cols, 2);

  const auto stored = this->bands(a, census, plan);

  EXPECT_EQ(difference(this->product(stored, a.rows, x), reference_product(a.view(), T{1}, x, T{0}, {})), "");
  this->expect_every_alpha_and_beta(stored, a);
  this->expect_dots(stored, a);
}

TYPED_TEST(DiagonalFamily, BandsTakeEveryAlphaAndBeta) {
  using T = typename TypeParam::T;
  for (const Index n : {33, 3000}) {
    const Csr<T> a = made<T>({n, n, n / 3, true, true}, Values::any);
    for (const PlannerCase& planner : planners) {
      SCOPED_TRACE(planner.name);
      const auto stored = this->bands(a, planner.plan);
      this->expect_every_alpha_and_beta(stored, a);
      this->expect_dots(stored, a);
    }
  }
}

TYPED_TEST(DiagonalFamily, BandsWithoutDiagonalsAreZero) {
  using T = typename TypeParam::T;
  const Csr<T> empty = from_triplets<T>(600, 5, {});

  EXPECT_EQ(this->product(this->bands(empty, formats::plan_dia), 600, std::vector<T>(5, 1)), std::vector<T>(600));
  EXPECT_TRUE(this->product(this->bands(from_triplets<T>(0, 5, {}), formats::plan_dia), 0, std::vector<T>(5)).empty());
}

TYPED_TEST(DiagonalFamily, CodesTakeAFullTable) {
  using T = typename TypeParam::T;
  // The upper diagonal has holes, so the code table must also hold 0 for its padding.
  const auto with_values = [](int first, int count) {
    std::vector<Triplet<T>> triplets;
    for (Index i = 0; i < 3000; ++i) {
      triplets.push_back({i, i, static_cast<T>(first + i * 7 % count) / 3});
      if (i % 3 == 1 && i < 2999) triplets.push_back({i, i + 1, static_cast<T>(first + i % count) / 3});
    }
    return from_triplets<T>(3000, 3000, triplets);
  };
  const auto x = random_vector<T>(3000, 2);
  for (const auto& [first, count, fits] :
       {std::tuple{0, 256, true}, {-200, 256, true}, {1, 255, true}, {1, 256, false}}) {
    SCOPED_TRACE(first);
    const Csr<T> a = with_values(first, count);
    ASSERT_EQ(census_of(a).values.size(), static_cast<std::size_t>(count));

    const auto stored = this->bands(a, formats::plan_dia);

    EXPECT_EQ(letters(stored.plan()), fits ? "CC" : "FF");
    EXPECT_TRUE(
        same_bits(this->product(stored, 3000, x), this->product(this->bands(a, formats::plan_dia, false), 3000, x)));
  }
}

TYPED_TEST(DiagonalFamily, NewValuesThatFitAreAsGoodAsBuilding) {
  using T = typename TypeParam::T;
  const auto x = random_vector<T>(3000, 2);
  for (const bool symmetric : {false, true}) {
    for (const Values values : every_values) {
      const Pattern pattern{3000, 3000, 900, symmetric, true};
      const Csr<T> a = made<T>(pattern, values, 1), next = made<T>(pattern, values, 2);
      for (const PlannerCase& planner : planners) {
        SCOPED_TRACE(std::string(planner.name) + " " + std::to_string(static_cast<int>(values)));
        auto stored = this->bands(a, planner.plan);

        EXPECT_TRUE(this->update(stored, next));
        EXPECT_TRUE(same_bits(this->product(stored, 3000, x), this->product(this->bands(next, planner.plan), 3000, x)));
      }
    }
  }
}

TYPED_TEST(DiagonalFamily, NewValuesThatDoNotFitAreRefused) {
  using T = typename TypeParam::T;
  for (const bool symmetric : {false, true}) {
    for (const Values values : every_values) {
      SCOPED_TRACE(static_cast<int>(values));
      const Pattern pattern{3000, 3000, 900, symmetric, true};
      const Csr<T> a = made<T>(pattern, values);
      Csr<T> odd = a;
      odd.val[odd.val.size() / 2 + 1] = static_cast<T>(0.123456789012345);
      const bool whole = !symmetric && (values == Values::any || (values == Values::single && is_single<T>));
      for (const PlannerCase& planner : planners) {
        SCOPED_TRACE(planner.name);
        auto stored = this->bands(a, planner.plan);

        EXPECT_EQ(this->update(stored, odd), whole);
        EXPECT_TRUE(this->update(stored, a));
      }
    }
  }
}

TYPED_TEST(DiagonalFamily, BandsAreAllowedForUpdatesOfTheRemainder) {
  using T = typename TypeParam::T;
  const GenerateOptions options{.n = 3000, .bandwidth = 4, .scatter = 0.01};
  const Csr<T> a = generate<T>("banded", options);
  Csr<T> next = a;
  for (T& v : next.val) v = 2 * v + T(0.1);
  auto stored = this->bands(a, formats::plan_brcsd_ii);
  ASSERT_GT(stored.plan().remainder(), 0);
  const auto x = random_vector<T>(3000, 2);

  // Both the old and the new values are symmetric, so mirrored diagonals stay valid.
  EXPECT_TRUE(this->update(stored, next));

  EXPECT_EQ(difference(this->product(stored, 3000, x), reference_product(next.view(), T{1}, x, T{0}, {})), "");
}

/// Matrices with few row classes, in runs long enough for RowClasses.
template <class T>
std::vector<Csr<T>> repeating() {
  std::vector<Csr<T>> out;
  for (const Index n : {1, 7, 33, 50, 100}) out.push_back(generate<T>("poisson2d", {.n = n}));
  out.push_back(generate<T>("poisson3d", {.n = 50}));
  out.push_back(generate<T>("convection-diffusion2d", {.n = 64}));
  out.push_back(generate<T>("maxwell2d", {.n = 48}));
  for (const Pattern& pattern : {Pattern{31, 31, 5, true, false},
                                 {5000, 5000, 2049, false, false},
                                 {3000, 900, 40, false, false},
                                 {900, 3000, 40, false, false}})
    out.push_back(made<T>(pattern, Values::constant));
  std::vector<Triplet<T>> wide;
  for (Index i = 0; i < 5000; ++i) {
    for (Index j = std::max(0, i - 13); j < std::min(5000, i + 14); ++j)
      wide.push_back({i, j, value_of<T>(Values::constant, i, j, 1)});
  }
  out.push_back(from_triplets<T>(5000, 5000, wide));
  return out;
}

TYPED_TEST(DiagonalFamily, RowClassesGiveTheBitsOfWholeDiagonals) {
  using T = typename TypeParam::T;
  for (const Csr<T>& a : repeating<T>()) {
    SCOPED_TRACE(a.rows);
    const auto x = random_vector<T>(a.cols, 2);

    const auto stored = this->classes(a);

    ASSERT_TRUE(stored.has_value());
    const auto y = this->product(*stored, a.rows, x);
    EXPECT_TRUE(same_bits(y, this->product(this->bands(a, formats::plan_dia, false), a.rows, x)));
    EXPECT_EQ(difference(y, reference_product(a.view(), T{1}, x, T{0}, {})), "");
    EXPECT_LE(stored->bytes(), 4 * static_cast<std::size_t>(a.rows) + 100000);
  }
}

TYPED_TEST(DiagonalFamily, RowClassesTakeEveryAlphaAndBeta) {
  using T = typename TypeParam::T;
  for (const Csr<T>& a :
       {generate<T>("poisson2d", {.n = 7}), generate<T>("poisson2d", {.n = 80}), generate<T>("maxwell2d", {.n = 48})}) {
    const auto stored = this->classes(a);
    ASSERT_TRUE(stored.has_value());
    this->expect_every_alpha_and_beta(*stored, a);
    this->expect_dots(*stored, a);
  }
}

TYPED_TEST(DiagonalFamily, RowClassesWithoutDiagonalsAreZero) {
  using T = typename TypeParam::T;
  const auto stored = this->classes(from_triplets<T>(600, 5, {}));

  ASSERT_TRUE(stored.has_value());

  EXPECT_EQ(this->product(*stored, 600, std::vector<T>(5, 1)), std::vector<T>(600));
}

TYPED_TEST(DiagonalFamily, RowClassesWantOrder) {
  using T = typename TypeParam::T;
  std::vector<T> d(200000);
  for (std::size_t i = 0; i < d.size(); ++i) d[i] = static_cast<T>(1 + mixed(i) % 3);

  EXPECT_FALSE(this->classes(diagonal_matrix(d)).has_value());
}

TYPED_TEST(DiagonalFamily, RowClassesTakeNewValuesOfTheSameClasses) {
  using T = typename TypeParam::T;
  const Csr<T> a = generate<T>("poisson2d", {.n = 80});
  Csr<T> next = a, odd = a;
  for (T& v : next.val) v = v / 3 + T{1};
  odd.val[odd.val.size() / 2] = T{7};
  const auto x = random_vector<T>(a.cols, 2);
  auto stored = this->classes(a);
  ASSERT_TRUE(stored.has_value());

  EXPECT_TRUE(this->update(*stored, next));
  EXPECT_TRUE(same_bits(this->product(*stored, a.rows, x), this->product(*this->classes(next), a.rows, x)));
  EXPECT_FALSE(this->update(*stored, odd));
}

}  // namespace
}  // namespace ostinato::test
