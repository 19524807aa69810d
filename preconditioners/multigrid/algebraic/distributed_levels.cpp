// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/algebraic/distributed_levels.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

#include <ostinato/preconditioners/chebyshev_steps.hpp>
#include <ostinato/preconditioners/largest_eigenvalue_definition.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/aggregation.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/cycle_definition.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/hierarchy_definition.hpp>
#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/stop.hpp>
#include <ostinato/spmv/matrix/on_host.hpp>
#include <ostinato/spmv/matrix/space_csr.hpp>
#include <ostinato/spmv/space/distributed.hpp>
#include <ostinato/spmv/space/parallel.hpp>
#include <ostinato/spmv/team/halo.hpp>
#include <ostinato/spmv/team/numbers.hpp>

namespace ostinato::algebraic {

namespace {

/// A level that groups don't make smaller is gathered up to so many rows.
constexpr Index most_stuck_rows = 16 * fewest_shared_rows;

/// The format of levels below the finest. GPUs take csr by themselves, where a few long rows ask for it, and refuse its
/// name.
template <class Local>
constexpr const char* other_format = is_cuda<Local> ? "auto" : "csr";

template <class Local>
std::string first_format(const std::string& of_matrix) {
  return of_matrix == "csr" ? other_format<Local> : of_matrix;
}

/// Throws    Stopped on all ranks once the request is made on one.
void end_together(const Team& team, const StopRequest& stop) {
  if (team.most(stop.is_made() ? 1 : 0) == 1) throw Stopped("multigrid: making the levels was stopped");
}

Facts scaled(Facts facts, double factor) {
  facts.norm_inf *= std::abs(factor);
  if (factor < 0) std::swap(facts.positive_diagonal, facts.negative_diagonal);
  return facts;
}

template <class T>
Csr<float> in_float(const CsrView<T>& a, double factor) {
  Csr<float> f{a.rows, a.cols, Array<Offset>(a.row_ptr.begin(), a.row_ptr.end()),
               Array<Index>(a.col.begin(), a.col.end()), Array<float>(a.val.size())};
  bool is_finite = true;
  for (std::size_t k = 0; k < f.val.size(); ++k) {
    f.val[k] = static_cast<float>(factor * static_cast<double>(a.val[k]));
    is_finite = is_finite && std::isfinite(f.val[k]);
  }
  hierarchy_definition::require_finite(is_finite);
  return f;
}

/// The columns that other ranks have, ascending.
template <class T>
std::vector<Index> ghosts_of(const CsrView<T>& a, Index begin, Index end) {
  std::vector<Index> ghosts;
  for (const Index column : a.col)
    if (column < begin || column >= end) ghosts.push_back(column);
  ostinato::detail::unite(ghosts);
  return ghosts;
}

/// The largest Ritz value of D^-1 A with its residual, of a symmetric A, after some steps of the Lanczos method; 0
/// where that tells nothing (EigenvalueSearch).
template <class Space>
double ritz_bound_of(const Space& space, const LinearMap<Space, float>& a, const Vector<Space, float>& inverse) {
  using Slots = ostinato::detail::LanczosSlots;
  constexpr int steps = hierarchy_definition::eigenvalue_steps;
  const std::size_t n = inverse.size();
  Vector<Space, double> slots(space, static_cast<std::size_t>(Slots::count(steps)), 0.0);
  Vector<Space, float> product(space, n), u(space, n), before(space, n);
  double* const s = slots.data();
  const auto found = [&](int k) {
    return largest_eigenvalue_definition::steps_of<float>(slots.download().data(), 1, k);
  };
  sum(space, n, ostinato::detail::LanczosBegin<float>{inverse.data(), u.data(), before.data()}, s + Slots::norm(0));
  for (int k = 0; k < steps && found(k).goes_on(); ++k) {
    a.apply_dot(u.span(), product.span(), u.span(), s + Slots::product(k));
    sum(space, n,
        ostinato::detail::LanczosStep<float>{k, 1, s, inverse.data(), product.data(), u.data(), before.data()},
        s + Slots::norm(k + 1));
    std::swap(u, before);
  }
  return found(steps).is_symmetric() ? ritz_bound(found(steps).found()) : 0;
}

/// The rows of the next level. Own groups and then those of other ranks are columns for collapse().
template <class Local, class T>
class CoarseRows {
 public:
  CoarseRows(const Local& local, const Team& team, const Partition& parts, const Partition& coarse, const CsrView<T>& a,
             Groups<Local>& groups)
      : local_(local),
        begin_(parts.begin(team)),
        end_(parts.end(team)),
        first_(coarse.begin(team)),
        columns_(coarse.rows()),
        a_(a),
        groups_(groups) {
    ghosts_ = team.agreed([&] { return ghosts_of(a, begin_, end_); });
    of_ = team.agreed([&] { return groups_.of.download(); });
    exchange(team, parts);
    rows_ = team.agreed([&] { return made(); });
  }
  Csr<T> take() { return std::move(rows_); }

 private:
  /// of_ghosts_: the group of each ghost, in the numbers of all ranks, or -1.
  void exchange(const Team& team, const Partition& parts) {
    HaloPlan plan(team, parts, ghosts_);
    std::vector<Index> given;
    team.agreed([&] {
      for (const Index row : plan.given()) {
        const Index group = of_[static_cast<std::size_t>(row)];
        given.push_back(group < 0 ? -1 : first_ + group);
      }
      of_ghosts_.resize(ghosts_.size());
    });
    plan.start(team, given.data(), of_ghosts_.data(), of_ghosts_.data() + plan.below());
    team.finish_exchange();
  }

  Csr<T> made() {
    std::vector<Index> others;  // groups of other ranks
    std::copy_if(of_ghosts_.begin(), of_ghosts_.end(), std::back_inserter(others), [](Index g) { return g >= 0; });
    ostinato::detail::unite(others);
    for (const Index group : of_ghosts_)
      of_.push_back(group < 0 ? -1 : groups_.count + ostinato::detail::place_in(others, group));
    Groups<Local> window{Vector<Local, Index>(local_, std::span<const Index>(of_)), groups_.count,
                         std::move(groups_.begin), std::move(groups_.members)};
    const Array<Index> columns = own_first();
    const CsrView<T> own{a_.rows, static_cast<Index>(of_.size()), a_.row_ptr, columns, a_.val};
    const SpaceCsr<Local, T> there(local_, own, same_pattern);
    const SpaceCsr<Local, T> c = collapse(local_, there.view(), window);
    groups_.begin = std::move(window.begin);
    groups_.members = std::move(window.members);
    return with_numbers_of_all(ostinato::detail::OnHost<T>(local_, c.view()).view(), others);
  }

  /// The columns of A in the order own, ghosts.
  Array<Index> own_first() const {
    Array<Index> columns(a_.col.size());
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const Index c = a_.col[k];
      columns[k] = c >= begin_ && c < end_ ? c - begin_ : end_ - begin_ + ostinato::detail::place_in(ghosts_, c);
    }
    return columns;
  }

  Csr<T> with_numbers_of_all(const CsrView<T>& c, const std::vector<Index>& others) const {
    Csr<T> rows{c.rows, columns_, Array<Offset>(c.row_ptr.begin(), c.row_ptr.end()), Array<Index>(c.col.size()),
                Array<T>(c.val.begin(), c.val.end())};
    for (std::size_t k = 0; k < rows.col.size(); ++k) {
      const Index column = c.col[k];
      rows.col[k] = column < c.rows ? first_ + column : others[static_cast<std::size_t>(column - c.rows)];
    }
    return others.empty() ? std::move(rows) : canonical(rows.view());
  }

  const Local& local_;
  Index begin_, end_, first_, columns_;
  const CsrView<T>& a_;
  Groups<Local>& groups_;
  std::vector<Index> ghosts_, of_ghosts_, of_;  ///< of_: the group of each own row, and then of each ghost
  Csr<T> rows_;
};

}  // namespace

template <class Local, class T>
DistributedLevels<Local, T>::DistributedLevels(const DistributedOperator<Local, T>& a, const CsrView<T>& mine,
                                               const MultigridOptions& options, const StopRequest& stop,
                                               const MemoryBudget& memory)
    : space_(a.space()),
      power_(AlgebraicHierarchy<Local, T>::power_for(*a.facts())),
      factor_(std::copysign(power_, a.facts()->negative_diagonal ? -1.0 : 1.0)),
      threshold_(options.threshold) {
  const Team& team = space_.team();
  Rows rows{a.row_parts(), mine, {}};
  Facts facts = scaled(*a.facts(), power_);
  for (std::string format = first_format<Local>(a.format());; format = other_format<Local>) {
    end_together(team, stop);
    add_level(rows, facts, format, memory);
    if (is_to_be_gathered(facts) || levels_.size() == hierarchy_definition::most_levels) break;
    end_together(team, stop);
    if (!go_on(rows)) break;
    facts = {.rows = rows.parts.rows(), .cols = rows.parts.rows(), .symmetric = facts.symmetric};
    facts.nonzeros = team.sum(rows.view.nonzeros());
  }
  end_together(team, stop);
  if (facts.rows <= most_stuck_rows) gather(rows, options, memory);
  team.agreed([&] { memory.confirm(bytes()); });
}

template <class Local, class T>
void DistributedLevels<Local, T>::add_level(const Rows& rows, const Facts& facts, const std::string& format,
                                            const MemoryBudget& memory) {
  const Team& team = space_.team();
  constexpr std::size_t of_entry = 2, of_row = 5 * sizeof(float);  // at least: dia keeps half of a symmetric matrix
  const Csr<float> a = team.agreed([&] {
    const std::size_t least = of_entry * rows.view.col.size() + of_row * static_cast<std::size_t>(rows.view.rows);
    memory.announce({bytes() + least, Certainty::at_least});
    return in_float(rows.view, power_);
  });
  DistributedOperator<Local, float> product(space_, rows.parts, a.view(), format, &facts);
  double largest = team.agreed([&] {
    const Diagonal diagonal = inverse_diagonal(a.view(), rows.parts.begin(team));
    Vector<Space, float> inverse(space_, std::span<const float>(diagonal.inverse));
    levels_.push_back({std::move(product), facts.nonzeros, std::move(inverse), 0, facts.symmetric, {}, {}, {}, {}});
    return diagonal.largest;
  });
  AlgebraicLevel<Space>& level = levels_.back();
  largest = std::max(1.0, space_.most(largest));
  if (level.is_symmetric && largest > hierarchy_definition::near_two && !is_to_be_gathered(facts)) {
    const double ritz = team.together([&] { return ritz_bound_of(space_, level.a, level.inverse); });
    if (ritz > 0) largest = std::min(largest, ritz);
  }
  level.largest = hierarchy_definition::margin * largest;
}

template <class Local, class T>
auto DistributedLevels<Local, T>::inverse_diagonal(const CsrView<float>& a, Index begin) const -> Diagonal {
  Diagonal found{std::vector<float>(static_cast<std::size_t>(a.rows))};
  for (std::size_t i = 0; i < found.inverse.size(); ++i) {
    float own = 0;
    double sum = 0;
    for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k) {
      if (a.col[k] == begin + static_cast<Index>(i)) own = a.val[k];
      sum += std::abs(static_cast<double>(a.val[k]));
    }
    const bool is_rounding = !sizes_.empty() && std::abs(static_cast<double>(own)) <= rounding_of_sum<T> * sizes_[i];
    const float inverse = 1 / own;
    found.inverse[i] = std::isfinite(inverse) && !is_rounding ? inverse : 0.0f;
    found.largest = std::max(found.largest, sum * std::abs(static_cast<double>(found.inverse[i])));
  }
  return found;
}

/// Goes on to the next level. False, with everything as before, where that isn't smaller.
template <class Local, class T>
bool DistributedLevels<Local, T>::go_on(Rows& rows) {
  const Team& team = space_.team();
  Groups<Local> groups = team.agreed([&] { return groups_of_own(rows); });
  const Partition coarse = Partition::of_lengths(team, groups.count);
  const double most = hierarchy_definition::least_shrinking * rows.parts.rows();
  if (coarse.rows() == 0 || coarse.rows() > most) return false;
  Csr<T> next = CoarseRows<Local, T>(space_.local(), team, rows.parts, coarse, rows.view, groups).take();
  AlgebraicLevel<Space>& level = levels_.back();
  team.agreed([&] {
    Vector<Local, double> sizes(space_.local(), static_cast<std::size_t>(groups.count));
    if (groups.count > 0)
      for_each_row(space_.local(), sizes.size(), static_cast<Offset>(groups.of.size()),
                   SumSizes<T>{groups.pattern(), nullptr, level.inverse.data(), sizes.data()});
    sizes_ = sizes.download();
  });
  level.groups = std::move(groups);
  rows.kept = std::move(next);
  rows = {coarse, rows.kept.view(), std::move(rows.kept)};
  return true;
}

/// Groups by the entries in own columns.
template <class Local, class T>
Groups<Local> DistributedLevels<Local, T>::groups_of_own(const Rows& rows) const {
  const Local& local = space_.local();
  const Points points{rows.view.rows};
  if (points.count == 0) return groups_of(local, Vector<Local, Index>(local, 0), 0);
  const SpaceCsr<Local, T> own(local, own_block(space_.team(), rows.parts, rows.view));
  Aggregation<Local, T> made = aggregate(local, own, points, factor_, threshold_, Coupling::opposite);
  return groups_of_rows(local, std::move(made.aggregate), made.count, points);
}

template <class Local, class T>
void DistributedLevels<Local, T>::gather(const Rows& rows, const MultigridOptions& options,
                                         const MemoryBudget& memory) {
  LevelsAbove above{{}, levels_.front().is_symmetric, power_};
  for (std::size_t k = 0; k + 1 < levels_.size(); ++k) above.entries.push_back(levels_[k].nonzeros);
  rest_ =
      std::make_unique<GatheredLevels<Local, T>>(space_, rows.parts, rows.view, above, options, memory.beside(bytes()));
}

template <class Local, class T>
std::size_t DistributedLevels<Local, T>::bytes() const {
  std::size_t total = rest_ ? rest_->bytes() : 0;
  for (const auto& level : levels_) total += level.bytes() + level.bytes_of_cycle();
  return total;
}

#define OSTINATO_INSTANTIATE(Local)                                                      \
  template struct AlgebraicLevel<Distributed<Local>>;                                    \
  template multigrid::Cycle<Distributed<Local>> make_cycle(                              \
      const Distributed<Local>&, const std::vector<AlgebraicLevel<Distributed<Local>>>&, \
      const LinearMap<Distributed<Local>, float>*, double, Smoother, int, std::optional<InnerLevels>)
OSTINATO_FOR_SPACES(OSTINATO_INSTANTIATE);
OSTINATO_CLASS(DistributedLevels);

}  // namespace ostinato::algebraic
