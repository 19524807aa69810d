// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/strategy/prepared_matrix.hpp>

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include <ostinato/spmv/algebra/accurate_residual.hpp>
#include <ostinato/spmv/algebra/filter.hpp>
#include <ostinato/spmv/algebra/scale.hpp>
#include <ostinato/spmv/algebra/sum.hpp>
#include <ostinato/spmv/algebra/transpose.hpp>
#include <ostinato/spmv/analysis/equal_rows.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>
#include <ostinato/spmv/space/parallel.hpp>
#include <ostinato/spmv/space/to_host.hpp>
#include <ostinato/strategy/preparation_steps.hpp>
#include <ostinato/strategy/scaling.hpp>

namespace ostinato {

namespace {

/// A power of two amid the rows.
template <class T, class Facts>
T unit_amid(const Facts& facts) {
  return static_cast<T>(std::ldexp(1.0, (facts.least_exponent + facts.largest_exponent) / 2));
}

template <class Space, class T>
SpaceCsr<Space, T> with_values(const SpaceCsr<Space, T>& a, Vector<Space, T> values) {
  return SpaceCsr<Space, T>(a.view(), std::make_shared<const Vector<Space, T>>(std::move(values)));
}

/// (A + A^T) / 2
template <class Space, class T>
SpaceCsr<Space, T> symmetric_part(const Space& space, const SpaceCsr<Space, T>& a) {
  const Vector<Space, T> half(space, static_cast<std::size_t>(a.view().rows), T{0.5});
  const SpaceCsr<Space, T> of_a = scaled<Space, T>(space, a, half.span(), {});  // sums stay in range
  return add(space, of_a, T{1}, transpose(space, of_a));
}

}  // namespace

template <class Space, class T>
PreparedMatrix<Space, T>::PreparedMatrix(const Analysis<Space, T>& given, const SystemPreparationOptions& options)
    : given_(given), analysis_(given) {
  const Structure& s = given.structure();
  if (!options.enabled || s.rows != s.cols || s.rows == 0 || !s.finite || s.lengths_only) return;
  RowFacts<Space, T> facts = row_facts(given.space(), given.matrix().view(), s);
  if (facts.zero_rows > 0) find_empty(facts);
  if (facts.zero_rows == s.rows) return;
  if (facts.zero_rows > 0 || (facts.diagonal_rows > 0 && !s.symmetric)) {
    decouple(facts);
    if (what_.changes_matrix()) facts = row_facts(given.space(), analysis_.matrix().view(), analysis_.structure());
  }
  if (!analysis_.structure().symmetric && (options.symmetric || facts.is_nearly_symmetric()))
    take_symmetric_part(facts.asymmetry);
  what_.has_constants = facts.sums_vanish && analysis_.structure().symmetric;
  if (what_.has_constants) coupled_ = std::move(facts.kinds);
  const Analysis<Space, T>& a = analysis_;
  if (a.structure().symmetric && may_have_equal_rows(a.space(), a.matrix().view()))
    what_.equal_rows = equal_rows(a.space(), a.matrix().view()).count;
  if (facts.spread() > most_spread_of_rows) scale_rows(facts.spread());
}

/// Takes note of the zero rows. Those whose unknowns other rows refer to become general: another x there may be needed.
template <class Space, class T>
void PreparedMatrix<Space, T>::find_empty(RowFacts<Space, T>& facts) {
  const Space& space = given_.space();
  const CsrView<T>& a = given_.matrix().view();
  std::vector<RowKind> kinds = facts.kinds.download();
  for (std::size_t i = 0; i < kinds.size(); ++i)
    if (kinds[i] == RowKind::zero) empty_.push_back(static_cast<Index>(i));
  const std::vector<Index> col = detail::to_host<Index>(space, a.col);
  const std::vector<T> val = detail::to_host<T>(space, a.val);
  for (std::size_t k = 0; k < col.size(); ++k) {
    RowKind& kind = kinds[static_cast<std::size_t>(col[k])];
    if (val[k] == T{0} || kind != RowKind::zero) continue;
    kind = RowKind::general;
    --facts.zero_rows;
  }
  space.upload(facts.kinds.data(), kinds.data(), facts.kinds.bytes());
  space.wait();
}

/// A without the couplings of rows that aren't general, and with a diagonal entry in each row.
template <class Space, class T>
SpaceCsr<Space, T> PreparedMatrix<Space, T>::decoupled(T unit) const {
  const Space& space = given_.space();
  const CsrView<T>& a = given_.matrix().view();
  Vector<Space, T> values(space, a.val.size());
  const auto runs = detail::EntryRuns::on<Space>(a.nonzeros());
  for_each(space, runs.count(),
           detail::DecoupleEntries<T>{runs, detail::pattern_of(a), a.val.data(), kinds_.data(), unit, values.data()});
  const SpaceCsr<Space, T> rest = filter(space, with_values(given_.matrix(), std::move(values)), FilterOptions{});
  if (given_.structure().missing_diagonal == 0) return rest;
  // Zero rows may have no entry for the diagonal.
  const std::vector<RowKind> kinds = kinds_.download();
  Csr<T> units;
  units.rows = units.cols = a.rows;
  units.row_ptr.assign(1, 0);
  for (Index i = 0; i < a.rows; ++i) {
    const bool is_zero = kinds[static_cast<std::size_t>(i)] == RowKind::zero;
    if (is_zero) units.col.push_back(i);
    units.row_ptr.push_back(static_cast<Offset>(units.col.size()));
  }
  units.val.assign(units.col.size(), T{0});
  const SpaceCsr<Space, T> sum = add(space, rest, T{1}, SpaceCsr<Space, T>(space, std::move(units)));
  Vector<Space, T> with_units(space, sum.view().val.size());
  const auto all = detail::EntryRuns::on<Space>(sum.view().nonzeros());
  for_each(space, all.count(),
           detail::DecoupleEntries<T>{all, detail::pattern_of(sum.view()), sum.view().val.data(), kinds_.data(), unit,
                                      with_units.data()});
  return with_values(sum, std::move(with_units)).kept(space);
}

/// Decouples the rows that aren't general, if that helps: if there are zero rows, or the rest is symmetric.
template <class Space, class T>
void PreparedMatrix<Space, T>::decouple(const RowFacts<Space, T>& facts) {
  const Space& space = given_.space();
  kinds_ = Vector<Space, RowKind>(space, facts.kinds.size());
  space.copy(kinds_.data(), facts.kinds.data(), kinds_.bytes());
  const T unit = unit_amid<T>(facts);
  Analysis<Space, T> rest(space, decoupled(unit));
  if (facts.zero_rows > 0 && !rest.structure().positive_diagonal) {
    const Analysis<Space, T> other(space, decoupled(-unit));
    if (other.structure().negative_diagonal) rest = other;
  }
  const bool helps = facts.zero_rows > 0 || rest.structure().symmetric ||
                     row_facts(space, rest.matrix().view(), rest.structure()).is_nearly_symmetric();
  if (!helps) {
    kinds_ = {};
    return;
  }
  what_.diagonal_rows = facts.diagonal_rows;
  what_.zero_rows = facts.zero_rows;
  const CsrView<T>& a = given_.matrix().view();
  const auto runs = detail::EntryRuns::on<Space>(a.nonzeros());
  Vector<Space, double> count(space, 1);
  sum(space, runs.count(), detail::CountFixed<T>{runs, detail::pattern_of(a), a.val.data(), kinds_.data()},
      count.data());
  what_.fixes_unknowns = count.download()[0] > 0;
  analysis_ = std::move(rest);
  diagonal_ = Vector<Space, T>(space, kinds_.size());
  diagonal<Space, T>(space, analysis_.matrix().view(), diagonal_.span());
}

template <class Space, class T>
void PreparedMatrix<Space, T>::take_symmetric_part(double asymmetry) {
  what_.symmetrised = true;
  what_.asymmetry = asymmetry <= RowFacts<Space, T>::most_asymmetry ? asymmetry : 0;
  analysis_ = Analysis<Space, T>(given_.space(), symmetric_part(given_.space(), analysis_.matrix()));
}

template <class Space, class T>
void PreparedMatrix<Space, T>::scale_rows(int spread) {
  const Space& space = given_.space();
  const SpaceCsr<Space, T>& a = analysis_.matrix();
  const auto as_they_are = [](const Vector<Space, int>& exponents) -> const Vector<Space, int>& { return exponents; };
  Scaling<Space, T> scaling(space, static_cast<std::size_t>(a.view().rows));
  const Exponents<Space> e = analysis_.structure().symmetric
                                 ? scaling.of_symmetric(a.view(), as_they_are)
                                 : scaling.of_general(a.view(), as_they_are, transpose(space, a).view(), as_they_are);
  what_.scaled_by = spread;
  left_ = powers_of<Space, T>(space, e.rows, nullptr);
  right_ = powers_of<Space, T>(space, e.columns, &right_inverse_);
  analysis_ = Analysis<Space, T>(space, scaled<Space, T>(space, a, left_.span(), right_.span()));
}

template <class Space, class T>
std::optional<Index> PreparedMatrix<Space, T>::unsolvable_row(In<T> b, double goal) const {
  if (empty_.empty()) return {};
  const std::vector<T> of_b = detail::to_host<T>(given_.space(), b);
  const auto size_at = [&](Index i) { return std::abs(static_cast<double>(of_b[static_cast<std::size_t>(i)])); };
  double size = 0;
  Index largest = empty_.front();
  for (const Index i : empty_) {
    if (size_at(i) > size_at(largest)) largest = i;
    size = std::hypot(size, size_at(i));
  }
  return size > goal ? std::optional(largest) : std::nullopt;
}

template <class Space, class T>
void PreparedMatrix<Space, T>::set_known(In<T> b, In<T> guess, Out<T> known) const {
  for_each(given_.space(), known.size(),
           detail::SetKnown<T>{kinds_.data(), diagonal_.data(), b.data(), guess.data(), known.data()});
}

template <class Space, class T>
void PreparedMatrix<Space, T>::enter(In<T> b, In<T> x, Out<T> prepared_b, Out<T> prepared_x) const {
  const Space& space = given_.space();
  copy<T>(space, b, prepared_b);
  copy<T>(space, x, prepared_x);
  if (kinds_.size() > 0) {
    Vector<Space, T> known(space, b.size());
    Vector<Space, double> slot(space, 1);
    set_known(b, x, known);
    accurate_residual<T>(space, given_.matrix().view(), 1, 1, known, b, prepared_b, slot.data());
    for_each(
        space, b.size(),
        detail::EnterKnown<T>{kinds_.data(), diagonal_.data(), known.data(), prepared_b.data(), prepared_x.data()});
  }
  if (what_.has_constants) fit(prepared_b);
  if (left_.size() == 0) return;
  multiply<T>(space, left_, prepared_b, prepared_b);
  multiply<T>(space, right_inverse_, prepared_x, prepared_x);
}

template <class Space, class T>
void PreparedMatrix<Space, T>::leave(In<T> prepared_x, In<T> b, In<T> guess, Out<T> x) const {
  const Space& space = given_.space();
  Vector<Space, T> known(space, kinds_.size());
  if (kinds_.size() > 0) set_known(b, guess, known);  // `guess` may be x
  if (right_.size() > 0) {
    multiply<T>(space, right_, prepared_x, x);
  } else {
    copy<T>(space, prepared_x, x);
  }
  if (kinds_.size() > 0) for_each(space, x.size(), detail::LeaveKnown<T>{kinds_.data(), known.data(), x.data()});
}

/// Takes what b has along the constants of each part out of b.
template <class Space, class T>
void PreparedMatrix<Space, T>::fit(Out<T> b) const {
  const Space& space = given_.space();
  if (part_.empty()) {
    Vector<Space, double> sums(space, 2);
    sum(space, b.size(), detail::SumGeneral<T>{coupled_.data(), b.data()}, sums.data());
    return for_each(space, b.size(), detail::ShiftGeneral<T>{coupled_.data(), sums.data(), b.data()});
  }
  std::vector<T> host = detail::to_host<T>(space, b);
  std::vector<double> sums(host.size(), 0), counts(host.size(), 0);
  for (std::size_t i = 0; i < host.size(); ++i) {
    if (part_[i] < 0) continue;
    sums[static_cast<std::size_t>(part_[i])] += static_cast<double>(host[i]);
    counts[static_cast<std::size_t>(part_[i])] += 1;
  }
  for (std::size_t i = 0; i < host.size(); ++i) {
    const auto part = static_cast<std::size_t>(std::max(part_[i], 0));
    if (part_[i] >= 0) host[i] = static_cast<T>(static_cast<double>(host[i]) - sums[part] / counts[part]);
  }
  space.upload(b.data(), host.data(), b.size_bytes());
  space.wait();
}

template <class Space, class T>
bool PreparedMatrix<Space, T>::separate_parts() {
  if (!what_.has_constants || !part_.empty()) return false;
  const Space& space = given_.space();
  const CsrView<T>& a = analysis_.matrix().view();
  const std::vector<Offset> row_ptr = detail::to_host<Offset>(space, a.row_ptr);
  const std::vector<Index> col = detail::to_host<Index>(space, a.col);
  const std::vector<T> val = detail::to_host<T>(space, a.val);
  std::vector<Index> root(static_cast<std::size_t>(a.rows));
  std::iota(root.begin(), root.end(), Index{0});
  const auto find = [&](Index i) {
    while (root[static_cast<std::size_t>(i)] != i) {
      Index& up = root[static_cast<std::size_t>(i)];
      i = up = root[static_cast<std::size_t>(up)];
    }
    return i;
  };
  Index joined = 0;
  for (Index i = 0; i < a.rows; ++i) {
    for (auto k = static_cast<std::size_t>(row_ptr[static_cast<std::size_t>(i)]);
         k < static_cast<std::size_t>(row_ptr[static_cast<std::size_t>(i) + 1]); ++k) {
      const Index p = find(i), q = find(col[k]);
      if (val[k] == T{0} || p == q) continue;
      root[static_cast<std::size_t>(std::max(p, q))] = std::min(p, q);
      ++joined;
    }
  }
  const std::vector<RowKind> kinds = coupled_.download();
  const auto alone = std::count_if(kinds.begin(), kinds.end(), [](RowKind k) { return k != RowKind::general; });
  if (joined + alone + 1 >= a.rows) return false;
  part_.resize(root.size());
  for (Index i = 0; i < a.rows; ++i) {
    const bool is_general = kinds[static_cast<std::size_t>(i)] == RowKind::general;
    part_[static_cast<std::size_t>(i)] = is_general ? find(i) : -1;
  }
  return true;
}

OSTINATO_CLASS(PreparedMatrix);

}  // namespace ostinato
