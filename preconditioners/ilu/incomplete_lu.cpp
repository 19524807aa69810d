// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/ilu/incomplete_lu_definition.hpp>

#include <ostinato/preconditioners/define_entry.hpp>
#include <ostinato/spmv/space/list.hpp>

namespace ostinato {

namespace {

/// colamd is for factors whose columns change places.
bool read_ordering(std::string_view value, bool with_pivots, Ordering& to) {
  if (value == "natural") return to = Ordering::natural, true;
  if (value == "rcm") return to = Ordering::rcm, true;
  if (value == "nd") return to = Ordering::nd, true;
  if (value == "amd") return to = Ordering::amd, true;
  if (value == "colamd" && with_pivots) return to = Ordering::colamd, true;
  return false;
}

bool read_yes_no(std::string_view value, bool& to) {
  if (value != "yes" && value != "no") return false;
  to = value == "yes";
  return true;
}

bool read_solve(std::string_view value, TriangularSolve& to) {
  constexpr std::array<std::string_view, 4> names = {"auto", "exact", "jacobi", "isai"};
  const auto found = std::find(names.begin(), names.end(), value);
  if (found == names.end()) return false;
  return to = static_cast<TriangularSolve>(found - names.begin()), true;
}

/// The options of how a matrix is prepared and factors are kept, and those before them.
template <class Options>
void read_with_preparation(std::string_view name, std::string_view text, Options& to,
                           std::vector<PreconditionerOption> options, bool may_match = true) {
  PreparationOptions& p = to.preparation;
  constexpr bool with_pivots = requires { to.pivot; }
  || requires { to.factors.pivot; };
  options.push_back({"order", with_pivots ? "natural|rcm|nd|amd|colamd" : "natural|rcm|nd|amd",
                     [&](std::string_view v) { return read_ordering(v, with_pivots, p.order); }});
  if (may_match) options.push_back({"match", "yes|no", [&](std::string_view v) { return read_yes_no(v, p.match); }});
  options.push_back({"precision", "double|float", [&](std::string_view v) {
                       to.in_float = v == "float";
                       return v == "float" || v == "double";
                     }});
  if constexpr (requires { to.triangles; }) {
    TriangularOptions& t = to.triangles;
    options.push_back({"solve", "auto|exact|jacobi|isai", [&](std::string_view v) { return read_solve(v, t.solve); }});
    options.push_back({"sweeps", "1..1000", [&](std::string_view v) { return read_number(v, 1, 1000, t.sweeps); }});
    options.push_back({"power", "1|2", [&](std::string_view v) { return read_number(v, 1, 2, t.power); }});
  }
  read_options(name, text, options);
  if constexpr (requires { to.triangles; }) incomplete_lu_definition::require_consistent(name, to.triangles);
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

}  // namespace

Ilu0Kind::Options Ilu0Kind::parse_options(std::string_view text) {
  Options o;
  read_with_preparation(name, text, o, {});
  return o;
}

Factors Ilu0Kind::factor(const CsrView<double>& a, const Options&, const FactorMemory& memory,
                         const StopRequest& stop) {
  return factor_iluk(a, {.level = 0}, memory, stop);
}

/// A matching leaves no row without a diagonal entry, unless A is structurally singular.
Offset Ilu0Kind::predict_entries(const Structure& s, const Options& options) {
  return s.nonzeros + (options.preparation.match ? 0 : s.missing_diagonal);
}

IlukKind::Options IlukKind::parse_options(std::string_view text) {
  Options o;
  read_with_preparation(name, text, o,
                        {{"level", "0..100", [&](std::string_view v) { return read_number(v, 0, 100, o.level); }}});
  return o;
}

Factors IlukKind::factor(const CsrView<double>& a, const Options& options, const FactorMemory& memory,
                         const StopRequest& stop) {
  require_between(name, "level", options.level, 0, 100);
  return factor_iluk(a, {.level = options.level}, memory, stop);
}

IlutKind::Options IlutKind::parse_options(std::string_view text) {
  Options o;
  read_with_preparation(name, text, o,
                        {{"drop", "0..1", [&](std::string_view v) { return read_real(v, 0, 1, o.factors.drop); }},
                         {"fill", "1..1000", [&](std::string_view v) { return read_real(v, 1, 1000, o.factors.fill); }},
                         {"pivot", "0..1", [&](std::string_view v) { return read_real(v, 0, 1, o.factors.pivot); }}});
  return o;
}

Offset IlutKind::predict_entries(const Structure& s, const Options& options) {
  return entries_of(s, options.factors.fill);
}

Factors IlutKind::factor(const CsrView<double>& a, const Options& options, const FactorMemory& memory,
                         const StopRequest& stop) {
  require_between(name, "drop", options.factors.drop, 0, 1);
  require_between(name, "fill", options.factors.fill, 1);
  require_between(name, "pivot", options.factors.pivot, 0, 1);
  IlutOptions within = options.factors;
  within.fill = fill_within(within.fill, a.nonzeros(), memory);
  return factor_ilut(a, within, memory.most_entries, stop);
}

LuKind::Options LuKind::parse_options(std::string_view text) {
  Options o;
  read_with_preparation(name, text, o,
                        {{"fill", "1..100000", [&](std::string_view v) { return read_real(v, 1, 100000, o.fill); }},
                         {"pivot", "0..1", [&](std::string_view v) { return read_real(v, 0, 1, o.pivot); }},
                         {"raise", "yes|no", [&](std::string_view v) { return read_yes_no(v, o.raise); }},
                         {"seconds", "0..1000000",
                          [&](std::string_view v) { return read_real(v, 0, 1e6, o.preparation.most_seconds); }}});
  return o;
}

Factors LuKind::factor(const CsrView<double>& a, const Options& options, const FactorMemory& memory,
                       const StopRequest& stop) {
  require_between(name, "pivot", options.pivot, 0, 1);
  IlutOptions complete{.drop = 0, .fill = std::numeric_limits<double>::infinity(), .pivot = options.pivot};
  if (!options.raise) complete.most_raised = 0;
  Factors f = with_limit(name, options.fill, a.nonzeros(), memory,
                         [&](const FactorMemory& within) { return factor_completely(a, complete, within, stop); });
  if (f.boosted == 0 || options.raise) return f;
  throw ArgumentError(std::string(name) + ": a pivot is nearly 0, as for a singular matrix; take raise=yes, or ilut");
}

Ic0Kind::Options Ic0Kind::parse_options(std::string_view text) {
  Options o;
  read_with_preparation(name, text, o, {}, false);
  return o;
}

Offset Ic0Kind::predict_entries(const Structure& s, const Options&) { return s.nonzeros; }

Factors Ic0Kind::factor(const CsrView<double>& a, const Options&, const FactorMemory& memory, const StopRequest& stop) {
  return factor_ic(a, {}, memory.most_entries, stop);
}

IctKind::Options IctKind::parse_options(std::string_view text) {
  Options o;
  read_with_preparation(name, text, o,
                        {{"drop", "0..1", [&](std::string_view v) { return read_real(v, 0, 1, o.drop); }},
                         {"fill", "1..1000", [&](std::string_view v) { return read_real(v, 1, 1000, o.fill); }}},
                        false);
  return o;
}

Offset IctKind::predict_entries(const Structure& s, const Options& options) { return entries_of(s, options.fill); }

Factors IctKind::factor(const CsrView<double>& a, const Options& options, const FactorMemory& memory,
                        const StopRequest& stop) {
  require_between(name, "drop", options.drop, 0, 1);
  require_between(name, "fill", options.fill, 1);
  const double fill = fill_within(options.fill, a.nonzeros(), memory);
  return factor_ic(a, {.fill = true, .drop = options.drop, .most_fill = fill}, memory.most_entries, stop);
}

CholeskyKind::Options CholeskyKind::parse_options(std::string_view text) {
  Options o;
  read_with_preparation(name, text, o,
                        {{"fill", "1..100000", [&](std::string_view v) { return read_real(v, 1, 100000, o.fill); }}},
                        false);
  return o;
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
