// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/preconditioners/multigrid/algebraic/hierarchy.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include <ostinato/preconditioners/definite_sign.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/aggressive.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/coarse_inverse.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/interpolation.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/level_steps.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/pairwise_aggregation.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/plain_aggregation.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/smoothed_aggregation.hpp>
#include <ostinato/preconditioners/multigrid/end_levels.hpp>
#include <ostinato/spmv/algebra/transpose.hpp>
#include <ostinato/spmv/analysis/profile.hpp>
#include <ostinato/spmv/analysis/scaled_structure.hpp>
#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/selection/select_format.hpp>
#include <ostinato/spmv/space/readback.hpp>
#include <ostinato/spmv/space/together.hpp>

namespace ostinato::algebraic {

namespace hierarchy_definition {

inline constexpr double least_shrinking = 0.9;  // rows of the next level in those of a level

inline constexpr std::size_t most_levels = 30;

inline constexpr double margin = 1.05;  // the estimate of the largest eigenvalue may be a little below

// On seven families of matrices of 27,000 to 2,250,000 rows, the estimate after 10 steps is within 2 % of that after
// 25.
inline constexpr int eigenvalue_steps = 10;

// Where interpolation is constant on groups the smoother takes one step, and solves of mesh2d:316, mesh3d:46 and
// mesh2d:1000 as many iterations with the bound after 3 to 6 steps as with that after 10.
inline constexpr int eigenvalue_steps_of_groups = 4;

/// Row sums of |D^-1 A| are 2 where the entries of each row add up to 0 and those beside the diagonal have one sign,
/// and hardly more for other elliptic equations. Such a sum does for a level whose interpolation is constant on groups:
/// the largest eigenvalue is nearly 2 on the finest level, and 1.4 to 2 on others. With sums in place of eigenvalues,
/// solves took at most one iteration more on seven families of matrices of 90,000 to two million rows. On 256^3 they
/// took two more, which is longer than the search.
inline constexpr double near_two = 2.2;

inline constexpr std::size_t many_rows = 4000000;

inline void require_finite(bool is_finite) {
  if (!is_finite) throw ArgumentError("multigrid: a coarser matrix leaves the range of float");
}

/// Calls make() for what smooths a grid, of which the finest is the first, and names the grid in what a preconditioner
/// says of its matrix. The advice that may come with that is for the whole matrix.
inline void make_smoother(std::size_t grid, auto make) {
  try {
    make();
  } catch (const MemoryLimitError&) {
    throw;
  } catch (const ArgumentError& e) {
    const std::string text = e.what();
    throw ArgumentError("multigrid: grid " + std::to_string(grid) +
                        " can't be smoothed: " + text.substr(0, text.find(';')) + "; try smoother=jacobi");
  }
}

/// to = factor from, in float. *bad counts the values that aren't finite then.
template <class Space, class T>
void to_float(const Space& space, std::span<const T> from, double factor, Vector<Space, float>& to, double* bad) {
  sum(space, from.size(), ToFloat<T>{factor, from.data(), to.data()}, bad);
}

/// The matrix in float, times a factor. The analysis of the matrix tells whether its values are finite.
template <class Space, class T>
std::shared_ptr<CsrStorage<Space, float>> in_float(const Space& space, const CsrView<T>& a, double factor) {
  auto f = std::make_shared<CsrStorage<Space, float>>(
      CsrStorage<Space, float>{a.rows, a.cols, Vector<Space, Offset>(space, a.row_ptr.size()),
                               Vector<Space, Index>(space, a.col.size()), Vector<Space, float>(space, a.val.size())});
  space.copy(f->row_ptr.data(), a.row_ptr.data(), f->row_ptr.bytes());
  space.copy(f->col.data(), a.col.data(), f->col.bytes());
  Vector<Space, double> bad(space, 1);
  to_float(space, a.val, factor, f->val, bad.data());
  return f;
}

/// The same for a matrix whose pattern stays as long as the result does.
template <class Space, class T>
SpaceCsr<Space, float> lent_in_float(const Space& space, const CsrView<T>& a, double factor) {
  const auto values = std::make_shared<Vector<Space, float>>(space, a.val.size());
  Vector<Space, double> bad(space, 1);
  to_float(space, a.val, factor, *values, bad.data());
  return SpaceCsr<Space, float>(a, values);
}

/// A full matrix whose values are unset.
template <class Space>
std::shared_ptr<CsrStorage<Space, float>> full(const Space& space, Index n) {
  const auto rows = static_cast<std::size_t>(n);
  auto f = std::make_shared<CsrStorage<Space, float>>(
      CsrStorage<Space, float>{n, n, Vector<Space, Offset>(space, rows + 1), Vector<Space, Index>(space, rows * rows),
                               Vector<Space, float>(space, rows * rows)});
  for_each(space, rows * rows + rows + 1, FillFullPattern{rows, f->row_ptr.data(), f->col.data()});
  return f;
}

/// What choose_csr() asks of a full matrix.
inline Structure structure_of_full(Index n) {
  Structure s;
  s.rows = s.cols = s.longest_row = n;
  s.nonzeros = static_cast<Offset>(n) * n;
  s.mean_row = n;
  s.lengths_only = true;
  s.profile = std::make_shared<const Profile>();
  return s;
}

/// What the arrays of a matrix take beside an operator, whose format may share them.
template <class Space>
std::size_t beside(const Operator<Space, float>& op, const CsrStorage<Space, float>& m) {
  return op.format().starts_with("csr") ? m.row_ptr.bytes() : bytes_of(m.view());
}

}  // namespace hierarchy_definition

template <class Space>
std::size_t AlgebraicLevel<Space>::bytes() const {
  return a.bytes() + inverse.bytes() + (prolong ? prolong->bytes() : 0) + (restrict ? restrict->bytes() : 0) +
         (groups ? groups->bytes() : 0) + (smoother ? smoother->bytes() : 0);
}

template <class Space, class T>
AlgebraicHierarchy<Space, T>::AlgebraicHierarchy(const Analysis<Space, T>& analysis, const AlgebraicOptions& options,
                                                 const StopRequest& stop, const MemoryBudget& memory)
    : power_(power_for(analysis.structure())),
      is_grouped_(options.pairs || options.plain),
      smoother_(options.smoother) {
  const Space& space = analysis.space();
  std::optional<MadeTogether> together(std::in_place);
  if (options.pairs) {
    const bool symmetric = analysis.structure().symmetric;
    add_grouped_levels(analysis, PairwiseAggregation<Space, T>(space, analysis.matrix(), *options.pairs, symmetric),
                       stop, memory);
  } else if (options.plain) {
    const double factor = std::copysign(power_, analysis.structure().negative_diagonal ? -1.0 : 1.0);
    add_grouped_levels(analysis, PlainAggregation<Space, T>(space, *options.plain, factor, options.threshold), stop,
                       memory);
  } else if (options.near_null) {
    add_smoothed_levels(analysis, options, stop, memory);
  } else {
    add_classical_levels(analysis, options, stop, memory);
  }
  find_spectra();
  together.reset();
  space.trim();
}

template <class Space, class T>
template <class Aggregation>
void AlgebraicHierarchy<Space, T>::add_grouped_levels(const Analysis<Space, T>& analysis, Aggregation aggregation,
                                                      const StopRequest& stop, const MemoryBudget& memory) {
  add_levels(
      analysis, false,
      [&](const SpaceCsr<Space, T>& a) -> std::optional<SpaceCsr<Space, T>> {
        std::optional<GroupedLevel<Space, T>> made = aggregation.next(a);
        if (!made || made->groups.count > hierarchy_definition::least_shrinking * a.view().rows) return {};
        find_sizes(analysis.space(), levels_.back(), made->groups.pattern(), made->groups.members.size(), nullptr);
        levels_.back().groups = std::move(made->groups);
        return made->a;
      },
      stop, memory);
}

template <class Space, class T>
void AlgebraicHierarchy<Space, T>::add_smoothed_levels(const Analysis<Space, T>& analysis,
                                                       const AlgebraicOptions& options, const StopRequest& stop,
                                                       const MemoryBudget& memory) {
  const Space& space = analysis.space();
  SmoothedAggregation<Space, T> aggregation(space, *options.near_null, power_, options.threshold);
  add_levels(
      analysis, options.takes_values,
      [&](const SpaceCsr<Space, T>& a) {
        find_spectra();
        return interpolated(space, a, aggregation.next(a, levels_.back().largest, stop), options.near_null->count, stop,
                            memory);
      },
      stop, memory);
}

template <class Space, class T>
void AlgebraicHierarchy<Space, T>::add_classical_levels(const Analysis<Space, T>& analysis,
                                                        const AlgebraicOptions& options, const StopRequest& stop,
                                                        const MemoryBudget& memory) {
  const Space& space = analysis.space();
  add_levels(
      analysis, options.takes_values,
      [&](const SpaceCsr<Space, T>& a) -> std::optional<SpaceCsr<Space, T>> {
        const bool twice = options.aggressive && levels_.size() == 1;
        const Coarsening<Space> c = twice ? coarsen_twice(space, a.view(), options.coarsening, stop)
                                          : coarsen(space, a.view(), options.coarsening);
        if (c.coarse_rows == 0 || c.coarse_rows > hierarchy_definition::least_shrinking * a.view().rows) return {};
        multigrid::end_levels_on(stop);
        return interpolated(space, a,
                            twice ? multipass_interpolation(space, a.view(), c, options.entries, stop)
                                  : interpolation(space, a.view(), c, options.entries, stop),
                            1, stop, memory);
      },
      stop, memory);
}

template <class Space, class T>
template <class F>
void AlgebraicHierarchy<Space, T>::add_levels(const Analysis<Space, T>& analysis, bool takes_values, F next,
                                              const StopRequest& stop, const MemoryBudget& memory) {
  const Space& space = analysis.space();
  SpaceCsr<Space, T> a = analysis.matrix();
  multigrid::end_levels_on(stop);
  add_level(space, a.view(), takes_values, stop, memory, &analysis.structure());
  while (a.view().rows > coarsest_rows && levels_.size() < hierarchy_definition::most_levels) {
    multigrid::end_levels_on(stop);
    const std::optional<SpaceCsr<Space, T>> coarse = next(a);
    if (!coarse) return;
    a = *coarse;
    multigrid::end_levels_on(stop);
    add_level(space, a.view(), takes_values, stop, memory);
    announce_rest(memory);
  }
  if (a.view().rows <= coarsest_rows) {
    const auto made = hierarchy_definition::full(space, a.view().rows);
    CoarseInverse<Space, T> inverse(space, a, sizes_, power_, made->val);
    start_searches();
    inverse.finish();
    std::optional<Structure> known;
    if (!Space::has_host_memory) known = hierarchy_definition::structure_of_full(a.view().rows);
    coarse_inverse_ = within(memory, space, SpaceCsr<Space, float>(made), known);
    if (!sources_.empty()) inverse_ = made;
  }
  memory.confirm(bytes());
}

/// P^T A P, with P and its transpose on the last level so far; nothing where P isn't there or doesn't shrink the level.
/// A point of the next level has `vectors` unknowns.
template <class Space, class T>
std::optional<SpaceCsr<Space, T>> AlgebraicHierarchy<Space, T>::interpolated(const Space& space,
                                                                             const SpaceCsr<Space, T>& a,
                                                                             const std::optional<SpaceCsr<Space, T>>& p,
                                                                             Offset vectors, const StopRequest& stop,
                                                                             const MemoryBudget& memory) {
  if (!p || p->view().cols > hierarchy_definition::least_shrinking * a.view().rows) return {};
  multigrid::end_levels_on(stop);
  const SpaceCsr<Space, T> r = transpose(space, *p);
  find_sizes(space, levels_.back(), detail::pattern_of(r.view()), r.view().val.size(), r.view().val.data());
  SpaceCsr<Space, T> coarse =
      next_matrix(CoarseMatrix<Space, T>(space, r, a, *p, a.view().nonzeros() * vectors * vectors, stop));
  multigrid::end_levels_on(stop);
  const auto in_format = [&](const CsrView<T>& m) {
    return within(memory, space, SpaceCsr<Space, float>(hierarchy_definition::in_float(space, m, 1)));
  };
  levels_.back().prolong = in_format(p->view());
  levels_.back().restrict = in_format(r.view());
  return coarse;
}

template <class Space, class T>
void AlgebraicHierarchy<Space, T>::add_level(const Space& space, const CsrView<T>& a, bool takes_values,
                                             const StopRequest& stop, const MemoryBudget& memory,
                                             const Structure* of_given) {
  const auto known = of_given == nullptr ? std::nullopt : scaled_structure(*of_given, power_);
  // A matrix whose few values are known is stored by diagonals, which leaves nothing of its pattern to keep.
  const bool is_lent = known && !takes_values;
  const auto m = is_lent ? nullptr : hierarchy_definition::in_float(space, a, power_);
  const auto matrix = is_lent ? hierarchy_definition::lent_in_float(space, a, power_) : SpaceCsr<Space, float>(m);
  const Analysis<Space, float> analysis = analysed(
      space, matrix, known || of_given == nullptr ? known : rounded_structure(space, matrix.view(), *of_given, power_),
      takes_smoother(a.rows));
  levels_.push_back({within(memory, analysis),
                     a.nonzeros(),
                     Vector<Space, float>(space, static_cast<std::size_t>(a.rows)),
                     0,
                     false,
                     {},
                     {},
                     {},
                     {}});
  invert_diagonal(space, matrix.view(), levels_.back());
  if (takes_values) sources_.push_back({m, {}});
  add_smoother(analysis, stop, memory);
}

/// Whether a preconditioner smooths a level of so many rows.
template <class Space, class T>
bool AlgebraicHierarchy<Space, T>::takes_smoother(Index rows) const {
  return is_preconditioner(smoother_) && rows > coarsest_rows;
}

/// Makes the preconditioner that smooths the latest level, if one does.
template <class Space, class T>
void AlgebraicHierarchy<Space, T>::add_smoother(const Analysis<Space, float>& analysis, const StopRequest& stop,
                                                const MemoryBudget& memory) {
  AlgebraicLevel<Space>& level = levels_.back();
  if (!takes_smoother(level.a.rows())) return;
  multigrid::end_levels_on(stop);
  hierarchy_definition::make_smoother(levels_.size(), [&] {
    const typename LevelSmoother<Space>::Level to_smooth{level.a, analysis, level.inverse,
                                                         levels_.front().a.structure().symmetric};
    level.smoother.emplace(smoother_, to_smooth, stop, memory.beside(bytes()));
  });
}

template <class Space, class T>
SpaceCsr<Space, T> AlgebraicHierarchy<Space, T>::next_matrix(CoarseMatrix<Space, T> made) {
  SpaceCsr<Space, T> a = made.result();
  if (!sources_.empty()) sources_.back().next.emplace(std::move(made));
  return a;
}

/// Takes new values to a level. `a` is its matrix in T, and becomes that of the next level. The largest eigenvalue is
/// searched beside the product that makes it. `bad` counts the values of each matrix that aren't finite in float.
template <class Space, class T>
void AlgebraicHierarchy<Space, T>::update_level(std::size_t k, SpaceCsr<Space, T>& a, SideStream<Space>& side,
                                                double* bad) {
  AlgebraicLevel<Space>& level = levels_[k];
  Source& source = sources_[k];
  const Space& space = levels_.front().a.space();
  hierarchy_definition::to_float(space, a.view().val, power_, source.a->val, bad);
  level.a.update_values(source.a->view(), on_space, same_pattern);
  if (k == 0) sizes_ = {};
  invert_diagonal(space, source.a->view(), level);
  side.mark();
  if (source.next) {
    const CsrView<T>& r = source.next->r().view();
    find_sizes(space, level, detail::pattern_of(r), r.val.size(), r.val.data());
    source.next->update(a);
    a = source.next->result();
  }
  // Groups first look at the row sums of all levels.
  if (!is_grouped_ && searches_.size() > k) side.run([&] { searches_[k].start(level.a, level.inverse); });
}

template <class Space, class T>
void AlgebraicHierarchy<Space, T>::update(const SpaceCsr<Space, T>& a, double power) {
  power_ = power;
  const Space& space = levels_.front().a.space();
  const MadeTogether together;  // Multigrid waits for all of this, when it has tried the cycle
  searches_.clear();
  first_searched_ = 0;
  Vector<Space, double> bad(space, levels_.size(), 0.0);  // values of each level that aren't finite in float
  SpaceCsr<Space, T> of_level = a;
  // The products take most of the time and hardly fill a GPU; beside them the eigenvalues are searched: those of the
  // coarser levels beside those of the finest one, whose search takes longer than the products.
  std::optional<SideStream<Space>> of_finest(std::in_place, space, 0), of_coarser(std::in_place, space, 1);
  for (std::size_t k = 0; k < levels_.size(); ++k)
    update_level(k, of_level, k == 0 ? *of_finest : *of_coarser, bad.data() + k);
  std::optional<CoarseInverse<Space, T>> inverse;
  if (coarse_inverse_) inverse.emplace(space, of_level, sizes_, power_, inverse_->val);
  std::vector<double> counts(bad.size());
  DownloadBehind<Space> counted(space, {{counts.data(), bad.data(), bad.bytes()}});
  of_finest->join();
  of_coarser->join();
  of_finest.reset();  // what updates the smoothers may need streams of its own
  of_coarser.reset();
  find_spectra();  // its download comes after that of the counts, so that the host waits once for both
  counted.finish();
  hierarchy_definition::require_finite(
      std::all_of(counts.begin(), counts.end(), [](double count) { return count == 0; }));
  update_smoothers();
  if (inverse) {
    inverse->finish();
    coarse_inverse_->update_values(inverse_->view(), on_space, same_pattern);
  }
}

/// Takes the new values of all levels to what smooths them.
template <class Space, class T>
void AlgebraicHierarchy<Space, T>::update_smoothers() {
  bool is_symmetric = false;  // the finest one, of which the others are products
  for (std::size_t k = 0; k < levels_.size(); ++k) {
    AlgebraicLevel<Space>& level = levels_[k];
    if (!level.smoother) continue;
    const Analysis<Space, float> analysis(level.a.space(), SpaceCsr<Space, float>(sources_[k].a),
                                          AnalysisDepth::without_census);
    if (k == 0) is_symmetric = analysis.structure().symmetric;
    hierarchy_definition::make_smoother(k + 1, [&] {
      level.smoother->update({level.a, analysis, level.inverse, is_symmetric});
    });
  }
}

template <class Space, class T>
double AlgebraicHierarchy<Space, T>::power_for(const Facts& s) {
  const double norm = s.norm_inf;
  return definite_sign(s) * (norm > 0 && std::isfinite(norm) ? std::ldexp(1.0, -std::ilogb(norm)) : 1.0);
}

template <class Space, class T>
bool AlgebraicHierarchy<Space, T>::takes_csr(const CsrView<float>& a) const {
  constexpr Offset entries_of_launch = Offset{1} << 19;  // four megabytes, which a GPU reads in the time of a launch
  if (levels_.empty()) return false;
  return Space::has_streams ? a.nonzeros() <= entries_of_launch : levels_.front().a.format() == "csr";
}

template <class Space, class T>
Analysis<Space, float> AlgebraicHierarchy<Space, T>::analysed(const Space& space, SpaceCsr<Space, float> a,
                                                              const std::optional<Structure>& known,
                                                              bool for_smoother) const {
  if (known) return Analysis<Space, float>(space, std::move(a), *known);
  // Rounding leaves no matrix but the first one symmetric.
  const AnalysisDepth depth = levels_.empty() || for_smoother ? AnalysisDepth::without_census
                              : takes_csr(a.view())           ? AnalysisDepth::lengths
                                                              : AnalysisDepth::product;
  return Analysis<Space, float>(space, std::move(a), depth);
}

template <class Space, class T>
Operator<Space, float> AlgebraicHierarchy<Space, T>::within(const MemoryBudget& memory,
                                                            const Analysis<Space, float>& analysis) const {
  hierarchy_definition::require_finite(analysis.structure().finite);
  Choice choice = takes_csr(analysis.matrix().view()) ? choose_csr(analysis) : choose_format(analysis);
  announce(memory, {bytes() + choice.candidates.front().cost.bytes, Certainty::at_least});
  return Operator<Space, float>(analysis, std::move(choice));
}

/// Announces what all levels will take, where the latest one is so much smaller than the one before that what follows
/// matters little: entries are taken to go on shrinking at this rate, and bytes with them. Not where the levels keep
/// what update() needs.
template <class Space, class T>
void AlgebraicHierarchy<Space, T>::announce_rest(const MemoryBudget& memory) const {
  constexpr std::size_t fewest_levels = 3;
  constexpr double most_shrunk = 0.4;
  if (levels_.size() < fewest_levels || !sources_.empty()) return;
  const AlgebraicLevel<Space>&last = levels_.back(), &before = levels_[levels_.size() - 2];
  const auto entries = [](const auto& level) { return static_cast<double>(level.nonzeros); };
  const auto without_transfer = [](const auto& level) {
    const std::size_t of_smoother = level.smoother ? level.smoother->bytes() : 0;
    return static_cast<double>(level.a.bytes() + level.inverse.bytes() + of_smoother + level.bytes_of_cycle());
  };
  const double shrunk = entries(last) / std::max(1.0, entries(before));
  if (shrunk > most_shrunk) return;
  const double transfer = static_cast<double>(before.bytes() + before.bytes_of_cycle()) / without_transfer(before);
  const double rest = without_transfer(last) * (transfer / (1 - shrunk) - 1);
  const auto rows = [](const auto& level) { return static_cast<double>(level.inverse.size()); };
  double coarsest = rows(last);
  while (coarsest > coarsest_rows)
    coarsest *= std::min(hierarchy_definition::least_shrinking, rows(last) / rows(before));
  const double inverse = coarsest * coarsest * (sizeof(float) + sizeof(Index));
  const bool is_guessed = rows(last) > coarsest_rows && inverse > 0.1 * static_cast<double>(bytes());
  if (is_guessed) return;
  announce(memory, {bytes() + static_cast<std::size_t>(rest + inverse), Certainty::close});
}

/// Announces what isn't known from the announcement before, but for a few per cent: a GPU takes some time to say how
/// much memory is free.
template <class Space, class T>
void AlgebraicHierarchy<Space, T>::announce(const MemoryBudget& memory, const MemoryPrediction& prediction) const {
  constexpr double more = 1.02;
  const bool is_first_close = prediction.certainty == Certainty::close && !is_predicted_;
  if (!is_first_close && static_cast<double>(prediction.bytes) < more * static_cast<double>(announced_)) return;
  memory.announce(prediction);
  announced_ = std::max(announced_, prediction.bytes);
  is_predicted_ = is_predicted_ || prediction.certainty == Certainty::close;
}

template <class Space, class T>
void AlgebraicHierarchy<Space, T>::find_sizes(const Space& space, const AlgebraicLevel<Space>& level,
                                              const detail::CsrPattern& w, std::size_t entries, const T* weight) {
  sizes_ = Vector<Space, double>(space, static_cast<std::size_t>(w.rows));
  for_each_row(space, sizes_.size(), static_cast<Offset>(entries),
               SumSizes<T>{w, weight, level.inverse.data(), sizes_.data()});
}

/// Finds what follows from the values of a level: the inverse of the diagonal, and the sums of the rows where the
/// level is smoothed.
template <class Space, class T>
void AlgebraicHierarchy<Space, T>::invert_diagonal(const Space& space, const CsrView<float>& a,
                                                   AlgebraicLevel<Space>& level) {
  const double* const size = sizes_.size() == 0 ? nullptr : sizes_.data();
  for_each(space, level.inverse.size(),
           InvertLevelDiagonal{detail::pattern_of(a), a.val.data(), size, rounding_of_sum<T>, level.inverse.data()});
  if (a.rows <= coarsest_rows) return;
  const bool by_row_sums =
      is_grouped_ && (levels_.size() == 1 || levels_.front().inverse.size() < hierarchy_definition::many_rows);
  const int steps =
      is_grouped_ ? hierarchy_definition::eigenvalue_steps_of_groups : hierarchy_definition::eigenvalue_steps;
  searches_.emplace_back(level.a.space(), a, level.inverse, 1, steps, by_row_sums ? hierarchy_definition::near_two : 0);
}

/// Starts to search for the largest eigenvalues of the latest levels, where row sums don't do.
template <class Space, class T>
void AlgebraicHierarchy<Space, T>::start_searches() {
  EigenvalueSearch<Space, float>::end_by_row_sums(searches_, levels_.front().a.structure().symmetric);
  for (std::size_t k = 0; k < searches_.size(); ++k) {
    const AlgebraicLevel<Space>& level = levels_[first_searched_ + k];
    searches_[k].start(level.a, level.inverse);
  }
}

/// Finds the largest eigenvalues of the latest levels.
template <class Space, class T>
void AlgebraicHierarchy<Space, T>::find_spectra() {
  start_searches();
  const std::vector<LargestEigenvalue> found = EigenvalueSearch<Space, float>::results(searches_);
  for (std::size_t k = 0; k < found.size(); ++k) {
    AlgebraicLevel<Space>& level = levels_[first_searched_ + k];
    level.largest = hierarchy_definition::margin * found[k].bound;
    level.is_symmetric = found[k].is_symmetric;
  }
  first_searched_ += searches_.size();
  searches_.clear();
}

template <class Space, class T>
std::size_t AlgebraicHierarchy<Space, T>::bytes() const {
  std::size_t total = bytes_for_updates() + sizes_.bytes() + (coarse_inverse_ ? coarse_inverse_->bytes() : 0);
  for (const auto& level : levels_) total += level.bytes() + level.bytes_of_cycle();
  return total;
}

template <class Space, class T>
double AlgebraicHierarchy<Space, T>::complexity() const {
  double all = 0;
  for (const auto& level : levels_) all += static_cast<double>(level.nonzeros);
  return all / std::max(1.0, static_cast<double>(levels_.front().nonzeros));
}

template <class Space, class T>
std::size_t AlgebraicHierarchy<Space, T>::bytes_for_updates() const {
  std::size_t total = 0;
  for (std::size_t k = 0; k < sources_.size(); ++k) {
    const Source& source = sources_[k];
    total += hierarchy_definition::beside(levels_[k].a, *source.a);
    if (source.next) total += source.next->bytes();
  }
  if (inverse_) total += hierarchy_definition::beside(*coarse_inverse_, *inverse_);
  return total;
}

}  // namespace ostinato::algebraic
