// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/ilu/incomplete_lu_definition.hpp>

#include <algorithm>

#include <ostinato/preconditioners/define_entry.hpp>
#include <ostinato/spmv/space/list.hpp>

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

/// Kinds whose columns may change places are those with `pivot`.
template <class Kind>
std::vector<std::pair<std::string_view, Ordering>> orderings() {
  std::vector<std::pair<std::string_view, Ordering>> words = {
      {"natural", Ordering::natural}, {"rcm", Ordering::rcm}, {"nd", Ordering::nd}, {"amd", Ordering::amd}};
  if (std::is_same_v<Kind, IlutKind> || std::is_same_v<Kind, LuKind>) words.emplace_back("colamd", Ordering::colamd);
  return words;
}

}  // namespace

template <class Kind>
const OptionTable<typename Kind::Options>& incomplete_lu_definition::table() {
  using O = typename Kind::Options;
  static const auto known = [] {
    auto all = own_options<Kind>().words(
        "order", [](auto& o) -> auto& { return o.preparation.order; }, orderings<Kind>());
    if (!Kind::is_symmetric)
      all = std::move(all).yes_no(
          "match", [](auto& o) -> auto& { return o.preparation.match; });
    return std::move(all).words("precision", &O::in_float, {{"double", false}, {"float", true}});
  }();
  return known;
}

template const OptionTable<Ilu0Kind::Options>& incomplete_lu_definition::table<Ilu0Kind>();
template const OptionTable<IlukKind::Options>& incomplete_lu_definition::table<IlukKind>();
template const OptionTable<IlutKind::Options>& incomplete_lu_definition::table<IlutKind>();
template const OptionTable<LuKind::Options>& incomplete_lu_definition::table<LuKind>();
template const OptionTable<Ic0Kind::Options>& incomplete_lu_definition::table<Ic0Kind>();
template const OptionTable<IctKind::Options>& incomplete_lu_definition::table<IctKind>();
template const OptionTable<CholeskyKind::Options>& incomplete_lu_definition::table<CholeskyKind>();

namespace {

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
auto with_limit(std::string_view name, double fill, Offset entries, const FactorMemory& memory, F factor) {
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
    throw ArgumentError(std::string(name) + ": the factors take more than " + incomplete_lu_definition::text_of(fill) +
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

bool equals_transpose(const CsrView<double>& a) {
  const Csr<double> t = transpose(a);
  return std::equal(t.row_ptr.begin(), t.row_ptr.end(), a.row_ptr.begin(), a.row_ptr.end()) &&
         std::equal(t.col.begin(), t.col.end(), a.col.begin(), a.col.end()) &&
         std::equal(t.val.begin(), t.val.end(), a.val.begin(), a.val.end());
}

[[noreturn]] void refuse_null_pivot() {
  throw ArgumentError("lu: a pivot is nearly 0, as for a singular matrix; take raise=yes, or ilut");
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
  incomplete_lu_definition::table<IlukKind>().require(name, options);
  return factor_iluk(a, {.level = options.level}, memory, stop);
}

Offset IlutKind::predict_entries(const Structure& s, const Options& options) {
  return entries_of(s, options.factors.fill);
}

Factors IlutKind::factor(const CsrView<double>& a, const Options& options, const FactorMemory& memory,
                         const StopRequest& stop) {
  incomplete_lu_definition::table<IlutKind>().require(name, options);
  require_between(name, "fill", options.factors.fill, 1);
  IlutOptions within = options.factors;
  within.fill = fill_within(within.fill, a.nonzeros(), memory);
  return factor_ilut(a, within, memory.most_entries, stop);
}

std::optional<LibraryFactorOptions> LuKind::options_for_library(const Options& options, bool is_symmetric) {
  incomplete_lu_definition::table<LuKind>().require(name, options);
  if (options.in_float || options.preparation.order != Ordering::with_pivots) return {};
  LibraryFactorOptions how{.match = options.preparation.match,
                           .pivot = options.pivot / 10,
                           .most_seconds = options.preparation.most_seconds,
                           .order = options.known_order};
  if (is_symmetric) {
    how.kind = LibraryFactorOptions::Kind::symmetric;
    how.pivot /= 100;  // pivots that are put off fill much; what is lost, the iterations make good
  }
  return how;
}

std::optional<LibraryFactors> LuKind::factor_by_library(const CsrView<double>& a, const Options& options,
                                                        const FactorMemory& memory, const StopRequest& stop,
                                                        bool takes_bands) {
  // What is small beside A may decide where A is nearly singular, so that one triangle may be another matrix.
  std::optional<LibraryFactorOptions> how = options_for_library(options, equals_transpose(a));
  if (!how) return {};
  how->takes_bands = takes_bands;
  std::optional<LibraryFactors> f =
      with_limit(name, options.fill, a.nonzeros(), memory,
                 [&](const FactorMemory& within) { return LibraryFactors::make(a, *how, within, stop); });
  if (f && f->kept().null_pivots() > 0 && !options.raise) refuse_null_pivot();
  return f;
}

Factors LuKind::factor(const CsrView<double>& a, const Options& options, const FactorMemory& memory,
                       const StopRequest& stop) {
  incomplete_lu_definition::table<LuKind>().require(name, options);
  IlutOptions complete{.drop = 0, .fill = std::numeric_limits<double>::infinity(), .pivot = options.pivot};
  if (!options.raise) complete.most_raised = 0;
  Factors f = with_limit(name, options.fill, a.nonzeros(), memory,
                         [&](const FactorMemory& within) { return factor_completely(a, complete, within, stop); });
  if (f.boosted > 0 && !options.raise) refuse_null_pivot();
  return f;
}

Offset Ic0Kind::predict_entries(const Structure& s, const Options&) { return s.nonzeros; }

Factors Ic0Kind::factor(const CsrView<double>& a, const Options&, const FactorMemory& memory, const StopRequest& stop) {
  return factor_ic(a, {}, memory.most_entries, stop);
}

Offset IctKind::predict_entries(const Structure& s, const Options& options) { return entries_of(s, options.fill); }

Factors IctKind::factor(const CsrView<double>& a, const Options& options, const FactorMemory& memory,
                        const StopRequest& stop) {
  incomplete_lu_definition::table<IctKind>().require(name, options);
  require_between(name, "fill", options.fill, 1);
  const double fill = fill_within(options.fill, a.nonzeros(), memory);
  return factor_ic(a, {.fill = true, .drop = options.drop, .most_fill = fill}, memory.most_entries, stop);
}

std::optional<LibraryFactorOptions> CholeskyKind::options_for_library(const Options& options, bool) {
  if (options.in_float || options.preparation.match || options.preparation.order != Ordering::least_work) return {};
  return LibraryFactorOptions{.kind = LibraryFactorOptions::Kind::definite,
                              .most_seconds = options.preparation.most_seconds,
                              .order = options.known_order};
}

std::optional<LibraryFactors> CholeskyKind::factor_by_library(const CsrView<double>& a, const Options& options,
                                                              const FactorMemory& memory, const StopRequest& stop,
                                                              bool takes_bands) {
  std::optional<LibraryFactorOptions> how = options_for_library(options, true);
  if (!how) return {};
  how->takes_bands = takes_bands;
  return with_limit(name, options.fill, a.nonzeros(), memory,
                    [&](const FactorMemory& within) { return LibraryFactors::make(a, *how, within, stop); });
}

Factors CholeskyKind::factor(const CsrView<double>& a, const Options& options, const FactorMemory& memory,
                             const StopRequest& stop) {
  return with_limit(name, options.fill, a.nonzeros(), memory,
                    [&](const FactorMemory& within) { return factor_cholesky(a, within, stop); });
}

#define OSTINATO_INSTANTIATE(Space, T)             \
  template class IncompleteLu<Space, T, Ilu0Kind>; \
  template class IncompleteLu<Space, T, IlukKind>; \
  template class IncompleteLu<Space, T, IlutKind>; \
  template class IncompleteLu<Space, T, LuKind>;   \
  template class IncompleteLu<Space, T, Ic0Kind>;  \
  template class IncompleteLu<Space, T, IctKind>;  \
  template class IncompleteLu<Space, T, CholeskyKind>
OSTINATO_FOR_ALL(OSTINATO_INSTANTIATE);

OSTINATO_DEFINE_PRECONDITIONER(ilu0, Ilu0)
OSTINATO_DEFINE_PRECONDITIONER(iluk, Iluk)
OSTINATO_DEFINE_PRECONDITIONER(ilut, Ilut)
OSTINATO_DEFINE_PRECONDITIONER(lu, Lu)
OSTINATO_DEFINE_PRECONDITIONER(ic0, Ic0)
OSTINATO_DEFINE_PRECONDITIONER(ict, Ict)
OSTINATO_DEFINE_PRECONDITIONER(cholesky, CompleteCholesky)

}  // namespace ostinato
