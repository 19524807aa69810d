// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/ilu/zero_fill.hpp>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include <ostinato/preconditioners/ilu/factors.hpp>
#include <ostinato/preconditioners/ilu/ic.hpp>
#include <ostinato/preconditioners/ilu/iluk.hpp>
#include <ostinato/preconditioners/ilu/zero_fill_phases.hpp>
#include <ostinato/preconditioners/ilu/zero_fill_steps.hpp>
#include <ostinato/spmv/space/parallel.hpp>
#include <ostinato/spmv/space/scan.hpp>

namespace ostinato {

namespace {

/// A group of one lane, in a space where rows come one after the other.
struct AloneGroup {
  static constexpr int lane() { return 0; }
  static constexpr int lanes() { return 1; }
  static void sync() {}
  template <class V>
  static bool look(const V* p, V& v) {
    v = *p;
    return true;
  }
  template <class V>
  static void publish(V* p, V v) {
    *p = v;
  }
  template <class V>
  static V largest(V v) {
    return v;
  }
  template <class V>
  static V of_lane(V v, int) {
    return v;
  }
  static unsigned all_bits(unsigned v) { return v; }
  static void raise(Index* p, Index v) { *p = std::max(*p, v); }
  static double minus_product(double a, double b, double c) { return a - b * c; }
};

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

std::vector<double> picked(const std::vector<double>& scale, const std::vector<Index>& places) {
  std::vector<double> to;
  for (const Index i : places) to.push_back(scale[static_cast<std::size_t>(i)]);
  return to;
}

}  // namespace

template <class Space, class T>
ZeroFill<Space, T>::Prepared::Prepared(const Space& space, const SpaceCsr<Space, T>& a,
                                       const PreparationOptions& options, const StopRequest& stop) {
  const Csr<double> whole = options.match ? host_copy(space, a) : numbered(space, a.view());
  const Preparation how = prepare(whole.view(), options, stop);
  const Csr<double> ready = prepared(whole.view(), how);
  row_ptr = uploaded<Offset>(space, ready.row_ptr);
  col = uploaded<Index>(space, ready.col);
  if (options.match) {
    val = uploaded<double>(space, ready.val);
  } else {
    from = uploaded<Offset>(space, ready.val);
  }
  row_at = uploaded<Index>(space, how.row);
  col_at = uploaded<Index>(space, how.col);
  if (!how.is_scaled()) return;
  row_scale = uploaded<double>(space, picked(how.row_scale, how.row));
  col_scale = uploaded<double>(space, picked(how.col_scale, how.col));
}

template <class Space, class T>
ZeroFill<Space, T>::ZeroFill(const Space& space, const SpaceCsr<Space, T>& a, ZeroFillKind kind,
                             const PreparationOptions& options, const StopRequest& stop)
    : space_(space),
      kind_(kind),
      entries_(a.view().nonzeros()),
      after_(space, static_cast<std::size_t>(a.view().rows)) {
  if (options.match || options.order != Ordering::natural) prepared_.emplace(space, a, options, stop);
  Vector<Space, double> counts(space, 2, 0.0);
  sum(space_, after_.size(), detail::FindDiagonal{pattern(a), after_.data()}, counts.data());
  const std::vector<double> found = counts.download();
  below_ = static_cast<Offset>(found[0]);
  on_ = static_cast<Offset>(found[1]);
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
  Vector<Space, Index> lower_level(space_, n), upper_level(space_, n), most(space_, 2, Index{0});
  detail::find_levels(space_, lower, upper, lower_level.data(), upper_level.data(), most.data());
  const std::vector<Index> found = most.download();
  return {space_, sweep<V>(lower, std::move(lower_level), found[0] + 1),
          sweep<V>(upper, std::move(upper_level), found[1] + 1)};
}

/// The values of the sweep are unset.
template <class Space, class T>
template <class V>
Sweep<Space, V> ZeroFill<Space, T>::sweep(const detail::Triangle& triangle, Vector<Space, Index> level,
                                          Index levels) const {
  const std::size_t n = after_.size();
  const Offset entries = triangle.upper ? entries_ - below_ - on_ : below_;
  Vector<Space, Index> order(space_, n), other(space_, n);
  SweepArrays<Space, V> s;
  s.groups.levels = levels;
  for_each(space_, n, detail::ListTurns{triangle, s.groups, order.data(), level.data()});
  detail::sort_by_group(space_, level, s.groups.count(), order);
  s.group = std::move(level);
  s.row_ptr = Vector<Space, Offset>(space_, n + 1);
  for_each(space_, n, detail::CountSweepRow{triangle, order.data(), s.row_ptr.data()});
  exclusive_scan(space_, s.row_ptr.span());
  s.col = Vector<Space, Index>(space_, static_cast<std::size_t>(entries));
  const auto runs = detail::EntryRuns::on<Space>(entries);
  const Index* const col_at = prepared_ ? prepared_->col_at.data() : nullptr;
  for_each(space_, runs.count(),
           detail::FillSweepColumns{
               runs, {triangle, order.data(), s.row_ptr.data()}, triangle.upper ? col_at : nullptr, s.col.data()});
  const Index* const row_at = prepared_ ? prepared_->row_at.data() : nullptr;
  for_each(space_, n, detail::NumberRows{order.data(), triangle.upper ? col_at : row_at, other.data()});
  s.source = std::move(triangle.upper ? order : other);
  s.target = std::move(triangle.upper ? other : order);
  return {space_, std::move(s)};
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
  const auto entries = static_cast<std::size_t>(entries_);
  Vector<Space, double> work(space_, entries), upper(space_, entries), pivot(space_, after_.size());
  Vector<Space, Index> bad(space_, 1, Index{0});
  const detail::FactoredRows rows{pattern(a), after_.data(), work.data(), upper.data(), pivot.data()};
  const Vector<Space, SweepTile>& tiles = to.lower().tiles();
  const detail::FactorOrder order{to.lower().arrays().target.data(), tiles.data(),
                                  std::max<std::size_t>(tiles.size(), 1) - 1};
  const auto attempt = [&](double parameter) {
    end_factoring_on(stop);
    load(a, work);
    detail::factor_rows(space_, rows, entries_, order, kind_, parameter, bad.data());
    return bad.download()[0];
  };
  Outcome outcome;
  if (kind_ == ZeroFillKind::ilu) {
    outcome.boosted = attempt(IlukOptions{}.boost);
  } else {
    outcome.shift = first_shift([&](double shift) { return attempt(1 + shift) == 0; });
  }
  store(a, rows, to);
  return outcome;
}

template <class Space, class T>
template <class V>
void ZeroFill<Space, T>::store(const SpaceCsr<Space, T>& a, const detail::FactoredRows& rows,
                               Factored<Space, T, V>& to) const {
  using To = Factored<Space, T, V>;
  detail::FactorValues values{rows.work, rows.upper, rows.pivot, kind_ == ZeroFillKind::ic, {nullptr, nullptr}};
  if (prepared_ && prepared_->row_scale.size() > 0)
    values.scales = {prepared_->row_scale.data(), prepared_->col_scale.data()};
  Vector<Space, double> outside(space_, 4, 0.0);
  Vector<Space, V> val[2], scale[2];
  for (const bool upper : {false, true}) {
    const SweepArrays<Space, V>& s = (upper ? to.upper() : to.lower()).arrays();
    val[upper] = Vector<Space, V>(space_, s.col.size());
    scale[upper] = Vector<Space, V>(space_, after_.size());
    const detail::SweepRows order{triangle(a, upper), (upper ? s.source : s.target).data(), s.row_ptr.data()};
    const auto runs = detail::EntryRuns::on<Space>(static_cast<Offset>(s.col.size()));
    double* const counts = outside.data() + (upper ? 2 : 0);
    sum(space_, runs.count(), detail::FillSweepValues<V>{runs, order, values, val[upper].data()}, counts);
    sum(space_, after_.size(),
        detail::FillSweepScales<V>{order, values, To::least_scale, To::largest_scale, scale[upper].data()}, counts + 1);
  }
  for (const double count : outside.download()) {
    if (count > 0) To::throw_out_of_range();
  }
  to.lower().take(std::move(val[0]), std::move(scale[0]));
  to.upper().take(std::move(val[1]), std::move(scale[1]));
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

template class ZeroFill<Host, float>;
template class ZeroFill<Host, double>;
template class ZeroFill<Cuda, float>;
template class ZeroFill<Cuda, double>;

#define OSTINATO_INSTANTIATE(Space, T, V)                                                                            \
  template Factored<Space, T, V> ZeroFill<Space, T>::sweeps(const SpaceCsr<Space, T>&) const;                        \
  template ZeroFill<Space, T>::Outcome ZeroFill<Space, T>::factor(const SpaceCsr<Space, T>&, Factored<Space, T, V>&, \
                                                                  const StopRequest&) const
OSTINATO_INSTANTIATE(Host, float, float);
OSTINATO_INSTANTIATE(Host, double, double);
OSTINATO_INSTANTIATE(Host, double, float);
OSTINATO_INSTANTIATE(Cuda, float, float);
OSTINATO_INSTANTIATE(Cuda, double, double);
OSTINATO_INSTANTIATE(Cuda, double, float);

namespace detail {

void find_levels(const Host&, const Triangle& lower, const Triangle& upper, Index* lower_level, Index* upper_level,
                 Index* most) {
  for (Index t = 0; t < lower.a.rows; ++t) {
    find_levels_of_rows(AloneGroup{}, lower, t, lower_level, most);
    find_levels_of_rows(AloneGroup{}, upper, t, upper_level, most + 1);
  }
}

void sort_by_group(const Host&, std::span<Index> group, Index, std::span<Index> rows) {
  std::vector<Index> places(rows.size()), sorted(rows.size());
  std::iota(places.begin(), places.end(), Index{0});
  const auto group_of = [&](Index p) { return group[static_cast<std::size_t>(p)]; };
  std::stable_sort(places.begin(), places.end(), [&](Index p, Index q) { return group_of(p) < group_of(q); });
  for (std::size_t p = 0; p < places.size(); ++p) sorted[p] = rows[static_cast<std::size_t>(places[p])];
  std::copy(sorted.begin(), sorted.end(), rows.begin());
  std::sort(group.begin(), group.end());
}

void factor_rows(const Host&, const FactoredRows& rows, Offset, const FactorOrder& order, ZeroFillKind kind,
                 double parameter, Index* bad) {
  *bad = 0;
  double diagonal = 0;
  for (Index at = 0; at < rows.a.rows; ++at) {
    const auto i = static_cast<std::size_t>(order.row[at]);
    const bool counts = kind == ZeroFillKind::ilu ? rows.eliminate(AloneGroup{}, i, parameter, &diagonal)
                                                  : rows.decompose(AloneGroup{}, i, parameter);
    if (counts) ++*bad;
  }
}

}  // namespace detail

}  // namespace ostinato
