// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/strategy/any_preconditioner.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include <ostinato/preconditioners/block_jacobi.hpp>
#include <ostinato/preconditioners/chebyshev.hpp>
#include <ostinato/preconditioners/fsai/fsai.hpp>
#include <ostinato/preconditioners/jacobi.hpp>
#include <ostinato/preconditioners/list.hpp>
#include <ostinato/preconditioners/multigrid/multigrid.hpp>
#include <ostinato/preconditioners/spai0.hpp>
#include <ostinato/preconditioners/ssor.hpp>
#include <ostinato/solvers/methods/cg.hpp>
#include <ostinato/solvers/methods/gmres.hpp>
#include <ostinato/spmv/base/error.hpp>

#include "support/solving.hpp"

// Options as text, and new values.

namespace ostinato::test {
namespace {

template <class Case>
class AnyPreconditionerOn : public SpaceTest<Case> {
 protected:
  using Home = typename Case::Space;
  using Value = typename Case::T;
  using ByName = AnyPreconditioner<Home, Value>;

  template <class M>
  std::vector<Value> apply(const M& m, Index rows) const {
    const auto r = this->put(random_vector<Value>(rows, 3));
    auto z = this->put(std::vector<Value>(static_cast<std::size_t>(rows)));
    m.apply(r, z);
    return z.download();
  }
};

TYPED_TEST_SUITE(AnyPreconditionerOn, EverySpace, SpaceNames);

TYPED_TEST(AnyPreconditionerOn, TellsItsSpaceAndARevisionOfEachState) {
  using T = typename TypeParam::T;
  using Any = typename TestFixture::ByName;
  const Analysis analysis(this->space(), generate<T>("poisson2d", {.n = 10}));
  for (const auto& entry : preconditioner_list<typename TypeParam::Space, T>()) {
    SCOPED_TRACE(entry.name);
    Any m(analysis, entry.name), other(analysis, entry.name);
    EXPECT_TRUE(m.space().is_same_place(this->space()));
    std::set<int> revisions = {m.revision(), other.revision()};
    m.update_values(analysis);
    revisions.insert(m.revision());
    EXPECT_EQ(revisions.size(), 3u);
    const PreconditionerRef<typename TypeParam::Space, T> ref(m);
    EXPECT_EQ(ref.revision(), m.revision());
    EXPECT_TRUE(ref.works_on(this->space()));
  }
  const Any none(analysis, "none");
  EXPECT_TRUE(none.space().is_same_place(this->space()));
  EXPECT_EQ(none.revision(), 0);
}

TYPED_TEST(AnyPreconditionerOn, TakesOptionsAsText) {
  using T = typename TypeParam::T;
  using Any = typename TestFixture::ByName;
  const Analysis analysis(this->space(), generate<T>("poisson2d", {.n = 20}));
  const auto same = [&](const char* text, const MultigridOptions& options) {
    return same_bits(this->apply(Any(analysis, text), 400), this->apply(Multigrid(analysis, options), 400));
  };

  EXPECT_TRUE(same("multigrid", {}));
  EXPECT_TRUE(same("multigrid:sweeps=3", {.sweeps = 3}));
  EXPECT_FALSE(same("multigrid:sweeps=3", {.sweeps = 2}));
  EXPECT_TRUE(
      same("multigrid:smoother=chebyshev,kind=structured,sweeps=2", {.sweeps = 2, .smoother = Smoother::chebyshev}));
  EXPECT_FALSE(same("multigrid:sweeps=2,smoother=chebyshev", {.sweeps = 2}));
  EXPECT_EQ(Any(analysis, "multigrid:sweeps=2").name(), "multigrid");
}

TYPED_TEST(AnyPreconditionerOn, TakesOptionsAsValues) {
  using T = typename TypeParam::T;
  using Any = typename TestFixture::ByName;
  const Analysis analysis(this->space(), generate<T>("poisson2d", {.n = 20}));
  const auto same = [&](const PreconditionerRequest& asked, const auto& m) {
    return same_bits(this->apply(Any(analysis, asked), 400), this->apply(m, 400));
  };
  const MultigridOptions three{.sweeps = 3};
  const MultigridOptions near_null{.kind = MultigridKind::aggregation, .near_null = random_vector<double>(400, 1)};

  EXPECT_EQ(Any(analysis, {"ilut"}).name(), "ilut");
  EXPECT_TRUE(same({"multigrid"}, Multigrid(analysis)));
  EXPECT_TRUE(same({"multigrid", three}, Multigrid(analysis, three)));
  EXPECT_FALSE(same({"multigrid", three}, Multigrid(analysis)));
  EXPECT_TRUE(same({"multigrid", near_null}, Multigrid(analysis, near_null)));
  EXPECT_TRUE(same(parse_preconditioner("multigrid:sweeps=3"), Multigrid(analysis, three)));
  EXPECT_EQ(message_of<ArgumentError>([&] {
              Any(analysis, {"ilu0", three});
            }),
            "ilu0: the options are those of another preconditioner");
  EXPECT_EQ(message_of<ArgumentError>([&] {
              Any(analysis, {"auto", three});
            }),
            "auto takes no options but the coordinates of the points");
  EXPECT_EQ(message_of<ArgumentError>([&] {
              Any(analysis, {"multigrid", MultigridOptions{.sweeps = 9}});
            }),
            "multigrid: sweeps is 9; it has to be 0 to 8");
}

TEST(PreconditionerOptions, TellWhetherTheyReferToTheNumbersOfRows) {
  for (const char* text : {"ilu0", "iluk", "ilut", "lu", "ic0", "ict", "cholesky"}) {
    EXPECT_EQ(rows_named_by(text), RowsNamed::none) << text;
    EXPECT_EQ(rows_named_by(std::string(text) + ":order=natural"), RowsNamed::order) << text;
    EXPECT_EQ(rows_named_by(std::string(text) + ":order=rcm"), RowsNamed::none) << text;
  }
  for (const char* text : {"ilu0:match=yes,order=natural", "ILU0:Order=NATURAL", "ssor:omega=1.2,order=natural",
                           "block-jacobi:block=8", "block-jacobi:block=2"})
    EXPECT_EQ(rows_named_by(text), RowsNamed::order) << text;
  for (const char* text : {"multigrid:kind=aggregation,unknowns=3", "multigrid:unknowns=2,kind=plain"})
    EXPECT_EQ(rows_named_by(text), RowsNamed::points) << text;
  for (const char* text :
       {"auto", "none", "jacobi", "spai0", "ssor", "ssor:order=colour", "chebyshev:degree=3", "fsai", "block-jacobi",
        "block-jacobi:block=1", "multigrid", "multigrid:unknowns=1,kind=aggregation", "multigrid:unknowns=0"})
    EXPECT_EQ(rows_named_by(text), RowsNamed::none) << text;
  EXPECT_THROW(rows_named_by("ilu0:order=unnatural"), ArgumentError);
}

TYPED_TEST(AnyPreconditionerOn, ListsTheOptionsThatThereAre) {
  using T = typename TypeParam::T;
  using Any = typename TestFixture::ByName;
  const Analysis analysis(this->space(), generate<T>("poisson2d", {.n = 20}));
  const auto complaint = [&](const std::string& text) {
    const std::string message = message_of<ArgumentError>([&] { Any(analysis, text); });
    EXPECT_EQ(message_of<ArgumentError>([&] { check_preconditioner(text); }), message);
    return message;
  };

  EXPECT_EQ(complaint("jacobi:sweeps=1"), "jacobi takes no options");
  EXPECT_EQ(complaint("none:a=1"), "none takes no options");
  EXPECT_EQ(complaint("auto:a=1"), "auto takes no options");
  const std::string known =
      "known: kind=automatic|structured|classical|aggregation|pairwise|plain, sweeps=0..8, "
      "smoother=jacobi|chebyshev|fsai|ilu0|ic0, unknowns=0..100, threshold=0..1, aggressive=0|1, "
      "reuse=none|interpolation";
  EXPECT_EQ(complaint("multigrid:sweep=1"), "multigrid: unknown option 'sweep'; did you mean sweeps? " + known);
  EXPECT_EQ(complaint("multigrid:kind=structured,="), "multigrid: unknown option ''; " + known);
  EXPECT_EQ(complaint("multigrid:precision=half"), "multigrid: unknown option 'precision'; " + known);
  for (const std::string bad : {"9", "-1", "", "2x", "99999999999", "0..8"})
    EXPECT_EQ(complaint("multigrid:sweeps=" + bad), "multigrid: sweeps is '" + bad + "'; it has to be 0 to 8");
  EXPECT_EQ(complaint("multigrid:sweeps"), "multigrid: sweeps is ''; it has to be 0 to 8");
  for (const std::string name : {"multigrid:", "jacobi:", "auto:", "none:"})
    EXPECT_EQ(complaint(name), name + " names no option; leave the colon out");
  EXPECT_EQ(complaint("multigrid:sweeps=1,kind=structured,sweeps=2"), "multigrid: the option 'sweeps' is given twice");
  for (const char* text : {"multigrid:sweeps=1,", "multigrid:,sweeps=1", "multigrid:,"})
    EXPECT_EQ(complaint(text), "multigrid: unknown option ''; " + known);
}

TYPED_TEST(AnyPreconditionerOn, SaysWhatAnOptionHasToBe) {
  using Any = typename TestFixture::ByName;
  using T = typename TypeParam::T;
  const Analysis analysis(this->space(), generate<T>("poisson2d", {.n = 4}));
  const std::vector<std::array<const char*, 3>> wrong = {
      {"block-jacobi", "block=33", "block is '33'; it has to be 0 to 32"},
      {"chebyshev", "degree=0", "degree is '0'; it has to be 1 to 100"},
      {"chebyshev", "ratio=1", "ratio is '1'; it has to be 2 to 100000"},
      {"chebyshev", "kind=second", "kind is 'second'; it has to be first or fourth"},
      {"fsai", "pattern=a3", "pattern is 'a3'; it has to be a, a2 or adaptive"},
      {"fsai", "entries=256", "entries is '256'; it has to be 1 to 255"},
      {"ssor", "omega=3", "omega is '3'; it has to be 0.01 to 1.99"},
      {"ssor", "omega=nan", "omega is 'nan'; it has to be 0.01 to 1.99"},
      {"ssor", "order=red", "order is 'red'; it has to be colour or natural"},
      {"ssor", "sweep=back", "sweep is 'back'; it has to be symmetric or forward"},
      {"ilu0", "order=metis", "order is 'metis'; it has to be natural, rcm, nd or amd"},
      {"ilu0", "match=1", "match is '1'; it has to be yes or no"},
      {"iluk", "level=101", "level is '101'; it has to be 0 to 100"},
      {"ilut", "drop=2", "drop is '2'; it has to be 0 to 1"},
      {"ilut", "fill=0", "fill is '0'; it has to be 1 to 1000"},
      {"ilut", "pivot=-1", "pivot is '-1'; it has to be 0 to 1"},
      {"lu", "fill=inf", "fill is 'inf'; it has to be 1 to 100000"},
      {"ict", "drop=x", "drop is 'x'; it has to be 0 to 1"},
      {"multigrid", "kind=other",
       "kind is 'other'; it has to be automatic, structured, classical, aggregation, pairwise or plain"},
      {"multigrid", "smoother=sor", "smoother is 'sor'; it has to be jacobi, chebyshev, fsai, ilu0 or ic0"},
      {"multigrid", "unknowns=101", "unknowns is '101'; it has to be 0 to 100"},
      {"multigrid", "threshold=1.5", "threshold is '1.5'; it has to be 0 to 1"},
      {"multigrid", "aggressive=2", "aggressive is '2'; it has to be 0 or 1"},
      {"multigrid", "reuse=pattern", "reuse is 'pattern'; it has to be none or interpolation"}};
  for (const auto& [name, option, complaint] : wrong) {
    const std::string text = std::string(name) + ":" + option;
    EXPECT_EQ(message_of<ArgumentError>([&] { Any(analysis, text); }), std::string(name) + ": " + complaint);
  }
  EXPECT_EQ(message_of<ArgumentError>([&] { Multigrid(analysis, {.sweeps = 9}); }),
            "multigrid: sweeps is 9; it has to be 0 to 8");
  EXPECT_EQ(message_of<ArgumentError>([&] { Multigrid(analysis, {.unknowns = -1}); }),
            "multigrid: unknowns is -1; it has to be 0 to 100");
  EXPECT_EQ(message_of<ArgumentError>([&] { Multigrid(analysis, {.threshold = 2}); }),
            "multigrid: threshold is 2; it has to be 0 to 1");
}

TYPED_TEST(AnyPreconditionerOn, TakesNamesInAnyCase) {
  using Any = typename TestFixture::ByName;
  using T = typename TypeParam::T;
  const auto a = generate<T>("poisson2d", {.n = 20});

  EXPECT_EQ(Any(this->space(), a, "Jacobi").name(), "jacobi");
  EXPECT_EQ(Any(this->space(), a, "NONE").name(), "none");
  EXPECT_EQ(Any(this->space(), a, "AUTO").name(), Any(this->space(), a).name());
  EXPECT_EQ(Any(this->space(), a, "Multigrid:Smoother=Chebyshev,SWEEPS=2").name(), "multigrid");
  const auto text = message_of<ArgumentError>([&] { Any(this->space(), a, "Jacoby"); });
  EXPECT_EQ(text.substr(0, 73), "unknown preconditioner 'jacoby'; did you mean jacobi? known: auto, none, ");
}

TYPED_TEST(AnyPreconditionerOn, SetsEveryElementOfZ) {
  using Any = typename TestFixture::ByName;
  using T = typename TypeParam::T;
  const auto a = generate<T>("variable2d", {.n = 40});
  const Analysis analysis(this->space(), a);
  const auto values = random_vector<T>(a.rows, 3);
  const auto r = this->put(values);
  for (const PreconditionerInfo& info : preconditioner_infos()) {
    const Any m(analysis, info.name);
    if (m.is_identity()) continue;
    auto zeros = this->put(std::vector<T>(values.size()));
    auto nan = this->put(std::vector<T>(values.size(), std::numeric_limits<T>::quiet_NaN()));
    m.apply(r, zeros);
    m.apply(r, nan);
    const std::vector<T> result = nan.download();
    EXPECT_TRUE(std::all_of(result.begin(), result.end(), [](T v) { return std::isfinite(v); })) << info.name;
    EXPECT_TRUE(same_bits(result, zeros.download())) << info.name;
    EXPECT_EQ(r.download(), values) << info.name;
  }
}

TYPED_TEST(AnyPreconditionerOn, TakesJacobiWhereFsaiRefusesNewValues) {
  using T = typename TypeParam::T;
  using Any = typename TestFixture::ByName;
  const Csr<T> mesh = generate<T>("mesh2d", {.n = 60});
  const Analysis before(this->space(), Csr<T>(mesh));
  Csr<T> unsymmetric = mesh;
  unsymmetric.val[1] *= T{2};
  const Analysis after(this->space(), unsymmetric);
  Any m(before);
  m.update_values(after);
  EXPECT_EQ(m.name(), "jacobi");
  EXPECT_EQ(m.reason(), TypeParam::Space::has_streams
                            ? "cheap, and every row has a diagonal entry; fsai: the matrix isn't symmetric"
                            : "chosen for earlier values: cheap, and every row has a diagonal entry");
  EXPECT_TRUE(same_bits(this->apply(m, mesh.rows), this->apply(Jacobi(after), mesh.rows)));
  m.update_values(before);
  EXPECT_EQ(m.name(), "jacobi");

  if (!TypeParam::Space::has_streams) return;
  Csr<T> gap = mesh;
  gap.val[0] = 0;  // of the diagonal, so that Jacobi refuses the values, too
  Any other(before);
  other.update_values(before);
  EXPECT_EQ(other.name(), "fsai");
  other.update_values(Analysis(this->space(), gap));
  EXPECT_EQ(other.name(), "none");
  EXPECT_TRUE(other.is_identity());

  Csr<T> not_finite = mesh;
  not_finite.val[1] = std::numeric_limits<T>::quiet_NaN();
  Any kept(before);
  EXPECT_THROW(kept.update_values(Analysis(this->space(), not_finite)), ArgumentError);
  EXPECT_EQ(kept.name(), "fsai");
  EXPECT_TRUE(same_bits(this->apply(kept, mesh.rows), this->apply(Any(before), mesh.rows)));
}

TYPED_TEST(AnyPreconditionerOn, BeginsWithFsaiOnAGpuForSmallMatrices) {
  using T = typename TypeParam::T;
  using Any = typename TestFixture::ByName;
  const auto name_for = [&](const Csr<T>& a) { return Any(this->space(), a).name(); };
  const Csr<T> mesh = generate<T>("mesh2d", {.n = 60});
  EXPECT_EQ(name_for(mesh), TypeParam::Space::has_streams ? "fsai" : "jacobi");
  EXPECT_EQ(name_for(generate<T>("mesh2d", {.n = 20})), "jacobi") << "few rows";
  Csr<T> dominant = mesh;
  for (std::size_t i = 0; i < static_cast<std::size_t>(mesh.rows); ++i) {
    for (auto k = static_cast<std::size_t>(mesh.row_ptr[i]); k < static_cast<std::size_t>(mesh.row_ptr[i + 1]); ++k) {
      if (mesh.col[k] == static_cast<Index>(i)) dominant.val[k] *= T{2};
    }
  }
  EXPECT_EQ(name_for(dominant), "jacobi");
  EXPECT_EQ(Any(this->space(), mesh).fallback(), nullptr) << "Jacobi would be slower";
}

TYPED_TEST(AnyPreconditionerOn, TakesNewValues) {
  using T = typename TypeParam::T;
  using Any = typename TestFixture::ByName;
  Csr<T> changed = generate<T>("variable2d", {.n = 120});
  const Csr<T> before_values = changed;
  const Analysis before(this->space(), Csr<T>(changed));
  for (std::size_t k = 0; k < changed.val.size(); ++k) changed.val[k] *= T{2};
  const Analysis after(this->space(), changed);
  for (const char* name : {"jacobi", "multigrid:sweeps=2,smoother=chebyshev", "none", "auto"}) {
    Any m(before, name);
    const std::string chosen = m.name();
    const Any anew(after, name);
    m.update_values(after);
    EXPECT_EQ(m.name(), chosen);
    const std::string once = m.reason();
    EXPECT_EQ(once,
              std::string(name) == "auto" ? "chosen for earlier values: " + Any(before, name).reason() : "asked for");
    m.update_values(after);
    EXPECT_EQ(m.reason(), once);
    if (m.is_identity()) continue;
    EXPECT_TRUE(same_bits(this->apply(m, changed.rows), this->apply(anew, changed.rows))) << name;
    EXPECT_FALSE(same_bits(this->apply(m, changed.rows), this->apply(Any(before, name), changed.rows))) << name;
    if (m.fallback() != nullptr) {
      EXPECT_TRUE(same_bits(this->apply(*m.fallback(), changed.rows), this->apply(Jacobi(after), changed.rows)));
    }
  }
  Jacobi jacobi(before);
  jacobi.update_values(after);
  EXPECT_TRUE(same_bits(this->apply(jacobi, changed.rows), this->apply(Jacobi(after), changed.rows)));
  Jacobi plain(this->space(), Csr<T>(before_values));
  plain.update_values(changed);
  EXPECT_TRUE(same_bits(this->apply(plain, changed.rows), this->apply(Jacobi(this->space(), changed), changed.rows)));
  EXPECT_THROW(plain.update_values(dense<T>({{1}})), DimensionError);
  Multigrid multigrid(before, {.sweeps = 2});
  multigrid.update_values(after);
  EXPECT_TRUE(
      same_bits(this->apply(multigrid, changed.rows), this->apply(Multigrid(after, {.sweeps = 2}), changed.rows)));
}

// What a preconditioner doesn't use it doesn't look at, neither when it is made nor with new values.
TYPED_TEST(AnyPreconditionerOn, LooksAtTheValuesThatItUses) {
  using T = typename TypeParam::T;
  using Any = typename TestFixture::ByName;
  const Csr<T> a = generate<T>("variable2d", {.n = 20});
  const Analysis before(this->space(), a);
  Csr<T> negative = a, off_diagonal = a, diagonal = a;
  for (T& v : negative.val) v = -v;
  off_diagonal.val[1] = diagonal.val[0] = std::numeric_limits<T>::quiet_NaN();  // row 0: the diagonal, the next column
  const auto takes = [&](const char* name, const Csr<T>& values) {
    const Analysis after(this->space(), values);
    const auto is_taken = [](auto f) {
      try {
        f();
        return true;
      } catch (const ArgumentError&) {
        return false;
      }
    };
    const bool taken = is_taken([&] {
      Any m(before, name);
      m.update_values(after);
    });
    EXPECT_EQ(taken, is_taken([&] { Any(after, name); })) << name;
    return taken;
  };
  for (const Csr<T>* values : {&negative, &off_diagonal, &diagonal}) {
    EXPECT_TRUE(takes("none", *values));
    EXPECT_EQ(takes("multigrid", *values), values == &negative);
    EXPECT_EQ(takes("jacobi", *values), values != &diagonal);
  }
}

TYPED_TEST(AnyPreconditionerOn, StaysAsItWasWhenNewValuesAreRefused) {
  using T = typename TypeParam::T;
  using Any = typename TestFixture::ByName;
  Csr<T> bad = generate<T>("variable2d", {.n = 120});
  const Index n = bad.rows;
  const Analysis before(this->space(), Csr<T>(bad));
  for (Offset k = bad.row_ptr[7]; k < bad.row_ptr[8]; ++k) {
    if (bad.col[static_cast<std::size_t>(k)] == 7) bad.val[static_cast<std::size_t>(k)] = 0;
  }
  const Analysis zero(this->space(), bad), small(this->space(), generate<T>("variable2d", {.n = 20}));
  const auto keeps = [&](auto m) {
    const std::vector<T> z = this->apply(m, n);
    EXPECT_THROW(m.update_values(zero), ArgumentError);
    EXPECT_THROW(m.update_values(small), DimensionError);
    EXPECT_TRUE(same_bits(this->apply(m, n), z));
  };
  keeps(Jacobi(before));
  keeps(Multigrid(before));
  for (const char* name : {"auto", "jacobi", "multigrid", "multigrid:kind=classical,reuse=interpolation"})
    keeps(Any(before, name));
}

TYPED_TEST(AnyPreconditionerOn, SolvesOfAnotherSizeAreRefused) {
  using T = typename TypeParam::T;
  using Any = typename TestFixture::ByName;
  const Analysis larger(this->space(), generate<T>("poisson2d", {.n = 31}));
  const Operator a(this->space(), generate<T>("poisson2d", {.n = 30}));
  const auto b = this->put(std::vector<T>(900, T{1}));
  auto x = this->put(std::vector<T>(900));
  const auto refused = [&](const auto& m) {
    const std::string text = message_of<DimensionError>([&] { gmres(this->space(), a, b.span(), x.span(), m); });
    EXPECT_NE(text.find("961"), std::string::npos) << text;
  };
  for (const PreconditionerInfo& info : preconditioner_infos()) {
    SCOPED_TRACE(std::string(info.name));
    if (info.name != "none") refused(Any(larger, info.name));
  }
  refused(Jacobi(larger));
  refused(BlockJacobi(larger));
  refused(Chebyshev(larger));
  refused(Ssor(larger));
  refused(Spai0(larger));
  refused(Fsai(larger));
  refused(Multigrid(larger));
  refused(Any(larger, "ilut"));
}

TYPED_TEST(AnyPreconditionerOn, IsOfNoUseOnceMovedFrom) {
  using T = typename TypeParam::T;
  using Any = typename TestFixture::ByName;
  const Csr<T> matrix = generate<T>("poisson2d", {.n = 20});
  const Analysis analysis(this->space(), matrix);
  const Operator a(this->space(), matrix);
  const auto b = this->put(std::vector<T>(400, T{1}));
  auto x = this->put(std::vector<T>(400));
  const auto solve_with = [&](const auto& m) { cg(this->space(), a, b.span(), x.span(), m); };
  Any any(analysis, "ict");
  Jacobi jacobi(analysis);
  const Any other(std::move(any));
  const Jacobi another(std::move(jacobi));

  EXPECT_THROW(solve_with(any), ArgumentError);      // NOLINT(bugprone-use-after-move)
  EXPECT_THROW(solve_with(jacobi), DimensionError);  // NOLINT(bugprone-use-after-move)
  solve_with(other);
  solve_with(another);
}

}  // namespace
}  // namespace ostinato::test
