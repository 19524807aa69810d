// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/preconditioners/ilu/zero_fill.hpp>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include <ostinato/preconditioners/ilu/ic.hpp>
#include <ostinato/preconditioners/ilu/iluk.hpp>
#include <ostinato/preconditioners/ilu/zero_fill_in_turn.hpp>
#include <ostinato/preconditioners/ilu/zero_fill_phases.hpp>
#include <ostinato/preconditioners/ilu/zero_fill_steps.hpp>
#include <ostinato/preconditioners/triangular/factors.hpp>
#include <ostinato/spmv/space/scan.hpp>
#include <ostinato/spmv/space/side_stream.hpp>
#include <ostinato/spmv/space/sort_by_key.hpp>

namespace ostinato {

namespace zero_fill_definition {

/// The pattern of a matrix in host memory; values are the numbers of the entries.
template <class Space, class T>
Csr<double> numbered(const Space& space, const CsrView<T>& a) {
  Csr<double> h{a.rows, a.cols, Array<Offset>(a.row_ptr.size()), Array<Index>(a.col.size()),
                Array<double>(a.col.size())};
  space.download(h.row_ptr.data(), a.row_ptr.data(), a.row_ptr.size_bytes());
  space.download(h.col.data(), a.col.data(), a.col.size_bytes());
  std::iota(h.val.begin(), h.val.end(), 0.0);
  return h;
}

template <class V, class Space, class From>
Vector<Space, V> uploaded(const Space& space, const From& from) {
  const std::vector<V> values(from.begin(), from.end());
  return Vector<Space, V>(space, std::span<const V>(values));
}

inline std::vector<double> picked(const std::vector<double>& scale, const std::vector<Index>& places) {
  std::vector<double> to;
  for (const Index i : places) to.push_back(scale[static_cast<std::size_t>(i)]);
  return to;
}

}  // namespace zero_fill_definition

template <class Space, class T>
ZeroFill<Space, T>::Prepared::Prepared(const Space& space, const SpaceCsr<Space, T>& a,
                                       const PreparationOptions& options, const StopRequest& stop) {
  const Csr<double> whole = options.match ? host_copy(space, a) : zero_fill_definition::numbered(space, a.view());
  const Preparation how = prepare(whole.view(), options, stop);
  const Csr<double> ready = prepared(whole.view(), how);
  row_ptr = zero_fill_definition::uploaded<Offset>(space, ready.row_ptr);
  col = zero_fill_definition::uploaded<Index>(space, ready.col);
  if (options.match) {
    val = zero_fill_definition::uploaded<double>(space, ready.val);
  } else {
    from = zero_fill_definition::uploaded<Offset>(space, ready.val);
  }
  row_at = zero_fill_definition::uploaded<Index>(space, how.row);
  col_at = zero_fill_definition::uploaded<Index>(space, how.col);
  if (!how.is_scaled()) return;
  row_scale = zero_fill_definition::uploaded<double>(space, zero_fill_definition::picked(how.row_scale, how.row));
  col_scale = zero_fill_definition::uploaded<double>(space, zero_fill_definition::picked(how.col_scale, how.col));
}

template <class Space, class T>
struct ZeroFill<Space, T>::Work {
  Vector<Space, double> value;      ///< of the entries
  Vector<Space, double> published;  ///< of the entries; then the pivots, and the counts
  detail::FactoredRows rows;
  detail::FactorCounts* counts;

  Work(const ZeroFill& of, const SpaceCsr<Space, T>& a)
      : value(of.space_, static_cast<std::size_t>(of.entries_)),
        published(of.space_, value.size() + of.after_.size() + sizeof(detail::FactorCounts) / sizeof(double)),
        rows{of.pattern(a), of.after_.data(), value.data(), published.data(), published.data() + value.size()},
        counts(reinterpret_cast<detail::FactorCounts*>(rows.pivot + of.after_.size())) {}
};

template <class Space, class T>
ZeroFill<Space, T>::ZeroFill(const Space& space, const SpaceCsr<Space, T>& a, ZeroFillKind kind,
                             const PreparationOptions& options, const StopRequest& stop)
    : space_(space),
      kind_(kind),
      entries_(a.view().nonzeros()),
      after_(space, static_cast<std::size_t>(a.view().rows)) {
  if (options.match || options.order != Ordering::natural) prepared_.emplace(space, a, options, stop);
  Vector<Space, double> counts(space, 3);
  sum(space_, after_.size(), detail::FindDiagonal{pattern(a), after_.data()}, counts.data());
  const std::vector<double> found = counts.download();
  below_ = static_cast<Offset>(found[0]);
  on_ = static_cast<Offset>(found[1]);
  in_long_rows_ = static_cast<Offset>(found[2]);
}

template <class Space, class T>
detail::CsrPattern ZeroFill<Space, T>::pattern(const SpaceCsr<Space, T>& a) const {
  if (!prepared_) return detail::pattern_of(a.view());
  return {a.view().rows, prepared_->row_ptr.data(), prepared_->col.data()};
}

template <class Space, class T>
detail::Triangle ZeroFill<Space, T>::triangle(const SpaceCsr<Space, T>& a, bool upper) const {
  return {pattern(a), after_.data(), upper};
}

template <class Space, class T>
template <class V>
Factored<Space, T, V> ZeroFill<Space, T>::sweeps(const SpaceCsr<Space, T>& a) const {
  const std::size_t n = after_.size();
  const detail::Triangle lower = triangle(a, false), upper = triangle(a, true);
  const Vector<Space, Index> level = detail::find_levels(space_, lower);
  Index latest[2];
  space_.download(latest, level.data() + 2 * n, sizeof latest);
  JoinedGroups groups;
  for (const int s : {0, 1}) groups.of[s].levels = std::max(latest[s], 0) + 1;
  Vector<Space, Index> order(space_, 2 * n);
  Vector<Space, unsigned> group(space_, 2 * n);
  const auto list = [&](const detail::Triangle& triangle, int s) {
    const std::size_t first = s == 0 ? 0 : n;
    return detail::ListTurns{
        triangle, groups.of[s], groups.first(s), level.data() + first, order.data() + first, group.data() + first};
  };
  for_each(space_, 2 * n, detail::Both<detail::ListTurns>{n, {list(lower, 0), list(upper, 1)}});
  sort_by_key(space_, group, groups.count() - 1, order);
  auto [first, second] = list_rows<V>(a, groups, order);
  auto sweeps = Sweep<Space, V>::both(space_, std::move(first), std::move(second), group);
  return {space_, std::move(sweeps.first), std::move(sweeps.second)};
}

/// The arrays of both sweeps, whose rows are in this order. Their values and scales are unset.
template <class Space, class T>
template <class V>
std::pair<SweepArrays<Space, V>, SweepArrays<Space, V>> ZeroFill<Space, T>::list_rows(
    const SpaceCsr<Space, T>& a, const JoinedGroups& groups, const Vector<Space, Index>& order) const {
  const std::size_t n = after_.size();
  SweepArrays<Space, V> lower, upper;
  const Index *const row_at = prepared_ ? prepared_->row_at.data() : nullptr, *const col_at =
                                                                                  prepared_ ? prepared_->col_at.data()
                                                                                            : nullptr;
  const auto list = [&](SweepArrays<Space, V>& s, bool is_upper) {
    s.groups = groups.of[is_upper];
    s.row_ptr = Vector<Space, Offset>(space_, n + 1);
    s.source = Vector<Space, Index>(space_, n);
    s.target = Vector<Space, Index>(space_, n);
    return detail::ListSweepRows{.triangle = triangle(a, is_upper),
                                 .order = order.data() + (is_upper ? n : 0),
                                 .of_source = is_upper ? nullptr : row_at,
                                 .of_target = is_upper ? col_at : nullptr,
                                 .count = s.row_ptr.data(),
                                 .source = s.source.data(),
                                 .target = s.target.data()};
  };
  for_each(space_, 2 * n, detail::Both<detail::ListSweepRows>{n, {list(lower, false), list(upper, true)}});
  exclusive_scan(space_, lower.row_ptr.span());
  exclusive_scan(space_, upper.row_ptr.span());
  const auto fill = [&](SweepArrays<Space, V>& s, bool is_upper, Offset entries) {
    s.col = Vector<Space, Index>(space_, static_cast<std::size_t>(entries));
    const detail::SweepRows rows{triangle(a, is_upper), order.data() + (is_upper ? n : 0), s.row_ptr.data()};
    return detail::FillSweepColumns{detail::EntryRuns::on<Space>(entries), rows, is_upper ? col_at : nullptr,
                                    s.col.data()};
  };
  const detail::FillSweepColumns first = fill(lower, false, below_),
                                 second = fill(upper, true, entries_ - below_ - on_);
  for_each(space_, first.runs.count() + second.runs.count(),
           detail::Both<detail::FillSweepColumns>{first.runs.count(), {first, second}});
  return {std::move(lower), std::move(upper)};
}

template <class Space, class T>
detail::FactorOrder ZeroFill<Space, T>::order_by(const Index* row, const Vector<Space, SweepTile>& tiles,
                                                 Index levels) const {
  return {row, tiles.data(), std::max<std::size_t>(tiles.size(), 1) - 1, levels, 4 * in_long_rows_ >= entries_};
}

template <class Space, class T>
void ZeroFill<Space, T>::load(const SpaceCsr<Space, T>& a, std::span<double> work) const {
  if (prepared_ && prepared_->from.size() == 0) {
    space_.copy(work.data(), prepared_->val.data(), work.size_bytes());
  } else {
    const Offset* const from = prepared_ ? prepared_->from.data() : nullptr;
    for_each(space_, work.size(), detail::LoadEntries<T>{a.view().val.data(), from, work.data()});
  }
}

template <class Space, class T>
template <class V>
auto ZeroFill<Space, T>::factor(const SpaceCsr<Space, T>& a, Factored<Space, T, V>& to, const StopRequest& stop) const
    -> Outcome {
  Work work(*this, a);
  attempt(a, work, order_of(to), first_parameter(), stop);
  return finish(a, work, to, stop);
}

template <class Space, class T>
template <class V>
auto ZeroFill<Space, T>::make(const SpaceCsr<Space, T>& a, const StopRequest& stop) const
    -> std::pair<Factored<Space, T, V>, Outcome> {
  if (!detail::factors_in_turn(space_, after_.size(), false)) {
    Factored<Space, T, V> to = sweeps<V>(a);
    const Outcome outcome = factor(a, to, stop);
    return {std::move(to), outcome};
  }
  Work work(*this, a);
  SideStream<Space> side(space_);
  side.mark();
  side.run([&] { attempt(a, work, {}, first_parameter(), stop); });
  Factored<Space, T, V> to = sweeps<V>(a);
  side.join();
  const Outcome outcome = finish(a, work, to, stop);
  return {std::move(to), outcome};
}

/// The order in which a matrix with these sweeps is factored.
template <class Space, class T>
template <class V>
detail::FactorOrder ZeroFill<Space, T>::order_of(const Factored<Space, T, V>& sweeps) const {
  if (detail::factors_in_turn(space_, after_.size(), true)) return {};
  const SweepArrays<Space, V>& lower = sweeps.lower().arrays();
  return order_by(lower.target.data(), sweeps.lower().tiles(), lower.groups.levels);
}

/// Of the first attempt: ILU(0) raises small pivots, IC(0) begins without a shift.
template <class Space, class T>
double ZeroFill<Space, T>::first_parameter() const {
  return kind_ == ZeroFillKind::ilu ? IlukOptions{}.boost : 1;
}

template <class Space, class T>
void ZeroFill<Space, T>::attempt(const SpaceCsr<Space, T>& a, Work& work, const detail::FactorOrder& order,
                                 double parameter, const StopRequest& stop) const {
  end_factoring_on(stop);
  load(a, work.value);
  detail::factor_rows(space_, work.rows, entries_, order, kind_, parameter, work.counts);
}

template <class Space, class T>
detail::FactorCounts ZeroFill<Space, T>::counts_of(const Work& work) const {
  detail::FactorCounts found;
  space_.download(&found, work.counts, sizeof found);
  return found;
}

/// The shift of A with which IC(0) succeeds, after the first attempt, which had none.
template <class Space, class T>
double ZeroFill<Space, T>::find_shift(const SpaceCsr<Space, T>& a, Work& work, const detail::FactorOrder& order,
                                      const StopRequest& stop) const {
  return first_shift([&](double shift) {
    if (shift > 0) attempt(a, work, order, 1 + shift, stop);
    return counts_of(work).bad + 1 == 0;
  });
}

/// After the first attempt.
template <class Space, class T>
template <class V>
auto ZeroFill<Space, T>::finish(const SpaceCsr<Space, T>& a, Work& work, Factored<Space, T, V>& to,
                                const StopRequest& stop) const -> Outcome {
  Outcome outcome;
  if (kind_ == ZeroFillKind::ilu) {
    outcome.boosted = store(a, work, to).bad + 1;
  } else {
    outcome.shift = find_shift(a, work, order_of(to), stop);
    store(a, work, to);
  }
  return outcome;
}

/// Returns the counts at the end.
template <class Space, class T>
template <class V>
detail::FactorCounts ZeroFill<Space, T>::store(const SpaceCsr<Space, T>& a, const Work& work,
                                               Factored<Space, T, V>& to) const {
  using To = Factored<Space, T, V>;
  const detail::FactoredRows& rows = work.rows;
  detail::FactorValues values{rows.work, rows.upper, rows.pivot, kind_ == ZeroFillKind::ic, {nullptr, nullptr}};
  if (prepared_ && prepared_->row_scale.size() > 0)
    values.scales = {prepared_->row_scale.data(), prepared_->col_scale.data()};
  const std::size_t n = after_.size();
  Vector<Space, V> val[2], scale[2];
  const auto order = [&](bool upper) {
    const SweepArrays<Space, V>& s = (upper ? to.upper() : to.lower()).arrays();
    return detail::SweepRows{triangle(a, upper), (upper ? s.source : s.target).data(), s.row_ptr.data()};
  };
  const auto fill_values = [&](bool upper) {
    const std::size_t entries = (upper ? to.upper() : to.lower()).arrays().col.size();
    val[upper] = Vector<Space, V>(space_, entries);
    return detail::FillSweepValues<V>{detail::EntryRuns::on<Space>(static_cast<Offset>(entries)), order(upper), values,
                                      val[upper].data()};
  };
  const auto fill_scales = [&](bool upper) {
    scale[upper] = Vector<Space, V>(space_, n);
    return detail::FillSweepScales<V>{order(upper), values, To::scale_range, scale[upper].data()};
  };
  const auto lower = fill_values(false), upper = fill_values(true);
  const std::size_t runs = lower.runs.count() + upper.runs.count();
  sum(space_, runs + 2 * n,
      detail::FillSweeps<V>{runs, {lower.runs.count(), {lower, upper}}, {n, {fill_scales(false), fill_scales(true)}}},
      &work.counts->outside);
  const detail::FactorCounts found = counts_of(work);
  if (found.outside > 0) To::throw_out_of_range();
  to.lower().take(std::move(val[0]), std::move(scale[0]));
  to.upper().take(std::move(val[1]), std::move(scale[1]));
  return found;
}

template <class Space, class T>
Offset ZeroFill<Space, T>::nonzeros() const {
  return entries_ - on_ + static_cast<Offset>(after_.size());
}

template <class Space, class T>
std::size_t ZeroFill<Space, T>::bytes() const {
  if (!prepared_) return after_.bytes();
  const Prepared& p = *prepared_;
  return after_.bytes() + p.row_ptr.bytes() + p.col.bytes() + p.from.bytes() + p.val.bytes() + p.row_at.bytes() +
         p.col_at.bytes() + p.row_scale.bytes() + p.col_scale.bytes();
}

}  // namespace ostinato
