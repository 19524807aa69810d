// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/ilu/incomplete_lu.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>
#include <vector>

#include <ostinato/preconditioners/define_entry.hpp>
#include <ostinato/preconditioners/ilu/band.hpp>
#include <ostinato/preconditioners/ilu/cholesky.hpp>
#include <ostinato/preconditioners/ilu/complete_entries.hpp>
#include <ostinato/preconditioners/ilu/growth.hpp>
#include <ostinato/preconditioners/ilu/lu_order.hpp>
#include <ostinato/preconditioners/nearly_symmetric.hpp>
#include <ostinato/preconditioners/option_text.hpp>
#include <ostinato/preconditioners/require_rows.hpp>
#include <ostinato/spmv/space/error.hpp>
#include <ostinato/spmv/space/memory.hpp>
#include <ostinato/spmv/space/message.hpp>
#include <ostinato/spmv/space/units.hpp>

namespace ostinato {

namespace {

/// What a kind has beside the options that all have.
template <class Kind>
OptionTable<typename Kind::Options> own_options() {
  return {};
}

template <>
OptionTable<IlukKind::Options> own_options<IlukKind>() {
  return OptionTable<IlukKind::Options>().number("level", &IlukKind::Options::level, 0, 100);
}

template <>
OptionTable<IlutKind::Options> own_options<IlutKind>() {
  return OptionTable<IlutKind::Options>()
      .number(
          "drop", [](auto& o) -> auto& { return o.factors.drop; }, 0, 1)
      .number_in_text(
          "fill", [](auto& o) -> auto& { return o.factors.fill; }, 1, 1000)
      .number(
          "pivot", [](auto& o) -> auto& { return o.factors.pivot; }, 0, 1);
}

template <>
OptionTable<LuKind::Options> own_options<LuKind>() {
  return OptionTable<LuKind::Options>()
      .number_in_text("fill", &LuKind::Options::fill, 1, 100000)
      .number("pivot", &LuKind::Options::pivot, 0, 1)
      .yes_no("raise", &LuKind::Options::raise)
      .number_in_text(
          "seconds", [](auto& o) -> auto& { return o.preparation.most_seconds; }, 0, 1e6);
}

template <>
OptionTable<IctKind::Options> own_options<IctKind>() {
  return OptionTable<IctKind::Options>()
      .number("drop", &IctKind::Options::drop, 0, 1)
      .number_in_text("fill", &IctKind::Options::fill, 1, 1000);
}

template <>
OptionTable<CholeskyKind::Options> own_options<CholeskyKind>() {
  return OptionTable<CholeskyKind::Options>().number_in_text("fill", &CholeskyKind::Options::fill, 1, 100000);
}

template <class Options>
concept HasTriangles = requires(const Options& o) {
  o.triangles;
};

/// Kinds whose columns may change places are those with `pivot`.
template <class Kind>
std::vector<std::pair<std::string_view, Ordering>> orderings() {
  std::vector<std::pair<std::string_view, Ordering>> words = {
      {"natural", Ordering::natural}, {"rcm", Ordering::rcm}, {"nd", Ordering::nd}, {"amd", Ordering::amd}};
  if (std::is_same_v<Kind, IlutKind> || std::is_same_v<Kind, LuKind>) words.emplace_back("colamd", Ordering::colamd);
  return words;
}

/// How triangular systems are solved, where a kind lets that be chosen.
template <class Options>
OptionTable<Options> of_triangles() {
  if constexpr (HasTriangles<Options>) {
    return OptionTable<Options>()
        .words("solve", [](auto& o) -> auto& { return o.triangles.solve; },
               {{"auto", TriangularSolve::automatic},
                {"exact", TriangularSolve::exact},
                {"jacobi", TriangularSolve::jacobi},
                {"isai", TriangularSolve::isai}})
        .number(
            "sweeps", [](auto& o) -> auto& { return o.triangles.sweeps; }, 1, 1000)
        .words("power", [](auto& o) -> auto& { return o.triangles.power; }, {{"1", 1}, {"2", 2}});
  }
  return {};
}

template <class Kind>
const OptionTable<typename Kind::Options>& table() {
  using O = typename Kind::Options;
  static const auto known = [] {
    auto all = own_options<Kind>().words(
        "order", [](auto& o) -> auto& { return o.preparation.order; }, orderings<Kind>());
    if (!Kind::is_symmetric)
      all = std::move(all).yes_no(
          "match", [](auto& o) -> auto& { return o.preparation.match; });
    return std::move(all)
        .words("precision", &O::in_float, {{"double", false}, {"float", true}})
        .and_then(of_triangles<O>());
  }();
  return known;
}

/// Throws    ArgumentError for numbers that the way of the triangular solves doesn't have.
void require_consistent(std::string_view name, const TriangularOptions& o) {
  if (o.is_exact() && o.sweeps != 0)
    throw ArgumentError(std::string(name) +
                        ": sweeps are of solve=jacobi or solve=isai; take one of them, or leave sweeps out");
  if (o.solve != TriangularSolve::isai && o.power != 1)
    throw ArgumentError(std::string(name) + ": power is of solve=isai; take that, or leave power out");
}

/// Calls make(V{}) with the type in which factors under T are kept.
template <class T, class F>
auto in_precision(bool in_float, F make) {
  if constexpr (sizeof(T) == 8) {
    if (in_float) return make(float{});
  }
  return make(T{});
}

std::string text_of(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", number);
  return text;
}

/// The bytes of host memory that an entry of the factors takes while an object is made: they are there in four copies.
constexpr std::size_t bytes_while_made = 4 * (sizeof(double) + sizeof(Index));

/// In half of the host's memory, and in what is free of it.
Offset most_entries_on_host() {
  return static_cast<Offset>(std::min(host_memory() / 2, free_host_memory()) / bytes_while_made);
}

/// `fill` times the entries of A, or what a full matrix has.
Offset entries_of(const Structure& s, double fill) {
  const double full = static_cast<double>(s.rows) * static_cast<double>(s.rows);
  return static_cast<Offset>(std::min(fill * static_cast<double>(s.nonzeros), full));
}

/// The fill that may be asked for: less than the options say where memory is short. Dropping may leave fewer entries
/// than A has.
double fill_within(double fill, Offset entries, const FactorMemory& memory) {
  const double room = static_cast<double>(memory.most_entries) / std::max(1.0, static_cast<double>(entries));
  return std::min(fill, std::max(room, 1.0));
}

/// Makes complete factors with at most `fill` times the entries of A, 0: as many as memory allows.
template <class F>
Factors with_limit(std::string_view name, double fill, Offset entries, const FactorMemory& memory, F factor) {
  require_between(name, "fill", fill, 0);
  const double most = fill * static_cast<double>(entries);
  const bool is_limited = fill > 0 && most < static_cast<double>(memory.most_entries);
  if (!is_limited) return factor(memory);
  const FactorMemory within{static_cast<Offset>(most), [&](Offset count, Certainty certainty) {
                              // More than the limit isn't what makes memory short.
                              memory.announce(count, certainty == Certainty::at_least ? Certainty::rough : certainty);
                            }};
  try {
    return factor(within);
  } catch (const TooManyEntries&) {
    throw ArgumentError(std::string(name) + ": the factors take more than " + text_of(fill) +
                        " times the entries of A; raise fill, or take ilut");
  }
}

/// Entries that the factors of a band have at most.
double entries_of_band(Index rows, const Bandwidth& band) {
  return rows * (static_cast<double>(band.lower) + 2.0 * band.upper + 1);
}

/// Whether LAPACK may factor a band: it can't be stopped, and so has to be over within a second.
bool suits_lapack(Index rows, const Bandwidth& band, Offset most_entries) {
  constexpr double most_multiplications = 1.5e9;
  return has_band_factors && entries_of_band(rows, band) <= static_cast<double>(most_entries) &&
         rows * static_cast<double>(band.upper) * (static_cast<double>(band.lower) + band.upper) <=
             most_multiplications;
}

/// Complete factors with pivoting: those of a band where the rows, one after the other, aren't predicted to be faster.
Factors factor_completely(const CsrView<double>& a, const IlutOptions& options, const FactorMemory& memory,
                          const StopRequest& stop) {
  constexpr double mostly_full = 3;
  const Bandwidth band = bandwidth_of(a.row_ptr, a.col);
  bool as_band = options.pivot > 0 && suits_lapack(a.rows, band, memory.most_entries);
  const double in_band = entries_of_band(a.rows, band);
  if (as_band && in_band <= mostly_full * static_cast<double>(a.nonzeros())) {
    memory.announce(static_cast<Offset>(in_band), Certainty::at_most);
  } else {
    const CompleteEntries predicted = count_complete_entries(a, memory.most_entries, stop);
    const bool too_many = predicted.is_sure && predicted.count > memory.most_entries;
    memory.announce(predicted.count, too_many ? Certainty::at_least : Certainty::rough);
    if (too_many) throw TooManyEntries();
    as_band = as_band && band_seconds(a.rows, band) <=
                             sparse_lu_seconds(a.rows, static_cast<double>(predicted.count), predicted.multiplications);
  }
  if (as_band) {
    if (std::optional<Factors> f = factor_band(a, band, options.boost)) return *std::move(f);
  }
  return factor_ilut(a, options, memory.most_entries, stop);
}

/// Whether a matrix can be factored in the memory of a space. What can't is left to the host, which says why, or looks
/// closer: at a matrix that is symmetric but for rounding.
template <class Kind, class Space, class T>
bool suits_zero_fill(const Analysis<Space, T>& analysis) {
  const Structure& s = analysis.structure();
  return s.rows == s.cols && s.finite && (!Kind::is_symmetric || (s.symmetric && s.positive_diagonal));
}

}  // namespace

Factors Ilu0Kind::factor(const CsrView<double>& a, const Options&, const FactorMemory& memory,
                         const StopRequest& stop) {
  return factor_iluk(a, {.level = 0}, memory, stop);
}

/// A matching leaves no row without a diagonal entry, unless A is structurally singular.
Offset Ilu0Kind::predict_entries(const Structure& s, const Options& options) {
  return s.nonzeros + (options.preparation.match ? 0 : s.missing_diagonal);
}

Factors IlukKind::factor(const CsrView<double>& a, const Options& options, const FactorMemory& memory,
                         const StopRequest& stop) {
  table<IlukKind>().require(name, options);
  return factor_iluk(a, {.level = options.level}, memory, stop);
}

Offset IlutKind::predict_entries(const Structure& s, const Options& options) {
  return entries_of(s, options.factors.fill);
}

Factors IlutKind::factor(const CsrView<double>& a, const Options& options, const FactorMemory& memory,
                         const StopRequest& stop) {
  table<IlutKind>().require(name, options);
  require_between(name, "fill", options.factors.fill, 1);
  IlutOptions within = options.factors;
  within.fill = fill_within(within.fill, a.nonzeros(), memory);
  return factor_ilut(a, within, memory.most_entries, stop);
}

Factors LuKind::factor(const CsrView<double>& a, const Options& options, const FactorMemory& memory,
                       const StopRequest& stop) {
  table<LuKind>().require(name, options);
  IlutOptions complete{.drop = 0, .fill = std::numeric_limits<double>::infinity(), .pivot = options.pivot};
  if (!options.raise) complete.most_raised = 0;
  Factors f = with_limit(name, options.fill, a.nonzeros(), memory,
                         [&](const FactorMemory& within) { return factor_completely(a, complete, within, stop); });
  if (f.boosted == 0 || options.raise) return f;
  throw ArgumentError(std::string(name) + ": a pivot is nearly 0, as for a singular matrix; take raise=yes, or ilut");
}

Offset Ic0Kind::predict_entries(const Structure& s, const Options&) { return s.nonzeros; }

Factors Ic0Kind::factor(const CsrView<double>& a, const Options&, const FactorMemory& memory, const StopRequest& stop) {
  return factor_ic(a, {}, memory.most_entries, stop);
}

Offset IctKind::predict_entries(const Structure& s, const Options& options) { return entries_of(s, options.fill); }

Factors IctKind::factor(const CsrView<double>& a, const Options& options, const FactorMemory& memory,
                        const StopRequest& stop) {
  table<IctKind>().require(name, options);
  require_between(name, "fill", options.fill, 1);
  const double fill = fill_within(options.fill, a.nonzeros(), memory);
  return factor_ic(a, {.fill = true, .drop = options.drop, .most_fill = fill}, memory.most_entries, stop);
}

Factors CholeskyKind::factor(const CsrView<double>& a, const Options& options, const FactorMemory& memory,
                             const StopRequest& stop) {
  return with_limit(name, options.fill, a.nonzeros(), memory,
                    [&](const FactorMemory& within) { return factor_cholesky(a, within, stop); });
}

template <class Space, class T, class Kind>
std::string IncompleteLu<Space, T, Kind>::known_options() {
  return table<Kind>().text();
}

template <class Space, class T, class Kind>
auto IncompleteLu<Space, T, Kind>::parse_options(std::string_view text) -> Options {
  Options o = table<Kind>().read(name, text);
  require_consistent(name, detail::triangles_of(o));
  return o;
}

template <class Space, class T, class Kind>
std::string IncompleteLu<Space, T, Kind>::why_not(const Structure& s) {
  if (s.rows != s.cols) return "the matrix isn't square";
  if (!s.finite) return "the matrix holds NaN or infinity";
  if (Kind::is_symmetric && !s.symmetric) return "the matrix isn't symmetric";
  return {};
}

template <class Space, class T, class Kind>
Csr<double> IncompleteLu<Space, T, Kind>::usable_copy(const Space& space, const SpaceCsr<Space, T>& a) {
  Csr<double> whole = host_copy(space, a);
  if (whole.rows != whole.cols)
    throw ArgumentError(std::string(name) + ": the matrix isn't square; use --precond none");
  for (const double v : whole.val) {
    if (!std::isfinite(v))
      throw ArgumentError(std::string(name) + ": the matrix holds NaN or infinity; use --precond none");
  }
  if (Kind::is_symmetric && !is_nearly_symmetric(whole.view()))
    throw ArgumentError(std::string(name) +
                        ": the matrix isn't symmetric, and Cholesky would use half of it; take ilu0 or ilut");
  if (Kind::is_symmetric) require_positive_diagonal(whole, name);
  return whole;
}

template <class Space, class T, class Kind>
auto IncompleteLu<Space, T, Kind>::make(const Space& space, const SpaceCsr<Space, T>& a, const Options& options,
                                        const StopRequest& stop, const MemoryBudget& budget) -> Made {
  if constexpr (Space::on_device && Kind::zero_fill.has_value()) {
    return make(Analysis<Space, T>(space, a), options, stop, budget);
  } else {
    return make_on_host(space, a, options, stop, budget);
  }
}

template <class Space, class T, class Kind>
auto IncompleteLu<Space, T, Kind>::make(const Analysis<Space, T>& analysis, const Options& options,
                                        const StopRequest& stop, const MemoryBudget& budget) -> Made {
  const Space& space = analysis.space();
  const SpaceCsr<Space, T>& a = analysis.matrix();
  if constexpr (Space::on_device && Kind::zero_fill.has_value()) {
    const bool is_exact = options.triangles.is_exact();
    if (suits_zero_fill<Kind>(analysis) && (is_exact || !options.preparation.match)) {
      ZeroFill<Space, T> zero_fill(space, a, *Kind::zero_fill, options.preparation, stop);
      return in_precision<T>(options.in_float, [&](auto v) -> Made {
        const std::size_t bytes = bytes_of(a.view().rows, zero_fill.nonzeros(), options) + zero_fill.bytes();
        budget.announce({bytes, is_exact ? Certainty::close : Certainty::rough});
        if (!is_exact) {
          const FactorsInPlace<Space> factors = zero_fill.factors(a, stop);
          return {approximate<decltype(v)>(space, options, stop, budget, factors),
                  static_cast<std::size_t>(factors.rows),
                  zero_fill.nonzeros(),
                  a.view().nonzeros(),
                  factors.boosted,
                  factors.shift};
        }
        auto [factored, outcome] = zero_fill.template make<decltype(v)>(a, stop);
        return {std::move(factored),  static_cast<std::size_t>(a.view().rows),
                zero_fill.nonzeros(), a.view().nonzeros(),
                outcome.boosted,      outcome.shift,
                std::move(zero_fill), analysis.pattern()};
      });
    }
  }
  return make_on_host(space, a, options, stop, budget);
}

template <class Space, class T, class Kind>
template <class V>
auto IncompleteLu<Space, T, Kind>::approximate(const Space& space, const Options& options, const StopRequest& stop,
                                               const MemoryBudget& budget, const auto&... factors)
    -> ApproximateFactored<Space, T, V> {
  const TriangularOptions triangles = detail::triangles_of(options);
  require_consistent(name, triangles);
  table<Kind>().require(name, options);
  return {space,
          factors...,
          triangles,
          Kind::is_symmetric,
          [&budget](const MemoryPrediction& memory) { budget.announce(memory); },
          stop};
}

/// The entries of factors that take at most so many bytes, and that the host has room for.
template <class Space, class T, class Kind>
Offset IncompleteLu<Space, T, Kind>::entries_within(std::size_t bytes, Index rows, const Options& options) {
  Offset within = rows, most = most_entries_on_host();
  while (within < most) {
    const Offset middle = most - (most - within) / 2;
    if (bound_of(rows, middle, options) <= bytes)
      within = middle;
    else
      most = middle - 1;
  }
  return most;
}

/// On a CPU, `ilut` takes small matrices in the order that is found quickly: set-up and solve take 0.57 of the time (76
/// real matrices, geometric mean, EPYC, 2026-11). On larger ones AMD left rajat01, bcspwr10 and zenios without
/// convergence; on a GPU the number of rows that don't wait for each other counts, also for `lu`.
template <class Space, class Kind>
PreparationOptions preparation_on(const typename Kind::Options& options, Index rows) {
  constexpr Index most_rows = 2000;
  PreparationOptions p = options.preparation;
  if (Space::on_device && p.order == Ordering::with_pivots) p.order = Ordering::best;
  if (!Space::on_device && std::is_same_v<Kind, IlutKind> && p.order == Ordering::best)
    p.order = rows <= most_rows ? Ordering::quick : Ordering::banded;
  return p;
}

template <class Space, class T, class Kind>
auto IncompleteLu<Space, T, Kind>::make_on_host(const Space& space, const SpaceCsr<Space, T>& a, const Options& options,
                                                const StopRequest& stop, const MemoryBudget& budget) -> Made {
  const Csr<double> whole = usable_copy(space, a);
  end_factoring_on(stop);
  const Index rows = whole.rows;
  // Otherwise the formats of the triangles, which are chosen later, say what they take.
  const bool is_exact = detail::triangles_of(options).is_exact();
  const Offset most_entries = is_exact ? entries_within(budget.most(), rows, options) : most_entries_on_host();
  const FactorMemory memory{
      most_entries, [&](Offset entries, Certainty certainty) {
        budget.announce(prediction(rows, entries, options, is_exact ? certainty : Certainty::rough));
      }};
  PreparationOptions preparation = preparation_on<Space, Kind>(options, rows);
  Preparation how = prepare(whole.view(), preparation, stop);
  try {
    Csr<double> ready = prepared(whole.view(), how);
    Factors f = Kind::factor(ready.view(), options, memory, stop);
    // Rows that depend on others come late in this order, and get pivots that say nothing about them.
    if (f.boosted > 0 && preparation.order == Ordering::with_pivots && how.order == Ordering::colamd) {
      preparation.order = Ordering::best;
      how = prepare(whole.view(), preparation, stop);
      ready = prepared(whole.view(), how);
      f = Kind::factor(ready.view(), options, memory, stop);
    }
    if (is_exact) {
      constexpr bool pivots = std::is_same_v<Kind, IlutKind> || std::is_same_v<Kind, LuKind>;
      require_bounded_growth(name, f, ready.view(), whole.view(), f.boosted, options.in_float || sizeof(T) == 4,
                             pivots ? "A is singular, or nearly so; use --precond jacobi, or --solver lsmr"
                                    : "use --precond ilut, which pivots");
    }
    ready = {};
    const Offset entries = f.nonzeros();
    const Index boosted = f.boosted;
    const double shift = f.shift;
    const Index nulls = f.null_pivots;
    return in_precision<T>(options.in_float, [&](auto v) -> Made {
      using Exact = Factored<Space, T, decltype(v)>;
      return {is_exact ? AnyFactored(Exact(space, std::move(f), how))
                       : AnyFactored(approximate<decltype(v)>(space, options, stop, budget, f, how)),
              static_cast<std::size_t>(rows),
              entries,
              whole.nonzeros(),
              boosted,
              shift,
              {},
              {},
              nulls};
    });
  } catch (const TooManyEntries&) {
    budget.announce({bound_of(rows, memory.most_entries + 1, options), Certainty::at_least});
    throw MemoryLimitError(std::string(name) + ": takes more than the " +
                           bytes_text(static_cast<double>(memory.most_entries) * bytes_while_made) +
                           " of host memory that are free while it is made; use --precond jacobi");
  }
}

template <class Space, class T, class Kind>
void IncompleteLu<Space, T, Kind>::update_values(const Analysis<Space, T>& analysis) {
  require_rows(name, analysis.structure(), made_.rows);
  if constexpr (Space::on_device && Kind::zero_fill.has_value()) {
    if (made_.zero_fill && !options_.preparation.match && suits_zero_fill<Kind>(analysis) &&
        analysis.pattern() == made_.pattern) {
      revision_.renew();
      const auto outcome = std::visit(
          [&](auto& f) {
            if constexpr (requires { f.lower(); }) {
              return made_.zero_fill->factor(analysis.matrix(), f);
            } else {
              return typename ZeroFill<Space, T>::Outcome{};  // never called: these factors come from the host
            }
          },
          made_.factored);
      made_.boosted = outcome.boosted;
      made_.shift = outcome.shift;
      return;
    }
  }
  *this = IncompleteLu(analysis, options_);
}

template <class Space, class T, class Kind>
std::string IncompleteLu<Space, T, Kind>::remarks() const {
  char text[96];
  const double fill =
      static_cast<double>(made_.nonzeros) / static_cast<double>(std::max<Offset>(made_.entries_of_a, 1));
  const int size = std::snprintf(text, sizeof text, "%.3g times the entries of A", fill);
  if (made_.boosted > 0) {
    std::snprintf(text + size, sizeof text - static_cast<std::size_t>(size), ", %d %s raised", made_.boosted,
                  made_.boosted == 1 ? "pivot" : "pivots");
  }
  std::string all = text;
  if (made_.shift > 0) all += ", of A + " + text_of(made_.shift) + " diag(A)";
  if (works_in_float()) all += ", in float";
  std::visit(
      [&](const auto& f) {
        if constexpr (requires { f.remarks(); }) all += ", " + f.remarks();
      },
      made_.factored);
  return all;
}

template <class Space, class T, class Kind>
double IncompleteLu<Space, T, Kind>::seconds() const {
  return std::visit(
      [](const auto& f) {
        if constexpr (requires { f.seconds(); }) return f.seconds();
        return 0.0;
      },
      made_.factored);
}

#define OSTINATO_INSTANTIATE(Kind)                 \
  template class IncompleteLu<Host, float, Kind>;  \
  template class IncompleteLu<Host, double, Kind>; \
  template class IncompleteLu<Cuda, float, Kind>;  \
  template class IncompleteLu<Cuda, double, Kind>;
OSTINATO_INSTANTIATE(Ilu0Kind)
OSTINATO_INSTANTIATE(IlukKind)
OSTINATO_INSTANTIATE(IlutKind)
OSTINATO_INSTANTIATE(LuKind)
OSTINATO_INSTANTIATE(Ic0Kind)
OSTINATO_INSTANTIATE(IctKind)
OSTINATO_INSTANTIATE(CholeskyKind)

OSTINATO_DEFINE_PRECONDITIONER(ilu0, Ilu0)
OSTINATO_DEFINE_PRECONDITIONER(iluk, Iluk)
OSTINATO_DEFINE_PRECONDITIONER(ilut, Ilut)
OSTINATO_DEFINE_PRECONDITIONER(lu, Lu)
OSTINATO_DEFINE_PRECONDITIONER(ic0, Ic0)
OSTINATO_DEFINE_PRECONDITIONER(ict, Ict)
OSTINATO_DEFINE_PRECONDITIONER(cholesky, CompleteCholesky)

}  // namespace ostinato
