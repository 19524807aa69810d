// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/preconditioners/multigrid/multigrid.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <utility>

#include <ostinato/preconditioners/contract/application.hpp>
#include <ostinato/preconditioners/contract/option_text.hpp>
#include <ostinato/preconditioners/contract/require_rows.hpp>
#include <ostinato/preconditioners/jacobi.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/cycle.hpp>
#include <ostinato/preconditioners/multigrid/end_levels.hpp>
#include <ostinato/preconditioners/multigrid/rate.hpp>
#include <ostinato/preconditioners/multigrid/structured/cycle.hpp>
#include <ostinato/spmv/analysis/pattern_hash.hpp>
#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/message.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/space/vector_steps.hpp>

namespace ostinato {

namespace multigrid_definition {

/// Of a cycle for vectors in float: z then stays in its range, however small r becomes.
inline constexpr double largest_power_in_float = 1e6;

inline constexpr int most_unknowns = 100;  // of a point, and most near-null vectors

/// What the options are called in a text, and what they may be.
const OptionTable<MultigridOptions>& table();

inline Smoother structured_smoother(const MultigridOptions& options) {
  return options.smoother.value_or(Smoother::jacobi);
}

inline int structured_sweeps(const MultigridOptions& options, const Structure& s) {
  if (options.sweeps > 0) return options.sweeps;
  return s.symmetric && structured_smoother(options) == Smoother::jacobi ? 1 : 2;
}

/// The eigenvalues of a matrix that isn't symmetric may be anywhere: Chebyshev makes some of them larger. Aggregation
/// is for symmetric matrices, also for those that rounding has made a little unsymmetric, as finite elements do.
inline Smoother algebraic_smoother(const MultigridOptions& options, const Structure& s) {
  const bool takes_chebyshev = s.symmetric || options.kind == MultigridKind::aggregation;
  return options.smoother.value_or(takes_chebyshev ? Smoother::chebyshev : Smoother::jacobi);
}

/// Whether interpolation is constant on groups, which have a K-cycle.
inline bool has_k_cycle(MultigridKind kind) { return kind == MultigridKind::pairwise || kind == MultigridKind::plain; }

inline bool has_preconditioner(const MultigridOptions& options) {
  return options.smoother && is_preconditioner(*options.smoother);
}

/// A K-cycle smooths its coarse grids more often, and a preconditioner smooths better than a diagonal does.
inline int algebraic_sweeps(const MultigridOptions& options) {
  if (options.sweeps > 0) return options.sweeps;
  return has_k_cycle(options.kind) || has_preconditioner(options) ? 1 : 2;
}

inline std::string rows_text(Index rows) { return std::to_string(rows) + (rows == 1 ? " row" : " rows"); }

[[noreturn]] inline void refuse(const std::string& why, std::string_view instead = "jacobi") {
  throw ArgumentError("multigrid: " + why + "; use preconditioner " + std::string(instead));
}

inline std::string smoother_text(const MultigridOptions& options) { return table().text_of_word("smoother", options); }

/// Refuses a matrix that multigrid doesn't take.
template <class Space, class T>
void require_suitable(const Structure& s) {
  const std::string why = Multigrid<Space, T>::why_not(s);
  if (!why.empty()) refuse(why, Jacobi<Space, T>::why_not(s).empty() ? "jacobi" : "none");
}

inline void require_usable(const MultigridOptions& options) {
  table().require("multigrid", options);
  if (has_k_cycle(options.kind) && options.reuse == MultigridReuse::interpolation)
    throw ArgumentError("multigrid: reuse=interpolation is for kind=classical and kind=aggregation");
  if (!options.coordinates.values.empty())
    require_between("multigrid", "coordinates.dimensions", options.coordinates.dimensions, 2, 3);
  if (has_preconditioner(options) && options.kind == MultigridKind::structured)
    throw ArgumentError("multigrid: " + smoother_text(options) + " is for other kinds than kind=structured");
  const bool for_aggregation = !options.coordinates.values.empty() || !options.near_null.empty();
  if (for_aggregation && options.kind != MultigridKind::aggregation)
    throw ArgumentError("multigrid: coordinates and near-null vectors are for kind=aggregation");
}

/// How the rows belong to points.
template <class Space, class T>
algebraic::Points points_of(const Analysis<Space, T>& analysis, const MultigridOptions& options) {
  const Index rows = analysis.structure().rows;
  int unknowns = options.unknowns > 0 ? options.unknowns : options.coordinates.dimensions;
  if (unknowns == 0 && may_have_several_unknowns(analysis.structure())) {
    const Grid& grid = analysis.grid();
    if (grid) return {rows / grid.unknowns, grid.unknowns, grid.by_field};
  }
  unknowns = std::max(1, unknowns);
  if (rows % unknowns != 0)
    throw ArgumentError("multigrid: " + rows_text(rows) + " can't have " + std::to_string(unknowns) +
                        " unknowns a point; give unknowns=K that divides the number of rows");
  return {rows / unknowns, unknowns};
}

inline bool is_finite(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
}

inline void require_coordinates(const PointCoordinates& c, const algebraic::Points& points) {
  require_between("multigrid", "coordinates.dimensions", c.dimensions, 2, 3);
  if (points.unknowns != c.dimensions)
    throw ArgumentError("multigrid: coordinates in " + std::to_string(c.dimensions) +
                        " dimensions are for as many unknowns a point, not " + std::to_string(points.unknowns) +
                        "; give near-null vectors instead");
  const auto have = c.values.size() / static_cast<std::size_t>(c.dimensions);
  if (c.values.size() != static_cast<std::size_t>(points.rows()))
    throw ArgumentError("multigrid: coordinates of " + std::to_string(have) + " points, but the matrix has " +
                        std::to_string(points.count) + " points with " + std::to_string(points.unknowns) +
                        " unknowns each");
  if (!is_finite(c.values)) throw ArgumentError("multigrid: not all coordinates are finite");
}

inline void require_vectors(const std::vector<double>& vectors, const algebraic::Points& points) {
  const auto rows = static_cast<std::size_t>(points.rows());
  if (rows == 0 || vectors.size() % rows != 0)
    throw ArgumentError("multigrid: near-null vectors of " + std::to_string(vectors.size()) +
                        " elements in all, which isn't a multiple of " + rows_text(points.rows()));
  if (vectors.size() / rows > static_cast<std::size_t>(most_unknowns))
    throw ArgumentError("multigrid: more than " + std::to_string(most_unknowns) + " near-null vectors");
  if (!is_finite(vectors)) throw ArgumentError("multigrid: not all near-null vectors are finite");
}

template <class Space, class T>
algebraic::AlgebraicOptions algebraic_options(const Analysis<Space, T>& analysis, const MultigridOptions& options) {
  algebraic::AlgebraicOptions made;
  made.aggressive = options.aggressive;
  if (options.smoother) made.smoother = *options.smoother;
  made.takes_values = options.reuse != MultigridReuse::none;
  made.threshold = options.threshold;
  if (options.kind != MultigridKind::aggregation && !has_k_cycle(options.kind)) return made;
  const algebraic::Points points = points_of(analysis, options);
  if (has_k_cycle(options.kind)) {
    (options.kind == MultigridKind::pairwise ? made.pairs : made.plain) = points;
    return made;
  }
  if (!options.near_null.empty()) {
    require_vectors(options.near_null, points);
    made.near_null = algebraic::given_vectors(points, options.near_null);
  } else if (options.coordinates.dimensions != 0 || !options.coordinates.values.empty()) {
    require_coordinates(options.coordinates, points);
    made.near_null = algebraic::rigid_body_modes(points, options.coordinates.values);
  } else {
    made.near_null = algebraic::constants(points);
  }
  return made;
}

/// What the levels of algebraic multigrid may take, before any of them is known: bytes for each row and each entry of
/// A, fitted to 12 generated and 16 real matrices (two cores of an AMD EPYC, 2026-11), where the measured bytes are 0.5
/// to 2 times as many, 2.5 for bcsstk21.
inline MemoryPrediction predict_levels(const Structure& s, const MultigridOptions& options) {
  struct Bytes {
    double row, entry;
  };
  const Bytes b = options.kind == MultigridKind::aggregation ? Bytes{75, 10}
                  : options.aggressive                       ? Bytes{60, 8.5}
                                                             : Bytes{110, 15};
  constexpr double inverse = 80e3;                     // of the coarsest level
  const bool has_coarse_levels = s.nonzeros > s.rows;  // a diagonal matrix hasn't
  const double for_updates = options.reuse == MultigridReuse::none || !has_coarse_levels ? 1 : 3;
  // Factors of as many entries as the levels have, and two vectors; not fitted.
  const Bytes of_smoother = has_preconditioner(options) ? Bytes{50, 10} : Bytes{0, 0};
  const double levels =
      (b.row + of_smoother.row) * s.rows + (b.entry + of_smoother.entry) * static_cast<double>(s.nonzeros) + inverse;
  return {static_cast<std::size_t>(for_updates * levels), Certainty::rough};
}

}  // namespace multigrid_definition

template <class Space, class T>
struct Multigrid<Space, T>::State {
  Space space;
  MultigridOptions options;
  std::size_t rows;
  Grid grid;  ///< none: algebraic
  /// Not on a grid. The cycle refers to its levels.
  std::optional<algebraic::AlgebraicHierarchy<Space, T>> algebraic;
  Smoother smoother = Smoother::jacobi;
  std::vector<multigrid::Cycle<Space>> cycles;  ///< one for each unknown of a point of a grid, or one
  Vector<Space, double> unused;                 ///< takes the dot product that apply() doesn't give
  OneThread one_thread;
  /// The cycles for vectors in float.
  struct Lower final : PreconditionerBase<Space, float> {
    State& state;
    explicit Lower(State& s) : PreconditionerBase<Space, float>(s.space), state(s) {}
    void apply(Block<const float> r, Block<float> z) const override {
      for (int k = 0; k < z.columns; ++k) apply(r.column(k), z.column(k), state.unused.data());
    }
    void apply_dot(Block<const float> r, Block<float> z, Slot<float> slots) const override {
      for (int k = 0; k < z.columns; ++k) {
        apply(r.column(k), z.column(k), slots + k);
        if (state.cycles.size() > 1) dot<float>(state.space, r.column(k), z.column(k), slots + k);
      }
    }

   private:
    void apply(std::span<const float> r, std::span<float> z, Slot<float> slot) const {
      const auto within = state.enter(r.size(), z.size());
      state.apply(r.data(), z.data(), slot);
    }
  };
  Lower lower{*this};
  double rate = 0;
  bool is_short_of_memory = false;  ///< coarsened aggressively, although nobody asked for that
  bool reused = false;

  /// What refill() and restore() need.
  struct Taken {
    LaterMark<Space> pattern;   ///< of A
    multigrid::Trial at_first;  ///< when the interpolations were made
    Vector<Space, T> values;    ///< of A, in the order of its entries
    double power = 1;
    Smoother smoother = Smoother::jacobi;
    double rate = 0;
    bool valid = true;  ///< the hierarchy is that of these values
  };
  std::optional<Taken> taken;  ///< unless MultigridReuse::none, the matrix that the hierarchy was made for

  State(const Analysis<Space, T>& analysis, const MultigridOptions& given, const StopRequest& stop,
        const MemoryBudget& memory)
      : space(analysis.space()),
        options(given),
        rows(static_cast<std::size_t>(analysis.structure().rows)),
        unused(space, 1) {
    const Structure& s = analysis.structure();
    if (given.kind == MultigridKind::structured && !s.positive_diagonal)
      multigrid_definition::refuse("the diagonal isn't positive");
    if (may_use_grid(s)) grid = analysis.grid();
    if (!grid) {
      if (given.kind == MultigridKind::structured) multigrid_definition::refuse(grid.why_not);
      add_algebraic_cycle(analysis, stop, memory);
    }
    for (int u = 0; grid && u < grid.unknowns; ++u) add_cycle({analysis, grid, u}, s, stop, memory);
    const CsrView<T>& a = analysis.matrix().view();
    const bool keeps = algebraic && given.reuse != MultigridReuse::none;
    if (keeps) taken.emplace(Taken{{space, a, s.longest_row}, {}, copy_of(a.val)});
    const multigrid::Trial trial = is_one_grid() ? multigrid::Trial{rate} : try_cycles(a, keeps);
    rate = trial.rate;
    if (!keeps) return;
    taken->at_first = trial;
    keep_settings();
  }

  State(const StencilOperator<Space, T>& stencil, const MultigridOptions& given, const MemoryBudget& memory)
      : space(stencil.space()),
        options(given),
        rows(stencil.grid().extents.points()),
        grid(stencil.grid()),
        unused(space, 1) {
    if (given.kind != MultigridKind::automatic && given.kind != MultigridKind::structured)
      multigrid_definition::refuse("kind=classical, kind=aggregation, kind=pairwise and kind=plain need a matrix");
    if (multigrid_definition::has_preconditioner(given))
      multigrid_definition::refuse(multigrid_definition::smoother_text(given) + " needs a matrix");
    const Structure& s = stencil.structure();
    add_cycle(multigrid::GridPlan<Space>(stencil), s, {}, memory);
  }

  bool is_one_grid() const { return !algebraic && cycles.size() == 1; }

  /// Makes the hierarchy and the cycle of an unknown, within the budget for as many as a point has.
  void add_cycle(multigrid::GridPlan<Space> plan, const Structure& s, const StopRequest& stop,
                 const MemoryBudget& memory) {
    const int sweeps = multigrid_definition::structured_sweeps(options, s);
    const auto announce = [&] {
      const std::size_t bytes = multigrid::predicted_bytes(space, plan.grids(), sweeps);
      memory.announce({static_cast<std::size_t>(grid.unknowns) * bytes, plan.certainty()});
    };
    announce();
    multigrid::end_levels_on(stop);
    if (plan.measure()) announce();
    const auto hierarchy = std::make_shared<const multigrid::Hierarchy<Space>>(std::move(plan), stop);
    multigrid::end_levels_on(stop);
    smoother = multigrid_definition::structured_smoother(options);
    cycles.push_back(multigrid::make_cycle(space, grid, hierarchy, smoother, sweeps));
    if (grid.unknowns == 1) rate = multigrid::rate_on_grid(space, *hierarchy, cycles.front());
  }

  void add_algebraic_cycle(const Analysis<Space, T>& analysis, const StopRequest& stop, const MemoryBudget& memory) {
    algebraic.emplace(algebraic_hierarchy(analysis, stop, memory));
    smoother = multigrid_definition::algebraic_smoother(options, analysis.structure());
    const auto& inverse = algebraic->coarse_inverse();
    const LinearMap<Space, float>* const last = inverse ? &*inverse : nullptr;
    cycles.push_back(algebraic::make_cycle(space, algebraic->levels(), last, std::abs(algebraic->power()), smoother,
                                           multigrid_definition::algebraic_sweeps(options)));
  }

  /// Coarsens twice at once where the levels don't fit into memory otherwise, if the options leave that open.
  algebraic::AlgebraicHierarchy<Space, T> algebraic_hierarchy(const Analysis<Space, T>& analysis,
                                                              const StopRequest& stop, const MemoryBudget& memory) {
    using Levels = algebraic::AlgebraicHierarchy<Space, T>;
    memory.announce(multigrid_definition::predict_levels(analysis.structure(), options));
    try {
      return Levels(analysis, multigrid_definition::algebraic_options(analysis, options), stop, memory);
    } catch (const MemoryLimitError&) {
      const bool may_be_aggressive =
          options.kind == MultigridKind::automatic || options.kind == MultigridKind::classical;
      if (options.aggressive || !may_be_aggressive) throw;
    }
    options.aggressive = true;
    is_short_of_memory = true;
    return Levels(analysis, multigrid_definition::algebraic_options(analysis, options), stop, memory);
  }

  /// Refuses to be applied when an update has failed, and couldn't be undone.
  void require_values() const {
    if (taken && !taken->valid)
      throw ArgumentError("multigrid: an update failed and left its levels without values; call update_values() again");
  }

  /// Refuses what doesn't converge.
  void require_smaller_error() const {
    if (!(rate < 1)) multigrid_definition::refuse("a cycle doesn't make a random error smaller");
  }

  bool may_use_grid(const Structure& s) const {
    const bool asked = options.kind == MultigridKind::automatic || options.kind == MultigridKind::structured;
    return asked && !multigrid_definition::has_preconditioner(options) && s.positive_diagonal && s.rows > 0;
  }

  /// The elements that belong to unknown u.
  template <class V>
  multigrid::Strided<V> unknown(V* v, std::size_t u) const {
    if (grid.by_field) return {v + u * grid.extents.points()};
    return {v + u, static_cast<Index>(cycles.size())};
  }

  /// Before a cycle that a caller asks for.
  auto enter(std::size_t r, std::size_t z) const {
    require_lengths(name, rows, r, z);
    require_values();
    return one_thread.enter(name);
  }

  /// z = M^-1 r, for vectors of T or float. With one unknown, *slot = r . z; otherwise the last unknown's part of it.
  template <class V>
  void apply(const V* r, V* z, Slot<V> slot) const {
    for (std::size_t u = 0; u < cycles.size(); ++u) cycles[u].apply(unknown(r, u), unknown(z, u), slot);
  }
  /// The norm of A, in which the modes that the coarse grid corrects are as small as in a solve: in thin bodies they
  /// may be large in the Euclidean norm.
  bool in_energy() const {
    if (multigrid_definition::has_k_cycle(options.kind)) return algebraic->levels().front().a.structure().symmetric;
    return options.kind == MultigridKind::aggregation;
  }
  multigrid::Trial try_cycles(const CsrView<T>& a, bool again);

  bool fits(const Analysis<Space, T>& analysis, bool known) const;
  bool refill(const Analysis<Space, T>& analysis, bool known);
  void update_levels(const SpaceCsr<Space, T>& a, double power, Smoother with);
  void restore(const CsrView<T>& a);
  Vector<Space, T> copy_of(std::span<const T> values) const;
  void keep_settings();
};

/// Tries one cycle on a random error, and with `again` another one on what is left; on a grid one. Without a coarsest
/// matrix that is solved, and with near-null vectors of the caller, who may be wrong, the rate is that of cycles one
/// after the other.
template <class Space, class T>
multigrid::Trial Multigrid<Space, T>::State::try_cycles(const CsrView<T>& a, bool again) {
  if (rows == 0) return {};
  if (!algebraic) {
    const auto cycle = [&](const auto& r, auto& z) { apply(r.data(), z.data(), unused.data()); };
    return {multigrid::rate_on_error(space, a, cycles.front().power(), cycle)};
  }
  // The finest level's matrix is A in float, in a format whose products are faster than those of CSR.
  const auto& of_level = algebraic->levels().front().a;
  const auto product = [&](const auto& x, auto& y) { of_level.apply(1, x, 0, y); };
  const auto cycle = [&](const auto& r, auto& z) {
    cycles.front().run(multigrid::Ends<float>{{r.data()}, {z.data()}, unused.data(), 1});
  };
  multigrid::Trial trial = multigrid::try_on_error(space, rows, in_energy(), again, product, cycle);
  if (!algebraic->coarse_inverse() || !options.near_null.empty())
    trial.rate = std::max(trial.rate, multigrid::rate_of_repeated(space, rows, in_energy(), product, cycle));
  return trial;
}

/// Whether the hierarchy at hand may do for a matrix: a hierarchy that was made anew would have the same kind, for a
/// matrix of the same pattern. `known`: the pattern is known to be the same.
template <class Space, class T>
bool Multigrid<Space, T>::State::fits(const Analysis<Space, T>& analysis, bool known) const {
  const Structure& s = analysis.structure();
  if (!taken || !taken->valid || !why_not(s).empty()) return false;
  if (static_cast<std::size_t>(s.nonzeros) != taken->values.size()) return false;
  if (!known && pattern_mark(space, analysis.matrix().view()) != taken->pattern.text()) return false;
  return !may_use_grid(s) || !analysis.grid();
}

/// Puts new values into the hierarchy, and tries it. False where the hierarchy doesn't do for these values: it has to
/// be made anew, or to be restored.
template <class Space, class T>
bool Multigrid<Space, T>::State::refill(const Analysis<Space, T>& analysis, bool known) {
  if (!fits(analysis, known)) return false;
  const Structure& s = analysis.structure();
  Vector<Space, T> values = copy_of(analysis.matrix().view().val);  // before the update, which waits for both
  taken->valid = false;
  try {
    update_levels(analysis.matrix(), algebraic->power_for(s), multigrid_definition::algebraic_smoother(options, s));
    const multigrid::Trial trial = try_cycles(analysis.matrix().view(), true);
    rate = trial.rate;
    if (!multigrid::nearly_as_good(trial, taken->at_first, in_energy())) return false;
  } catch (const ArgumentError&) {  // other interpolations may do
    return false;
  }
  taken->values = std::move(values);
  keep_settings();
  return reused = true;
}

template <class Space, class T>
void Multigrid<Space, T>::State::update_levels(const SpaceCsr<Space, T>& a, double power, Smoother with) {
  algebraic->update(a, power);
  smoother = with;
  algebraic::renew_smoothers(cycles.front(), smoother);
  cycles.front().set_power(std::abs(power));
}

/// Exec      Enqueued on Cuda.
template <class Space, class T>
Vector<Space, T> Multigrid<Space, T>::State::copy_of(std::span<const T> values) const {
  Vector<Space, T> copy(space, values.size());
  space.copy(copy.data(), values.data(), values.size_bytes());
  return copy;
}

/// Keeps what restore() needs beside the values.
template <class Space, class T>
void Multigrid<Space, T>::State::keep_settings() {
  taken->power = algebraic->power();
  taken->smoother = smoother;
  taken->rate = rate;
  taken->valid = true;
}

/// Undoes what refill() has begun. `a` has the pattern of the matrix.
template <class Space, class T>
void Multigrid<Space, T>::State::restore(const CsrView<T>& a) {
  if (!taken || taken->valid) return;
  const CsrView<T> before{a.rows, a.cols, a.row_ptr, a.col, taken->values};
  update_levels(SpaceCsr<Space, T>(space, before, on_space), taken->power, taken->smoother);
  space.wait();
  rate = taken->rate;
  taken->valid = true;
}

template <class Space, class T>
std::optional<MemoryPrediction> Multigrid<Space, T>::guess(const Analysis<Space, T>& analysis) {
  const Structure& s = analysis.structure();
  if (s.rows > 0 && s.positive_diagonal && analysis.grid()) return {};
  return multigrid_definition::predict_levels(s, {});
}

template <class Space, class T>
std::string Multigrid<Space, T>::why_not(const Structure& s) {
  if (s.rows != s.cols) return "the matrix isn't square";
  if (s.rows == 0) return {};
  if (!s.finite) return "not all values are finite";
  if (!s.positive_diagonal && !s.negative_diagonal) return "the diagonal isn't positive";
  constexpr double largest = is_single<T> ? 1e32 : 1e250;  // 1 / A stays in range, with room for the size of x
  if (!(s.norm_inf < largest && s.norm_inf > 1 / largest)) return "the values are too large or too small";
  return {};
}

template <class Space, class T>
std::string Multigrid<Space, T>::known_options() {
  return multigrid_definition::table().text();
}

template <class Space, class T>
MultigridOptions Multigrid<Space, T>::parse_options(std::string_view text) {
  MultigridOptions parsed = multigrid_definition::table().read(name, text);
  multigrid_definition::require_usable(parsed);
  return parsed;
}

template <class Space, class T>
Multigrid<Space, T>::Multigrid(const Analysis<Space, T>& analysis, MultigridOptions options)
    : Multigrid(analysis, std::move(options), {}, MemoryBudget(analysis.space(), name)) {}

template <class Space, class T>
Multigrid<Space, T>::Multigrid(const Analysis<Space, T>& analysis, MultigridOptions options, const StopRequest& stop,
                               const MemoryBudget& memory) {
  multigrid_definition::require_usable(options);
  multigrid_definition::require_suitable<Space, T>(analysis.structure());
  state_ = std::make_unique<State>(analysis, options, stop, memory);
  state_->require_smaller_error();
}

template <class Space, class T>
Multigrid<Space, T>::Multigrid(const StencilOperator<Space, T>& stencil, MultigridOptions options)
    : Multigrid(stencil, std::move(options), MemoryBudget(stencil.space(), name)) {}

template <class Space, class T>
Multigrid<Space, T>::Multigrid(const StencilOperator<Space, T>& stencil, MultigridOptions options,
                               const MemoryBudget& memory) {
  multigrid_definition::require_usable(options);
  multigrid_definition::require_suitable<Space, T>(stencil.structure());
  state_ = std::make_unique<State>(stencil, options, memory);
  state_->require_smaller_error();
}

template <class Space, class T>
Multigrid<Space, T>::Multigrid(Multigrid&&) noexcept = default;

template <class Space, class T>
Multigrid<Space, T>& Multigrid<Space, T>::operator=(Multigrid&&) noexcept = default;

template <class Space, class T>
Multigrid<Space, T>::~Multigrid() = default;

template <class Space, class T>
auto Multigrid<Space, T>::state() const -> State& {
  if (state_ == nullptr) throw ArgumentError("multigrid: the preconditioner was moved from");
  return *state_;
}

template <class Space, class T>
void Multigrid<Space, T>::update_values(const Analysis<Space, T>& analysis) {
  update_values(analysis, false);
}

template <class Space, class T>
void Multigrid<Space, T>::update_values(const Analysis<Space, T>& analysis, SamePattern) {
  update_values(analysis, true);
}

template <class Space, class T>
void Multigrid<Space, T>::update_values(const Analysis<Space, T>& analysis, bool known) {
  require_rows(name, analysis.structure(), state().rows);
  revision_.renew();
  const bool was_valid = !state().taken || state().taken->valid;
  try {
    if (!state().refill(analysis, known)) *this = Multigrid(analysis, state().options);
  } catch (...) {
    try {
      if (was_valid) state().restore(analysis.matrix().view());
    } catch (const std::exception&) {  // the levels stay without valid values
    }
    throw;
  }
}

template <class Space, class T>
std::size_t Multigrid<Space, T>::rows() const {
  return state().rows;
}

template <class Space, class T>
const Space& Multigrid<Space, T>::space() const {
  return state().space;
}

template <class Space, class T>
void Multigrid<Space, T>::apply(std::span<const T> r, std::span<T> z) const {
  const auto within = state().enter(r.size(), z.size());
  state().apply(r.data(), z.data(), state().unused.data());
}

template <class Space, class T>
void Multigrid<Space, T>::apply_dot(std::span<const T> r, std::span<T> z, Slot<T> slot) const {
  const auto within = state().enter(r.size(), z.size());
  state().apply(r.data(), z.data(), slot);
  if (state().cycles.size() > 1) dot<T>(state().space, r, z, slot);
}

template <class Space, class T>
const PreconditionerBase<Space, float>* Multigrid<Space, T>::lower() const {
  constexpr double largest = multigrid_definition::largest_power_in_float;
  const State& s = state();
  const bool exists = !is_single<T> && !s.algebraic && std::all_of(s.cycles.begin(), s.cycles.end(), [](const auto& c) {
    const double power = c.power();
    return power < largest && power > 1 / largest;
  });
  return exists ? &s.lower : nullptr;
}

template <class Space, class T>
std::size_t Multigrid<Space, T>::bytes() const {
  if (state().algebraic) return state().algebraic->bytes() + (state().taken ? state().taken->values.bytes() : 0);
  std::size_t total = 0;
  for (const PreconditionerLevel& level : levels()) total += level.bytes;
  return total;
}

template <class Space, class T>
double Multigrid<Space, T>::seconds() const {
  double total = 0;
  for (const auto& cycle : state().cycles) total += cycle.seconds(sizeof(T));
  return total;
}

template <class Space, class T>
std::vector<PreconditionerLevel> Multigrid<Space, T>::levels() const {
  std::vector<PreconditionerLevel> all;
  for (const auto& cycle : state().cycles) {
    std::size_t k = 0;
    for (const PreconditionerLevel& level : cycle.grids()) {
      if (k == all.size()) all.push_back({0, 0, 0, level.grid, level.storage});
      PreconditionerLevel& sum = all[k++];
      sum.rows += level.rows;
      sum.nonzeros += level.nonzeros;
      sum.bytes += level.bytes;
    }
  }
  return all;
}

template <class Space, class T>
bool Multigrid<Space, T>::varies() const {
  return state().cycles.front().varies();
}

template <class Space, class T>
bool Multigrid<Space, T>::symmetric() const {
  return state().options.smoother != Smoother::ilu0;
}

template <class Space, class T>
double Multigrid<Space, T>::rate() const {
  return state().rate;
}

template <class Space, class T>
bool Multigrid<Space, T>::reused() const {
  return state().reused;
}

template <class Space, class T>
std::string Multigrid<Space, T>::remarks() const {
  const std::vector<PreconditionerLevel> grids = levels();
  double entries = 0;
  for (const PreconditionerLevel& level : grids) entries += static_cast<double>(level.nonzeros);
  char text[64];
  std::snprintf(text, sizeof text, ", %.3g times the entries of A",
                entries / std::max(1.0, static_cast<double>(grids.front().nonzeros)));
  const auto& hierarchy = state().algebraic;
  const bool is_smoother_alone = hierarchy && grids.size() == 1 && !hierarchy->coarse_inverse();
  return std::to_string(grids.size()) + (grids.size() == 1 ? " grid" : " grids") + text +
         (is_smoother_alone ? ", no coarse grid: the smoother alone" : "") +
         (state().is_short_of_memory ? ", coarsened aggressively to fit into memory" : "");
}

}  // namespace ostinato
