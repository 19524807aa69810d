// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/preconditioners/ilu/incomplete_lu.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>
#include <vector>

#include <ostinato/preconditioners/contract/option_text.hpp>
#include <ostinato/preconditioners/contract/require_rows.hpp>
#include <ostinato/preconditioners/ilu/band.hpp>
#include <ostinato/preconditioners/ilu/cholesky.hpp>
#include <ostinato/preconditioners/ilu/complete_entries.hpp>
#include <ostinato/preconditioners/ilu/growth.hpp>
#include <ostinato/preconditioners/ilu/lu_order.hpp>
#include <ostinato/preconditioners/nearly_symmetric.hpp>
#include <ostinato/preconditioners/triangular/condition_estimate.hpp>
#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/message.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/base/units.hpp>
#include <ostinato/spmv/space/concept.hpp>
#include <ostinato/spmv/space/memory.hpp>

namespace ostinato {

namespace incomplete_lu_definition {

/// What the options of a kind are called in a text, and what they may be.
template <class Kind>
const OptionTable<typename Kind::Options>& table();

/// Calls make(V{}) with the type in which factors under T are kept.
template <class T, class F>
auto in_precision(bool in_float, F make) {
  if constexpr (!is_single<T>) {
    if (in_float) return make(float{});
  }
  return make(T{});
}

inline std::string text_of(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", number);
  return text;
}

/// The bytes of host memory that an entry of the factors takes while an object is made: they are there in four copies.
inline constexpr std::size_t bytes_while_made = 4 * (sizeof(double) + sizeof(Index));

/// In half of the host's memory, and in what is free of it.
inline Offset most_entries_on_host() {
  return static_cast<Offset>(std::min(host_memory() / 2, free_host_memory()) / bytes_while_made);
}

/// Throws    MemoryLimitError: the factors have more entries than that.
[[noreturn]] inline void refuse_more_entries(std::string_view name, Offset most_entries) {
  throw MemoryLimitError(std::string(name) + ": takes more than the " +
                         bytes_text(static_cast<double>(most_entries) * bytes_while_made) +
                         " of host memory that are free while it is made; use preconditioner jacobi");
}

/// Whether a matrix can be factored in the memory of a space. What can't is left to the host, which says why, or looks
/// closer: at a matrix that is symmetric but for rounding.
template <class Kind, class Space, class T>
bool suits_zero_fill(const Analysis<Space, T>& analysis) {
  const Structure& s = analysis.structure();
  return s.rows == s.cols && s.finite && (!Kind::is_symmetric || (s.symmetric && s.positive_diagonal));
}

/// The factors of a matrix as it was prepared.
struct PreparedFactors {
  Preparation how;
  Factors factors;
};

/// Prepares and factors a matrix on the host. Factors are refused where they have grown too much for the type that they
/// are kept in.
template <class T, class Kind>
PreparedFactors factored_on_host(const Csr<double>& whole, const typename Kind::Options& options,
                                 PreparationOptions preparation, const FactorMemory& memory, const StopRequest& stop) {
  Preparation how = prepare(whole.view(), preparation, stop);
  Csr<double> ready = prepared(whole.view(), how);
  Factors f = Kind::factor(ready.view(), options, memory, stop);
  // Rows that depend on others come late in this order, and get pivots that say nothing about them.
  if (f.boosted > 0 && preparation.order == Ordering::with_pivots && how.order == Ordering::colamd) {
    preparation.order = Ordering::best;
    how = prepare(whole.view(), preparation, stop);
    ready = prepared(whole.view(), how);
    f = Kind::factor(ready.view(), options, memory, stop);
  }
  constexpr bool pivots = std::is_same_v<Kind, IlutKind> || std::is_same_v<Kind, LuKind>;
  require_bounded_growth(Kind::name, f, ready.view(), whole.view(), f.boosted, options.in_float || is_single<T>,
                         pivots ? "A is singular, or nearly so; use preconditioner jacobi, or solver lsmr"
                                : "use preconditioner ilut, which pivots");
  return {std::move(how), std::move(f)};
}

/// Whether pivots that are nearly 0 may be raised. Those of a definite matrix aren't.
template <class Options>
bool may_raise(const Options& options) {
  if constexpr (requires { options.raise; }) return options.raise;
  return false;
}

/// The inverse by factors on a GPU, of vectors in host memory.
template <class T>
InverseMap inverse_on_host(const FactorsOnGpu<T>& f) {
  const auto map = [&f](auto solve) {
    return [&f, solve](std::span<double> v) {
      std::vector<T> moved(v.begin(), v.end());
      Vector<Cuda, T> r(f.space(), moved.size()), z(f.space(), moved.size());
      f.space().upload(r.data(), moved.data(), moved.size() * sizeof(T));
      solve(r.span(), z.span());
      f.space().download(moved.data(), z.data(), moved.size() * sizeof(T));
      std::copy(moved.begin(), moved.end(), v.begin());
    };
  };
  return {map([&f](std::span<const T> r, std::span<T> z) { f.solve(r, z); }),
          map([&f](std::span<const T> r, std::span<T> z) { f.solve_transposed(r, z); })};
}

/// Whether an inverse takes away most of A v, for some v. cuDSS returns wrong factors of some matrices without a word.
inline bool is_inverse(const CsrView<double>& a, const InverseMap& inverse) {
  constexpr double most_left = 0.01;
  std::vector<double> b(static_cast<std::size_t>(a.rows), 0);
  const auto add_rows = [&a](auto add) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(a.rows); ++i)
      for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k)
        add(i, static_cast<std::size_t>(a.col[k]), a.val[k]);
  };
  add_rows([&](std::size_t i, std::size_t j, double value) { b[i] += value * (1 + static_cast<double>(j % 7)); });
  std::vector<double> x = b, left = b;
  inverse.apply(x);
  add_rows([&](std::size_t i, std::size_t j, double value) { left[i] -= value * x[j]; });
  double of_left = 0, of_b = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    of_left = std::max(of_left, std::abs(left[i]));
    of_b = std::max(of_b, std::abs(b[i]));
    if (!std::isfinite(left[i])) return false;
  }
  return of_left <= most_left * of_b;
}

/// The condition number of a matrix whose complete factors are at hand.
template <class T, class Kind>
Condition condition_of(const Csr<double>& whole, const PreparedFactors& made) {
  if (!std::is_same_v<Kind, LuKind> && !std::is_same_v<Kind, CholeskyKind>) return {};
  return estimate_condition(whole.view(), made.factors, made.how, std::numeric_limits<T>::epsilon());
}

}  // namespace incomplete_lu_definition

template <class Space, class T, class Kind>
std::string IncompleteLu<Space, T, Kind>::known_options() {
  return incomplete_lu_definition::table<Kind>().text();
}

template <class Space, class T, class Kind>
auto IncompleteLu<Space, T, Kind>::parse_options(std::string_view text) -> Options {
  return incomplete_lu_definition::table<Kind>().read(name, text);
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
    throw ArgumentError(std::string(name) + ": the matrix isn't square; use preconditioner none");
  for (const double v : whole.val) {
    if (!std::isfinite(v))
      throw ArgumentError(std::string(name) + ": the matrix holds NaN or infinity; use preconditioner none");
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
  if constexpr (!is_host<Space> && Kind::zero_fill.has_value()) {
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
  if constexpr (!is_host<Space> && Kind::zero_fill.has_value()) {
    if (incomplete_lu_definition::suits_zero_fill<Kind>(analysis)) {
      ZeroFill<Space, T> zero_fill(space, a, *Kind::zero_fill, options.preparation, stop);
      return incomplete_lu_definition::in_precision<T>(options.in_float, [&](auto v) -> Made {
        const std::size_t bytes = bytes_of(a.view().rows, zero_fill.nonzeros(), options) + zero_fill.bytes();
        budget.announce({bytes, Certainty::close});
        auto [factored, outcome] = zero_fill.template make<decltype(v)>(a, stop);
        return {std::move(factored),  static_cast<std::size_t>(a.view().rows),
                zero_fill.nonzeros(), a.view().nonzeros(),
                outcome.boosted,      outcome.shift,
                std::move(zero_fill), analysis.pattern()};
      });
    }
  }
  if constexpr (may_be_on_gpu) {
    if (!FactorsOnGpu<T>::library().empty()) {
      std::optional<Made> made = make_quickly_on_host(analysis, options, stop, budget);
      if (!made) made = make_on_gpu(analysis, options, stop, budget);
      if (made) return *std::move(made);
    }
  }
  return make_on_host(space, a, options, stop, budget);
}

/// The entries of factors that take at most so many bytes, and that the host has room for.
template <class Space, class T, class Kind>
Offset IncompleteLu<Space, T, Kind>::entries_within(std::size_t bytes, Index rows, const Options& options) {
  Offset within = rows, most = incomplete_lu_definition::most_entries_on_host();
  while (within < most) {
    const Offset middle = most - (most - within) / 2;
    if (bound_of(rows, middle, options) <= bytes)
      within = middle;
    else
      most = middle - 1;
  }
  return most;
}

template <class Space, class T, class Kind>
FactorMemory IncompleteLu<Space, T, Kind>::memory_on_host(Index rows, const Options& options,
                                                          const MemoryBudget& budget) {
  return {entries_within(budget.most(), rows, options), [rows, &options, &budget](Offset entries, Certainty certainty) {
            budget.announce(prediction(rows, entries, options, certainty));
          }};
}

/// On a CPU, `ilut` takes small matrices in the order that is found quickly: set-up and solve take 0.57 of the time (76
/// real matrices, geometric mean, EPYC, 2026-11). On larger ones, such as rajat01, bcspwr10 and zenios, solves with AMD
/// may not converge; on a GPU the number of rows that don't wait for each other counts, also for `lu`.
template <class Space, class Kind>
PreparationOptions preparation_on(const typename Kind::Options& options, Index rows) {
  constexpr Index most_rows = 2000;
  PreparationOptions p = options.preparation;
  if (Space::has_streams && p.order == Ordering::with_pivots) p.order = Ordering::best;
  if (!Space::has_streams && std::is_same_v<Kind, IlutKind> && p.order == Ordering::best)
    p.order = rows <= most_rows ? Ordering::quick : Ordering::banded;
  return p;
}

template <class Space, class T, class Kind>
auto IncompleteLu<Space, T, Kind>::make_on_host(const Space& space, const SpaceCsr<Space, T>& a, const Options& options,
                                                const StopRequest& stop, const MemoryBudget& budget) -> Made {
  const Csr<double> whole = usable_copy(space, a);
  end_factoring_on(stop);
  const Index rows = whole.rows;
  const FactorMemory memory = memory_on_host(rows, options, budget);
  try {
    if constexpr (may_be_by_library) {
      std::optional<LibraryFactors> made =
          Kind::factor_by_library(whole.view(), options, memory, stop, !is_host<Space>);
      if (made) return made_by_library(space, whole, *std::move(made));
    }
    incomplete_lu_definition::PreparedFactors made = incomplete_lu_definition::factored_on_host<T, Kind>(
        whole, options, preparation_on<Space, Kind>(options, rows), memory, stop);
    Factors& f = made.factors;
    const Offset entries = f.nonzeros();
    const Index boosted = f.boosted, nulls = f.null_pivots;
    const double shift = f.shift;
    const Condition condition = incomplete_lu_definition::condition_of<T, Kind>(whole, made);
    return incomplete_lu_definition::in_precision<T>(options.in_float, [&](auto v) -> Made {
      using Exact = Factored<Space, T, decltype(v)>;
      return {Exact(space, std::move(f), made.how),
              static_cast<std::size_t>(rows),
              entries,
              whole.nonzeros(),
              boosted,
              shift,
              {},
              {},
              nulls,
              condition};
    });
  } catch (const TooManyEntries&) {
    budget.announce({bound_of(rows, memory.most_entries + 1, options), Certainty::at_least});
    incomplete_lu_definition::refuse_more_entries(name, memory.most_entries);
  }
}

template <class Space, class T, class Kind>
auto IncompleteLu<Space, T, Kind>::make_quickly_on_host(const Analysis<Space, T>& analysis, const Options& options,
                                                        const StopRequest& stop, const MemoryBudget& budget)
    -> std::optional<Made>
requires may_be_on_gpu {
  const Structure& s = analysis.structure();
  const double on_gpu = FactorsOnGpu<T>::predicted_seconds(s.rows);
  if (!Kind::options_for_library(options, s.symmetric) || typical_lu_seconds(s) > on_gpu) return {};
  Options quick = options;
  quick.preparation.most_seconds = std::min(on_gpu, options.preparation.most_seconds);
  const Csr<double> whole = usable_copy(analysis.space(), analysis.matrix());
  const FactorMemory memory = memory_on_host(whole.rows, quick, budget);
  try {
    std::optional<LibraryFactors> made = Kind::factor_by_library(whole.view(), quick, memory, stop, true);
    if (!made) return {};
    return made_by_library(analysis.space(), whole, *std::move(made));
  } catch (const SlowFactors&) {
    return {};
  } catch (const TooManyEntries&) {
    return {};  // cuDSS has an order of its own
  }
}

template <class Space, class T, class Kind>
auto IncompleteLu<Space, T, Kind>::make_on_gpu(const Analysis<Space, T>& analysis, const Options& options,
                                               const StopRequest& stop, const MemoryBudget& budget)
    -> std::optional<Made>
requires may_be_on_gpu {
  const Structure& s = analysis.structure();
  const CsrView<T>& a = analysis.matrix().view();
  const auto how = Kind::options_for_library(options, s.symmetric);
  if (!how || s.rows != s.cols || !s.finite) return {};
  const double most = options.fill > 0 ? options.fill * static_cast<double>(s.nonzeros) : HUGE_VAL;
  const auto most_entries = most < 1e18 ? static_cast<Offset>(most) : std::numeric_limits<Offset>::max();
  std::optional<FactorsOnGpu<T>> made =
      FactorsOnGpu<T>::make(analysis.space(), a, how->kind, most_entries, budget, stop);
  if (!made || (made->raised_pivots() > 0 && !incomplete_lu_definition::may_raise(options))) return {};
  const Csr<double> whole = usable_copy(analysis.space(), analysis.matrix());
  const InverseMap inverse = incomplete_lu_definition::inverse_on_host(*made);
  if (!incomplete_lu_definition::is_inverse(whole.view(), inverse)) return {};
  Condition condition;
  if (made->raised_pivots() == 0)
    condition = estimate_condition(whole.view(), inverse, std::numeric_limits<T>::epsilon());
  const Index raised = made->raised_pivots();
  const Offset entries = made->nonzeros();
  return Made{
      *std::move(made), static_cast<std::size_t>(s.rows), entries, s.nonzeros, raised, 0, {}, analysis.pattern(), 0,
      condition};
}

template <class Space, class T, class Kind>
auto IncompleteLu<Space, T, Kind>::made_by_library(const Space& space, const Csr<double>& whole, LibraryFactors factors)
    -> Made requires may_be_by_library {
  const Index nulls = factors.kept().null_pivots();
  Condition condition;
  if (nulls == 0) {
    const InverseMap inverse{[&](std::span<double> v) { factors.solve(v); },
                             [&](std::span<double> v) { factors.solve_transposed(v); }};
    condition = estimate_condition(whole.view(), inverse, std::numeric_limits<T>::epsilon());
  }
  const Offset entries = factors.kept().nonzeros();
  return {ByLibrary(space, std::move(factors)),
          static_cast<std::size_t>(whole.rows),
          entries,
          whole.nonzeros(),
          nulls,
          0,
          {},
          {},
          nulls,
          condition};
}

template <class Space, class T, class Kind>
void IncompleteLu<Space, T, Kind>::update_values(const Analysis<Space, T>& analysis) {
  require_rows(name, analysis.structure(), made_.rows);
  if constexpr (!is_host<Space> && Kind::zero_fill.has_value()) {
    if (made_.zero_fill && !options_.preparation.match && incomplete_lu_definition::suits_zero_fill<Kind>(analysis) &&
        analysis.pattern() == made_.pattern) {
      revision_.renew();
      const auto outcome =
          std::visit([&](auto& f) { return made_.zero_fill->factor(analysis.matrix(), f); }, made_.factored);
      made_.boosted = outcome.boosted;
      made_.shift = outcome.shift;
      return;
    }
  }
  if constexpr (may_be_on_gpu) {
    auto* const kept = std::get_if<FactorsOnGpu<T>>(&made_.factored);
    const auto is_right = [&] {
      const Csr<double> whole = usable_copy(analysis.space(), analysis.matrix());
      return incomplete_lu_definition::is_inverse(whole.view(), incomplete_lu_definition::inverse_on_host(*kept));
    };
    if (kept != nullptr && analysis.pattern() == made_.pattern &&
        kept->update_values(analysis.matrix().view().val, is_right)) {
      revision_.renew();
      made_.boosted = kept->raised_pivots();
      made_.condition = {};
      return;
    }
  }
  Options options = options_;
  if constexpr (requires { options.known_order; }) {
    const ByLibrary* const kept = by_library();
    const bool fits = kept != nullptr && analysis.structure().nonzeros == made_.entries_of_a;
    options.known_order = fits ? kept->factors().order() : std::vector<Index>();
  }
  *this = IncompleteLu(analysis, std::move(options));
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
  if (made_.shift > 0) all += ", of A + " + incomplete_lu_definition::text_of(made_.shift) + " diag(A)";
  if (works_in_float()) all += ", in float";
  const auto add_maker = [&all](const std::string& library, Index negative) {
    all += ", by " + library;
    if (negative > 0) all += ", " + std::to_string(negative) + (negative == 1 ? " negative pivot" : " negative pivots");
  };
  if (const ByLibrary* const kept = by_library())
    add_maker(kept->factors().library(), kept->factors().negative_pivots());
  if constexpr (may_be_on_gpu) {
    if (on_gpu() != nullptr) add_maker(FactorsOnGpu<T>::library(), on_gpu()->negative_pivots());
  }
  return all;
}

}  // namespace ostinato
