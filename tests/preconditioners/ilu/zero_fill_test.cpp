// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/ilu/zero_fill.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include <ostinato/preconditioners/ilu/ic.hpp>
#include <ostinato/preconditioners/ilu/iluk.hpp>
#include <ostinato/preconditioners/ilu/incomplete_lu.hpp>
#include <ostinato/preconditioners/ilu/zero_fill_in_turn.hpp>
#include <ostinato/spmv/matrix/generate.hpp>
#include <ostinato/spmv/space/parallel.hpp>

#include "support/at_once.hpp"
#include "support/lanes.hpp"
#include "support/matrices.hpp"
#include "support/reference.hpp"
#include "support/spaces.hpp"

// Factors without fill, made in the memory of a space, have the bits of those that the host makes.

namespace ostinato::test {
namespace {

constexpr PreparationOptions in_place = {.match = false, .order = Ordering::natural};

/// An unsymmetric pattern. Without `full_diagonal` some rows have no diagonal entry.
template <class T>
Csr<T> unsymmetric(Index n, std::uint64_t seed, bool full_diagonal) {
  Random random(seed);
  std::vector<Triplet<T>> t;
  for (Index i = 0; i < n; ++i) {
    if (full_diagonal || below(random, 3) > 0) t.push_back({i, i, static_cast<T>(3 + signed_unit(random))});
    for (int k = 0; k < 5; ++k) {
      const Index j = below(random, n);
      if (j != i) t.push_back({i, j, static_cast<T>(signed_unit(random))});
    }
  }
  return from_triplets<T>(n, n, t);
}

template <class T>
Csr<T> tridiagonal(Index n) {
  std::vector<Triplet<T>> t;
  for (Index i = 0; i < n; ++i) {
    t.push_back({i, i, static_cast<T>(2.5 + 0.25 * (i % 3))});
    if (i > 0) t.push_back({i, i - 1, T{-1}});
    if (i + 1 < n) t.push_back({i, i + 1, T{-1}});
  }
  return from_triplets<T>(n, n, t);
}

/// A + A^T with a dominant diagonal, and a row and a column in which every element is set.
template <class T>
Csr<T> definite(Index n, std::uint64_t seed, bool with_full_row) {
  Random random(seed);
  std::vector<Triplet<T>> t;
  for (Index i = 0; i < n; ++i) {
    t.push_back({i, i, static_cast<T>(n + 8)});
    for (int k = 0; k < 3; ++k) {
      const Index j = with_full_row && k == 0 ? n / 2 : below(random, n);
      if (j == i) continue;
      const T v = static_cast<T>(signed_unit(random));
      t.push_back({i, j, v});
      t.push_back({j, i, v});
    }
  }
  return from_triplets<T>(n, n, t);
}

/// The entries of A below the diagonal above it, too.
template <class T>
Csr<T> symmetric_part(const Csr<T>& a) {
  std::vector<Triplet<T>> t;
  for (Index i = 0; i < a.rows; ++i) {
    for (auto k = static_cast<std::size_t>(a.row_ptr[static_cast<std::size_t>(i)]);
         k < static_cast<std::size_t>(a.row_ptr[static_cast<std::size_t>(i) + 1]); ++k) {
      if (a.col[k] <= i) t.push_back({i, a.col[k], a.val[k]});
      if (a.col[k] < i) t.push_back({a.col[k], i, a.val[k]});
    }
  }
  return from_triplets<T>(a.rows, a.cols, t);
}

template <class T>
Csr<double> in_double(const Csr<T>& a) {
  Csr<double> d{a.rows, a.cols, a.row_ptr, a.col, {}};
  d.val.assign(a.val.begin(), a.val.end());
  return d;
}

template <class T>
struct SweepEntry {
  Index row, col;
  T value;

  bool operator==(const SweepEntry& o) const {
    return row == o.row && col == o.col && std::memcmp(&value, &o.value, sizeof(T)) == 0;
  }
};

/// The entries of a sweep other than 0, and the scale and source of each row as entries of the columns -1 and -2; by
/// rows.
template <class Space, class T>
std::vector<SweepEntry<T>> entries_of(const Sweep<Space, T>& sweep) {
  const SweepArrays<Space, T>& s = sweep.arrays();
  const auto row_ptr = s.row_ptr.download();
  const auto col = s.col.download(), source = s.source.download(), target = s.target.download();
  const auto val = s.val.download(), scale = s.scale.download();
  std::vector<std::size_t> place(target.size());
  for (std::size_t p = 0; p < target.size(); ++p) place[static_cast<std::size_t>(target[p])] = p;
  std::vector<SweepEntry<T>> all;
  for (const std::size_t p : place) {
    all.push_back({target[p], -1, scale[p]});
    all.push_back({target[p], -2, static_cast<T>(source[p])});
    for (auto k = static_cast<std::size_t>(row_ptr[p]); k < static_cast<std::size_t>(row_ptr[p + 1]); ++k) {
      if (val[k] != 0) all.push_back({target[p], col[k], val[k]});
    }
  }
  return all;
}

template <class Case>
class ZeroFillOn : public SpaceTest<Case> {
 protected:
  using Home = typename Case::Space;
  using Value = typename Case::T;

  struct Made {
    Factored<Home, Value> factored;
    typename ZeroFill<Home, Value>::Outcome outcome;
    Offset nonzeros;
  };

  Made make(const Csr<Value>& a, ZeroFillKind kind, const PreparationOptions& options = in_place) const {
    const SpaceCsr<Home, Value> on(this->space(), a.view());
    const ZeroFill<Home, Value> zero_fill(this->space(), on, kind, options);
    auto [factored, outcome] = zero_fill.make(on);
    return {std::move(factored), outcome, zero_fill.nonzeros()};
  }

  /// The same, one phase after the other.
  Made make_by_phases(const Csr<Value>& a, ZeroFillKind kind, const PreparationOptions& options = in_place) const {
    const SpaceCsr<Home, Value> on(this->space(), a.view());
    const ZeroFill<Home, Value> zero_fill(this->space(), on, kind, options);
    Factored<Home, Value> factored = zero_fill.sweeps(on);
    const auto outcome = zero_fill.factor(on, factored);
    return {std::move(factored), outcome, zero_fill.nonzeros()};
  }

  Made make_on_host(const Csr<Value>& a, ZeroFillKind kind, const PreparationOptions& options = in_place) const {
    const Csr<double> whole = in_double(a);
    const Preparation how = prepare(whole.view(), options);
    const Csr<double> ready = prepared(whole.view(), how);
    const Factors f = kind == ZeroFillKind::ilu ? factor_iluk(ready.view(), {}) : factor_ic(ready.view(), {});
    return {Factored<Home, Value>(this->space(), f, how), {f.boosted, f.shift}, f.nonzeros()};
  }

  void expect_bits_of_host(const std::string& what, const Csr<Value>& a, ZeroFillKind kind,
                           const PreparationOptions& options = in_place) const {
    Made theirs = make_on_host(a, kind, options);
    expect_same_bits(what, make(a, kind, options), theirs);
    if (Home::has_streams) expect_same_bits(what + ", by phases", make_by_phases(a, kind, options), theirs);
  }

  void expect_same_bits(const std::string& what, const Made& ours, const Made& theirs) const {
    EXPECT_EQ(ours.outcome.boosted, theirs.outcome.boosted) << what;
    EXPECT_EQ(ours.outcome.shift, theirs.outcome.shift) << what;
    EXPECT_TRUE(entries_of(ours.factored.lower()) == entries_of(theirs.factored.lower())) << what;
    EXPECT_TRUE(entries_of(ours.factored.upper()) == entries_of(theirs.factored.upper())) << what;
    if (ours.nonzeros != theirs.nonzeros) return;  // IC: the host leaves out entries of L that are 0
    EXPECT_TRUE(same_bits(apply(ours.factored), apply(theirs.factored))) << what;
  }

  std::vector<Value> apply(const Factored<Home, Value>& m) const {
    const std::size_t n = const_cast<Factored<Home, Value>&>(m).lower().arrays().target.size();
    return apply(m, n);
  }

  template <class M>
  std::vector<Value> apply(const M& m, std::size_t n) const {
    const auto r = this->put(random_vector<Value>(static_cast<Index>(n), 5));
    auto z = this->put(std::vector<Value>(n, std::numeric_limits<Value>::quiet_NaN()));
    m.apply(r, z);
    return z.download();
  }
};

TYPED_TEST_SUITE(ZeroFillOn, EverySpace, SpaceNames);

TYPED_TEST(ZeroFillOn, LuHasTheBitsOfTheHost) {
  using T = typename TypeParam::T;
  for (const Index n : {0, 1, 2, 31, 33, 597}) {
    const std::string size = " " + std::to_string(n);
    for (const bool full : {true, false})
      this->expect_bits_of_host("unsymmetric" + size, unsymmetric<T>(n, 3, full), ZeroFillKind::ilu);
    if (n == 0) continue;
    auto row = with_dense_row<T>(n, n, n / 2, 4);
    this->expect_bits_of_host("dense row" + size, row, ZeroFillKind::ilu);
    this->expect_bits_of_host("dense column" + size, transpose(row.view()), ZeroFillKind::ilu);
    this->expect_bits_of_host("empty rows" + size, scattered<T>(n, n, 3, true, 6), ZeroFillKind::ilu);
  }
}

TYPED_TEST(ZeroFillOn, CholeskyHasTheBitsOfTheHost) {
  using T = typename TypeParam::T;
  for (const Index n : {0, 1, 2, 31, 33, 597}) {
    for (const bool full_row : {false, true})
      this->expect_bits_of_host("definite " + std::to_string(n), definite<T>(n, 3, full_row), ZeroFillKind::ic);
  }
}

TYPED_TEST(ZeroFillOn, GridsHaveTheBitsOfTheHost) {
  using T = typename TypeParam::T;
  for (const ZeroFillKind kind : {ZeroFillKind::ilu, ZeroFillKind::ic}) {
    this->expect_bits_of_host("poisson3d", generate<T>("poisson3d", {.n = 24}), kind);
    this->expect_bits_of_host("fem27", generate<T>("fem27", {.n = 6, .unknowns = 3}), kind);
    this->expect_bits_of_host("variable2d", generate<T>("variable2d", {.n = 40}), kind);
  }
  this->expect_bits_of_host("convection", generate<T>("convection-diffusion3d", {.n = 12}), ZeroFillKind::ilu);
}

/// Rows of every length up to n - 1 below the diagonal, and of n entries.
template <class T>
Csr<T> filled(Index n) {
  Random random(static_cast<std::uint64_t>(n));
  std::vector<Triplet<T>> t;
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) t.push_back({i, j, static_cast<T>(i == j ? n : signed_unit(random))});
  }
  return from_triplets<T>(n, n, t);
}

TYPED_TEST(ZeroFillOn, RowsAsLongAsAGroupsMemoryHaveTheBitsOfTheHost) {
  using T = typename TypeParam::T;
  for (const Index n : {15, 16, 17, 31, 32, 33, 64, 65, 128, 129, 255, 256, 257, 512, 513})
    this->expect_bits_of_host("filled " + std::to_string(n), filled<T>(n), ZeroFillKind::ilu);
  for (const Index n : {16, 17, 32, 33, 129, 257, 258}) {
    const Csr<T> a = filled<T>(n);
    this->expect_bits_of_host("filled " + std::to_string(n), symmetric_part(a), ZeroFillKind::ic);
  }
}

TYPED_TEST(ZeroFillOn, GridsOfAnyLineHaveTheBitsOfTheHost) {
  using T = typename TypeParam::T;
  for (const Index n : {7, 16, 30, 32, 33, 100})
    this->expect_bits_of_host("poisson2d " + std::to_string(n), generate<T>("poisson2d", {.n = n}), ZeroFillKind::ilu);
}

TYPED_TEST(ZeroFillOn, LongChainsAndLargeGridsHaveTheBitsOfTheHost) {
  using T = typename TypeParam::T;
  for (const ZeroFillKind kind : {ZeroFillKind::ilu, ZeroFillKind::ic}) {
    this->expect_bits_of_host("tridiagonal", tridiagonal<T>(100000), kind);
    this->expect_bits_of_host("poisson3d", generate<T>("poisson3d", {.n = 64}), kind);
  }
}

/// Entries in the `below` diagonals below the main one, and in the `above` above.
template <class T>
Csr<T> banded(Index n, Index below, Index above) {
  Random random(static_cast<std::uint64_t>(n));
  std::vector<Triplet<T>> t;
  for (Index i = 0; i < n; ++i) {
    for (Index j = std::max(i - below, 0); j <= std::min(i + above, n - 1); ++j)
      t.push_back({i, j, static_cast<T>(i == j ? 16 : signed_unit(random))});
  }
  return from_triplets<T>(n, n, t);
}

/// A block diagonal matrix of so many copies that it has `rows` rows or more.
template <class T>
Csr<T> copies_of(const Csr<T>& a, Index rows) {
  std::vector<Triplet<T>> t;
  for (Index first = 0; first < rows; first += a.rows) {
    for (Index i = 0; i < a.rows; ++i) {
      for (auto k = static_cast<std::size_t>(a.row_ptr[static_cast<std::size_t>(i)]);
           k < static_cast<std::size_t>(a.row_ptr[static_cast<std::size_t>(i) + 1]); ++k)
        t.push_back({first + i, first + a.col[k], a.val[k]});
    }
  }
  const Index all = (rows + a.rows - 1) / a.rows * a.rows;
  return from_triplets<T>(all, all, t);
}

// A GPU factors up to 384 rows for each of its multiprocessors (50,688 on an H100 or H200) in the order of the matrix,
// more rows by levels.
TYPED_TEST(ZeroFillOn, ManyRowsHaveTheBitsOfTheHost) {
  using T = typename TypeParam::T;
  if (!TypeParam::Space::has_streams) GTEST_SKIP() << "Host takes rows in one order";
  constexpr Index many = 60000;
  const auto expect_bits = [&](const std::string& what, const Csr<T>& a, ZeroFillKind kind) {
    this->expect_bits_of_host("copies of " + what, copies_of(a, many), kind);
  };
  for (const Index n : {1, 31, 33, 597}) {
    const std::string size = " " + std::to_string(n);
    expect_bits("unsymmetric" + size, unsymmetric<T>(n, 3, true), ZeroFillKind::ilu);
    expect_bits("dense row" + size, with_dense_row<T>(n, n, n / 2, 4), ZeroFillKind::ilu);
    expect_bits("empty rows" + size, scattered<T>(n, n, 3, true, 6), ZeroFillKind::ilu);
    expect_bits("definite" + size, definite<T>(n, 3, true), ZeroFillKind::ic);
  }
  for (const Index n : {15, 16, 17, 32, 33, 64, 65, 129, 255, 256, 257}) {
    const Csr<T> a = filled<T>(n);
    expect_bits("filled " + std::to_string(n), a, ZeroFillKind::ilu);
    expect_bits("filled " + std::to_string(n), symmetric_part(a), ZeroFillKind::ic);
  }
  const auto dense_row = with_dense_row<T>(597, 597, 298, 4);
  expect_bits("dense column", transpose(dense_row.view()), ZeroFillKind::ilu);
  const Csr<T> lacking = copies_of(unsymmetric<T>(597, 3, false), many);
  for (const bool match : {false, true})
    this->expect_bits_of_host("matched or not", lacking, ZeroFillKind::ilu, {.match = match, .order = Ordering::rcm});
  Csr<T> shifted = definite<T>(33, 3, true);
  for (T& v : shifted.val) v = std::abs(v);  // no longer definite
  expect_bits("raised pivots", dense<T>({{1, 2, 0}, {2, 4, 0}, {0, 0, 0}}), ZeroFillKind::ilu);
  expect_bits("shifted", shifted, ZeroFillKind::ic);
  expect_bits("fem27", generate<T>("fem27", {.n = 12, .unknowns = 3}), ZeroFillKind::ilu);
  expect_bits("poisson2d", generate<T>("poisson2d", {.n = 33}), ZeroFillKind::ic);
  // Long rows of short levels.
  const Csr<T> fem27 = generate<T>("fem27", {.n = 38});
  for (const ZeroFillKind kind : {ZeroFillKind::ilu, ZeroFillKind::ic}) this->expect_bits_of_host("fem27", fem27, kind);
  for (const Index below : {3, 6, 12, 24, 40}) {
    const Csr<T> band = banded<T>(many, below, 10);
    this->expect_bits_of_host("band " + std::to_string(below), band, ZeroFillKind::ilu);
    this->expect_bits_of_host("band " + std::to_string(below), symmetric_part(band), ZeroFillKind::ic);
  }
  for (const Index below : {3, 6, 12})
    expect_bits("band " + std::to_string(below), banded<T>(many / 20, below, 10), ZeroFillKind::ilu);
}

// A GPU makes the first factors in turn here, but those of new values, and of a shifted matrix, by levels (21,121 to
// 50,688 rows on an H100 or H200).
TYPED_TEST(ZeroFillOn, RowsInTurnAndByLevelsHaveTheBitsOfTheHost) {
  using T = typename TypeParam::T;
  if (!TypeParam::Space::has_streams) GTEST_SKIP() << "Host takes rows in one order";
  constexpr Index rows = 30000;
  Csr<T> shifted = definite<T>(33, 3, true);
  for (T& v : shifted.val) v = std::abs(v);  // no longer definite
  this->expect_bits_of_host("unsymmetric", copies_of(unsymmetric<T>(597, 3, true), rows), ZeroFillKind::ilu);
  this->expect_bits_of_host("definite", copies_of(definite<T>(597, 3, true), rows), ZeroFillKind::ic);
  this->expect_bits_of_host("shifted", copies_of(shifted, rows), ZeroFillKind::ic);
  this->expect_bits_of_host("raised pivots", copies_of(dense<T>({{1, 2, 0}, {2, 4, 0}, {0, 0, 0}}), rows),
                            ZeroFillKind::ilu);
  for (const ZeroFillKind kind : {ZeroFillKind::ilu, ZeroFillKind::ic})
    this->expect_bits_of_host("fem27", generate<T>("fem27", {.n = 30}), kind);
}

TYPED_TEST(ZeroFillOn, PreparedMatricesHaveTheBitsOfTheHost) {
  using T = typename TypeParam::T;
  for (const Index n : {0, 1, 33, 597}) {
    for (const Ordering order : {Ordering::natural, Ordering::rcm}) {
      for (const bool match : {false, true}) {
        const PreparationOptions options = {.match = match, .order = order};
        const std::string what = std::to_string(n) + (match ? " matched" : "");
        this->expect_bits_of_host(what, unsymmetric<T>(n, 8, false), ZeroFillKind::ilu, options);
        if (!match) this->expect_bits_of_host(what, definite<T>(n, 8, n < 100), ZeroFillKind::ic, options);
      }
    }
  }
}

TYPED_TEST(ZeroFillOn, PivotsOfZeroAreRaisedAndCountedAsOnTheHost) {
  using T = typename TypeParam::T;
  const auto singular = dense<T>({{1, 2, 0}, {2, 4, 0}, {0, 0, 0}});
  this->expect_bits_of_host("singular", singular, ZeroFillKind::ilu);
  EXPECT_EQ(this->make(singular, ZeroFillKind::ilu).outcome.boosted, 2);
  this->expect_bits_of_host("tiny pivot", dense<T>({{1e-20, 1}, {1, 1}}), ZeroFillKind::ilu);
}

TYPED_TEST(ZeroFillOn, EndsOnAStopAndWorksAfterwards) {
  using T = typename TypeParam::T;
  const Csr<T> a = definite<T>(597, 3, true);
  const SpaceCsr<typename TypeParam::Space, T> on(this->space(), a.view());
  for (const ZeroFillKind kind : {ZeroFillKind::ilu, ZeroFillKind::ic}) {
    const ZeroFill<typename TypeParam::Space, T> zero_fill(this->space(), on, kind, in_place);
    EXPECT_THROW(zero_fill.make(on, AtOnce()), Stopped);
    auto [factored, outcome] = zero_fill.make(on);
    this->expect_same_bits("after a stop", {std::move(factored), outcome, zero_fill.nonzeros()},
                           this->make_on_host(a, kind));
  }
}

/// Symmetric with a positive diagonal, but with negative eigenvalues.
template <class T>
Csr<T> indefinite(double off) {
  return dense<T>({{1, off, off}, {off, 1, off}, {off, off, 1}});
}

TYPED_TEST(ZeroFillOn, CholeskyShiftsAndRefusesAsTheHost) {
  using T = typename TypeParam::T;
  this->expect_bits_of_host("shifted", indefinite<T>(-0.7), ZeroFillKind::ic);
  EXPECT_GT(this->make(indefinite<T>(-0.7), ZeroFillKind::ic).outcome.shift, 0);
  const auto refusal = [](auto make) { return message_of<ArgumentError>(make); };
  EXPECT_EQ(refusal([&] { this->make(indefinite<T>(100), ZeroFillKind::ic); }),
            refusal([&] { this->make_on_host(indefinite<T>(100), ZeroFillKind::ic); }));
}

TYPED_TEST(ZeroFillOn, FactorsOutOfRangeAreRefusedAndTheSweepsStay) {
  using T = typename TypeParam::T;
  using Space = typename TypeParam::Space;
  const T tiny = std::numeric_limits<T>::denorm_min();
  const auto a = diagonal_matrix<T>({2, 3}), b = diagonal_matrix<T>({2, tiny});
  const SpaceCsr<Space, T> good(this->space(), a.view()), bad(this->space(), b.view());
  const ZeroFill<Space, T> zero_fill(this->space(), good, ZeroFillKind::ilu, in_place);
  auto factored = zero_fill.sweeps(good);
  zero_fill.factor(good, factored);
  const auto before = this->apply(factored);

  const std::string text = message_of<ArgumentError>([&] { zero_fill.factor(bad, factored); });

  EXPECT_NE(text.find("leave the range"), std::string::npos) << text;
  EXPECT_TRUE(same_bits(this->apply(factored), before));
}

TYPED_TEST(ZeroFillOn, GivesTheSameBitsOnEveryRun) {
  using T = typename TypeParam::T;
  const auto lu = unsymmetric<T>(3000, 9, true), ic = generate<T>("poisson3d", {.n = 16});
  const auto first_lu = this->apply(this->make(lu, ZeroFillKind::ilu).factored);
  const auto first_ic = this->apply(this->make(ic, ZeroFillKind::ic).factored);
  for (int run = 0; run < 20; ++run) {
    EXPECT_TRUE(same_bits(this->apply(this->make(lu, ZeroFillKind::ilu).factored), first_lu));
    EXPECT_TRUE(same_bits(this->apply(this->make(ic, ZeroFillKind::ic).factored), first_ic));
  }
}

TYPED_TEST(ZeroFillOn, FactorsInFloatUnderDoubleHaveTheBitsOfTheHost) {
  using Space = typename TypeParam::Space;
  const auto a = unsymmetric<double>(597, 3, false);
  const SpaceCsr<Space, double> on(this->space(), a.view());
  for (const bool match : {false, true}) {
    const PreparationOptions options = {.match = match, .order = Ordering::rcm};
    const ZeroFill<Space, double> zero_fill(this->space(), on, ZeroFillKind::ilu, options);
    auto ours = zero_fill.template sweeps<float>(on);
    zero_fill.factor(on, ours);
    const Preparation how = prepare(a.view(), options);
    Factored<Space, double, float> theirs(this->space(), factor_iluk(prepared(a.view(), how).view(), {}), how);
    EXPECT_TRUE(entries_of(ours.lower()) == entries_of(theirs.lower()));
    EXPECT_TRUE(entries_of(ours.upper()) == entries_of(theirs.upper()));
  }
}

TYPED_TEST(ZeroFillOn, StopsWhenAsked) {
  using T = typename TypeParam::T;
  using Space = typename TypeParam::Space;
  struct Asked {
    bool stop_requested() const { return true; }
  };
  const auto a = tridiagonal<T>(10);
  const SpaceCsr<Space, T> on(this->space(), a.view());
  const ZeroFill<Space, T> zero_fill(this->space(), on, ZeroFillKind::ilu, in_place);
  auto factored = zero_fill.sweeps(on);
  EXPECT_THROW(zero_fill.factor(on, factored, StopRequest(Asked{})), Stopped);
}

template <class Preconditioner, class Space, class T>
void expect_update_as_anew(const Space& space, const Csr<T>& a, const Csr<T>& b, const char* options,
                           const std::vector<T>& r) {
  Preconditioner m(space, a, Preconditioner::parse_options(options));
  m.update_values(Analysis<Space, T>(space, b));
  const Preconditioner anew(space, b, Preconditioner::parse_options(options));
  const Vector<Space, T> in(space, std::span<const T>(r));
  Vector<Space, T> z(space, r.size()), expected(space, r.size());
  m.apply(in, z);
  anew.apply(in, expected);
  EXPECT_TRUE(same_bits(z.download(), expected.download())) << options;
  EXPECT_EQ(m.remarks(), anew.remarks());
  EXPECT_EQ(m.nonzeros(), anew.nonzeros());
}

TYPED_TEST(ZeroFillOn, NewValuesGiveTheFactorsOfANewObject) {
  using T = typename TypeParam::T;
  using Space = typename TypeParam::Space;
  const auto a = definite<T>(597, 3, false);
  auto other_values = a;
  for (std::size_t k = 0; k < a.val.size(); ++k) other_values.val[k] *= T{1.5};
  const auto other_pattern = definite<T>(597, 4, false);
  const auto r = random_vector<T>(a.rows, 7);
  for (const auto& b : {other_values, other_pattern}) {
    for (const char* options :
         {"order=natural", "order=natural,precision=float", "order=rcm", "match=yes", "order=natural,match=yes"})
      expect_update_as_anew<Ilu0<Space, T>>(this->space(), a, b, options, r);
    for (const char* options : {"order=natural", "order=rcm"})
      expect_update_as_anew<Ic0<Space, T>>(this->space(), a, b, options, r);
  }
}

TYPED_TEST(ZeroFillOn, AFailedUpdateLeavesThePreconditionerAsBefore) {
  using T = typename TypeParam::T;
  using Space = typename TypeParam::Space;
  const auto a = definite<T>(33, 3, false);
  auto bad = a;
  bad.val[5] = std::numeric_limits<T>::quiet_NaN();
  Ilu0<Space, T> m(this->space(), a, {.preparation = in_place});
  const auto before = this->apply(m, 33);

  EXPECT_THROW(m.update_values(Analysis<Space, T>(this->space(), bad)), ArgumentError);

  EXPECT_TRUE(same_bits(this->apply(m, 33), before));
}

/// What lanes of groups that go in step share.
struct Step {
  explicit Step(int lanes) : barrier(lanes), flags(static_cast<std::size_t>(lanes)) {}

  Barrier barrier;
  std::vector<int> flags;
};

/// Groups of lanes that are threads, as a GPU runs them: several groups at once take rows by a ticket.
template <bool LooksAhead>
struct ThreadGroup {
  static constexpr bool looks_ahead = LooksAhead;

  int number, count;
  Barrier* all;
  double* room;
  Step* step = nullptr;  ///< null: no other group goes in step with this one
  int place = 0;         ///< of this lane in the step

  int lane() const { return number; }
  int lanes() const { return count; }
  void sync() const { all->arrive_and_wait(); }

  template <class V>
  static V unset() {
    V v;
    std::memset(&v, 0xff, sizeof v);
    return v;
  }
  template <class V>
  static bool look(const V* p, V& v) {
    const V none = unset<V>();
    v = std::atomic_ref<V>(*const_cast<V*>(p)).load(std::memory_order_relaxed);
    if (std::memcmp(&v, &none, sizeof v) != 0) return true;
    std::this_thread::yield();
    return false;
  }
  template <class V>
  static void publish(V* p, V v) {
    std::atomic_ref<V>(*p).store(v, std::memory_order_relaxed);
  }
  template <class V>
  V largest(V v) const {
    room[number] = static_cast<double>(v);
    sync();
    const double most = *std::max_element(room, room + count);
    sync();
    return static_cast<V>(most);
  }
  template <class V>
  V of_lane(V v, int from) const {
    room[number] = static_cast<double>(v);
    sync();
    const double there = room[from];
    sync();
    return static_cast<V>(there);
  }
  unsigned all_bits(unsigned v) const {
    room[number] = v;
    sync();
    unsigned bits = 0;
    for (int lane = 0; lane < count; ++lane) bits |= static_cast<unsigned>(room[lane]);
    sync();
    return bits;
  }
  bool any(bool v) const {
    if (step == nullptr) return all_bits(v ? 1u : 0u) != 0;
    step->flags[static_cast<std::size_t>(place)] = v ? 1 : 0;
    step->barrier.arrive_and_wait();
    const bool found = std::count(step->flags.begin(), step->flags.end(), 1) > 0;
    step->barrier.arrive_and_wait();
    return found;
  }
  static void raise(Index* p, Index v) {
    std::atomic_ref<Index> shared(*p);
    for (Index seen = shared.load(); v > seen && !shared.compare_exchange_weak(seen, v);) {
    }
  }
  static double minus_product(double a, double b, double c) { return a - b * c; }
};

/// Calls f(group, turn) for the turns 0 .. n - 1, by `groups` groups of `lanes` threads.
template <bool LooksAhead, class F>
void in_groups(int groups, int lanes, Index n, F f) {
  std::atomic<Index> ticket{0};
  run_lanes(groups, [&](int, Barrier&) {
    Index turn = 0;
    std::vector<double> room(static_cast<std::size_t>(lanes));
    run_lanes(lanes, [&](int lane, Barrier& all) {
      const ThreadGroup<LooksAhead> group{lane, lanes, &all, room.data()};
      for (;;) {
        if (lane == 0) turn = ticket++;
        group.sync();
        const Index mine = turn;
        group.sync();
        if (mine >= n) return;
        f(group, mine);
      }
    });
  });
}

/// Calls f(group, row) for rows at once, by a group of `lanes` threads each, which go in step.
template <class F>
void in_step(const std::vector<std::size_t>& rows, int lanes, F f) {
  Step step(static_cast<int>(rows.size()) * lanes);
  run_lanes(static_cast<int>(rows.size()), [&](int number, Barrier&) {
    std::vector<double> room(static_cast<std::size_t>(lanes));
    run_lanes(lanes, [&](int lane, Barrier& all) {
      f(ThreadGroup<true>{lane, lanes, &all, room.data(), &step, number * lanes + lane},
        rows[static_cast<std::size_t>(number)]);
    });
  });
}

/// The arrays of FactoredRows.
struct RowArrays {
  RowArrays(const Csr<double>& a, const std::vector<Offset>& after)
      : work(a.val.begin(), a.val.end()), upper(a.val.size()), pivot(static_cast<std::size_t>(a.rows)) {
    std::memset(upper.data(), 0xff, upper.size() * sizeof(double));
    std::memset(pivot.data(), 0xff, pivot.size() * sizeof(double));
    rows = {detail::pattern_of(a.view()), after.data(), work.data(), upper.data(), pivot.data()};
  }

  std::vector<double> work, upper, pivot;
  detail::FactoredRows rows;
};

/// The memory of a group, for rows of some entries.
struct RoomArrays {
  explicit RoomArrays(Index size) : value(static_cast<std::size_t>(size)), col(value.size()), upper(value.size()) {}

  detail::RowRoom room() {
    return {&diagonal, static_cast<Index>(value.size()), value.data(), col.data(), upper.data()};
  }

  std::vector<double> value;
  std::vector<Index> col;
  std::vector<detail::UpperEntries> upper;
  double diagonal = 0;
};

void expect_same_lower(const detail::Triangle& lower, const RowArrays& ours, const RowArrays& theirs) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(lower.a.rows); ++i) {
    for (Offset k = lower.begin(i); k < lower.end(i); ++k)
      EXPECT_EQ(ours.work[static_cast<std::size_t>(k)], theirs.work[static_cast<std::size_t>(k)]) << "row " << i;
  }
}

/// `room`: of a group, for so many entries.
template <bool LooksAhead>
void expect_lanes_to_agree_with(const Csr<double>& a, ZeroFillKind kind, int groups, int lanes, Index room) {
  std::vector<Offset> after(static_cast<std::size_t>(a.rows));
  const auto pattern = detail::pattern_of(a.view());
  for (Index i = 0; i < a.rows; ++i) after[static_cast<std::size_t>(i)] = pattern.first_from(i, i + 1);
  const detail::Triangle lower{pattern, after.data(), false}, upper{pattern, after.data(), true};
  const std::size_t n = after.size();

  std::vector<Index> level(n, -1), upper_level(n, -1), most(2, -1);
  const std::vector<Index> found = detail::find_levels(Host(), lower).download();
  const Index turns = (a.rows + lanes - 1) / lanes;
  in_groups<LooksAhead>(groups, lanes, turns, [&](const auto& g, Index t) {
    detail::find_levels_of_rows(g, lower, t * lanes, level.data(), most.data());
  });
  in_groups<LooksAhead>(groups, lanes, turns, [&](const auto& g, Index t) {
    detail::find_levels_of_rows(g, upper, t * lanes, upper_level.data(), most.data() + 1);
  });
  std::vector<Index> all = level;
  all.insert(all.end(), upper_level.begin(), upper_level.end());
  all.insert(all.end(), most.begin(), most.end());
  EXPECT_EQ(all, found);

  std::vector<Index> order(n);
  std::iota(order.begin(), order.end(), 0);
  const auto level_of = [&](Index i) { return level[static_cast<std::size_t>(i)]; };
  std::stable_sort(order.begin(), order.end(), [&](Index i, Index j) { return level_of(i) < level_of(j); });
  const double parameter = kind == ZeroFillKind::ilu ? 1e-8 : 1;
  RowArrays ours(a, after), theirs(a, after);
  detail::FactorCounts counts{};
  detail::factor_rows(Host(), theirs.rows, a.nonzeros(), {}, kind, parameter, &counts);
  std::atomic<Index> counted{0};
  std::vector<RoomArrays> rooms(n, RoomArrays(room));
  in_groups<LooksAhead>(groups, lanes, a.rows, [&](const auto& g, Index at) {
    const auto i = static_cast<std::size_t>(order[static_cast<std::size_t>(at)]);
    const detail::RowRoom own = rooms[i].room();
    const bool counts_row = kind == ZeroFillKind::ilu ? ours.rows.eliminate(g, i, parameter, own)
                                                      : ours.rows.decompose(g, i, parameter, own);
    if (counts_row && g.lane() == 0) ++counted;
  });
  EXPECT_EQ(counted, counts.bad + 1);
  expect_same_lower(lower, ours, theirs);
  EXPECT_TRUE(same_bits(ours.upper, theirs.upper)) << groups << " groups of " << lanes;
  EXPECT_TRUE(same_bits(ours.pivot, theirs.pivot)) << groups << " groups of " << lanes;
}

void expect_lanes_to_agree(const Csr<double>& a, ZeroFillKind kind, int groups, int lanes, Index room) {
  expect_lanes_to_agree_with<false>(a, kind, groups, lanes, room);
  expect_lanes_to_agree_with<true>(a, kind, groups, lanes, room);
}

TEST(ZeroFillRows, GroupsOfLanesHaveTheBitsOfOneLane) {
  for (const auto& [groups, lanes] : {std::pair{1, 1}, {1, 4}, {1, 8}, {2, 2}, {3, 1}}) {
    for (const Index n : {1, 31, 97}) {
      for (const Index room : {0, 5, 96, 97}) {
        expect_lanes_to_agree(unsymmetric<double>(n, 3, false), ZeroFillKind::ilu, groups, lanes, room);
        expect_lanes_to_agree(with_dense_row<double>(n, n, n / 2, 4), ZeroFillKind::ilu, groups, lanes, room);
        expect_lanes_to_agree(definite<double>(n, 5, true), ZeroFillKind::ic, groups, lanes, room);
      }
    }
    expect_lanes_to_agree(with_dense_row<double>(300, 300, 250, 4), ZeroFillKind::ilu, groups, lanes,
                          96);  // a long row
    expect_lanes_to_agree(indefinite<double>(-0.7), ZeroFillKind::ic, groups, lanes, 8);
    expect_lanes_to_agree(generate<double>("fem27", {.n = 3, .unknowns = 2}), ZeroFillKind::ic, groups, lanes, 30);
    expect_lanes_to_agree(generate<double>("poisson2d", {.n = 7}), ZeroFillKind::ilu, groups, lanes, 30);
  }
}

// The thread blocks of a tile take all of its rows.
TEST(PartOfTile, PartsCoverTheTile) {
  for (Index log_lanes = 0; log_lanes <= 5; ++log_lanes) {
    for (const unsigned parts : {2u, 8u}) {
      const detail::PartOfTile part(log_lanes, parts);
      EXPECT_LE(part.lanes * part.rows, detail::PartOfTile::threads);
      EXPECT_GE(part.lanes, 4);
      EXPECT_LE(part.lanes, 32);
      EXPECT_GE(part.lanes, 1 << log_lanes);
      EXPECT_GE(static_cast<int>(parts) * part.rows, 32 >> log_lanes) << log_lanes << ' ' << parts;
    }
  }
}

/// As a warp of a GPU does it: the rows of a level in step, four at a time, whose lengths differ.
void expect_rows_in_step_to_agree(const Csr<double>& a, ZeroFillKind kind, Index room) {
  constexpr int lanes = 2;
  std::vector<Offset> after(static_cast<std::size_t>(a.rows));
  const auto pattern = detail::pattern_of(a.view());
  for (Index i = 0; i < a.rows; ++i) after[static_cast<std::size_t>(i)] = pattern.first_from(i, i + 1);
  const detail::Triangle lower{pattern, after.data(), false};
  const std::vector<Index> level = detail::find_levels(Host(), lower).download();
  std::vector<Index> order(after.size());
  std::iota(order.begin(), order.end(), 0);
  const double parameter = kind == ZeroFillKind::ilu ? 1e-8 : 1;
  RowArrays ours(a, after), theirs(a, after);
  detail::FactorCounts counts{};
  detail::factor_rows(Host(), theirs.rows, a.nonzeros(), {}, kind, parameter, &counts);
  std::vector<RoomArrays> rooms(after.size(), RoomArrays(room));
  std::atomic<Index> counted{0};
  for (Index l = 0; l < a.rows; ++l) {
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < after.size(); ++i) {
      if (level[i] == l) rows.push_back(i);
    }
    for (std::size_t first = 0; first < rows.size(); first += 4) {
      const std::size_t end = std::min(first + 4, rows.size());
      in_step({rows.begin() + static_cast<std::ptrdiff_t>(first), rows.begin() + static_cast<std::ptrdiff_t>(end)},
              lanes, [&](const auto& g, std::size_t i) {
                const bool counts_row = kind == ZeroFillKind::ilu
                                            ? ours.rows.eliminate(g, i, parameter, rooms[i].room())
                                            : ours.rows.decompose(g, i, parameter, rooms[i].room());
                if (counts_row && g.lane() == 0) ++counted;
              });
    }
  }
  EXPECT_EQ(counted, counts.bad + 1);
  expect_same_lower(lower, ours, theirs);
  EXPECT_TRUE(same_bits(ours.upper, theirs.upper)) << room;
  EXPECT_TRUE(same_bits(ours.pivot, theirs.pivot)) << room;
}

TEST(ZeroFillRows, RowsInStepHaveTheBitsOfOneLane) {
  for (const Index room : {0, 6, 64}) {
    expect_rows_in_step_to_agree(unsymmetric<double>(60, 3, false), ZeroFillKind::ilu, room);
    expect_rows_in_step_to_agree(with_dense_row<double>(40, 40, 20, 4), ZeroFillKind::ilu, room);
    expect_rows_in_step_to_agree(definite<double>(40, 5, true), ZeroFillKind::ic, room);
  }
}

}  // namespace
}  // namespace ostinato::test
