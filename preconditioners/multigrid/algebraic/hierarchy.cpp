// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/algebraic/hierarchy.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include <ostinato/preconditioners/definite_sign.hpp>
#include <ostinato/preconditioners/largest_eigenvalue.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/aggressive.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/bounded_product.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/coarse_inverse.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/interpolation.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/level_steps.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/pairwise_aggregation.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/smoothed_aggregation.hpp>
#include <ostinato/spmv/matrix/algebra/transpose.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/error.hpp>
#include <ostinato/spmv/space/host.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato::algebraic {

namespace {

constexpr Index coarsest_rows = 150;     // an inverse of 90 kB, made in some ms
constexpr double least_shrinking = 0.9;  // rows of the next level in those of a level
constexpr std::size_t most_levels = 30;
constexpr double margin = 1.05;  // the estimate of the largest eigenvalue may be a little below

/// The power of two that brings the norm of a matrix to 1 .. 2, with the sign of its diagonal.
double power_for(const Structure& s) {
  const double norm = s.norm_inf;
  return definite_sign(s) * (norm > 0 && std::isfinite(norm) ? std::ldexp(1.0, -std::ilogb(norm)) : 1.0);
}

/// The matrix in float, times a factor.
template <class Space, class T>
SpaceCsr<Space, float> in_float(const Space& space, const CsrView<T>& a, double factor) {
  const auto f = std::make_shared<CsrStorage<Space, float>>(
      CsrStorage<Space, float>{a.rows, a.cols, Vector<Space, Offset>(space, a.row_ptr.size()),
                               Vector<Space, Index>(space, a.col.size()), Vector<Space, float>(space, a.val.size())});
  Vector<Space, double> bad(space, 1);
  space.copy(f->row_ptr.data(), a.row_ptr.data(), f->row_ptr.bytes());
  space.copy(f->col.data(), a.col.data(), f->col.bytes());
  sum(space, a.val.size(), ToFloat<T>{factor, a.val.data(), f->val.data()}, bad.data());
  if (bad.download()[0] > 0) throw ArgumentError("multigrid: a coarser matrix leaves the range of float");
  return SpaceCsr<Space, float>(f);
}

template <class Space>
Operator<Space, float> in_a_format(const Space& space, SpaceCsr<Space, float> a) {
  return Operator<Space, float>(Analysis<Space, float>(space, std::move(a)));
}

template <class Space, class T>
Csr<double> on_host(const Space& space, const CsrView<T>& a) {
  Csr<T> h{a.rows, a.cols, Array<Offset>(a.row_ptr.size()), Array<Index>(a.col.size()), Array<T>(a.val.size())};
  space.download(h.row_ptr.data(), a.row_ptr.data(), a.row_ptr.size_bytes());
  space.download(h.col.data(), a.col.data(), a.col.size_bytes());
  space.download(h.val.data(), a.val.data(), a.val.size_bytes());
  Csr<double> d{h.rows, h.cols, std::move(h.row_ptr), std::move(h.col), Array<double>(h.val.size())};
  std::copy(h.val.begin(), h.val.end(), d.val.begin());
  return d;
}

/// A full matrix, row by row.
Csr<float> full(Index n, const std::vector<double>& values) {
  Csr<float> a{n, n, Array<Offset>(static_cast<std::size_t>(n) + 1), Array<Index>(values.size()),
               Array<float>(values.size())};
  for (std::size_t i = 0; i < a.row_ptr.size(); ++i) a.row_ptr[i] = static_cast<Offset>(i) * n;
  for (std::size_t k = 0; k < values.size(); ++k) {
    a.col[k] = static_cast<Index>(k % static_cast<std::size_t>(n));
    a.val[k] = static_cast<float>(values[k]);
    if (!std::isfinite(a.val[k])) throw ArgumentError("multigrid: the coarsest matrix has no inverse in float");
  }
  return a;
}

}  // namespace

template <class Space>
std::size_t AlgebraicLevel<Space>::bytes() const {
  return a.bytes() + inverse.bytes() + (prolong ? prolong->bytes() + restrict->bytes() : 0) +
         (groups ? groups->bytes() : 0);
}

template <class Space, class T>
AlgebraicHierarchy<Space, T>::AlgebraicHierarchy(const Analysis<Space, T>& analysis, const AlgebraicOptions& options)
    : power_(power_for(analysis.structure())) {
  using Matrix = SpaceCsr<Space, T>;
  using Interpolation = std::optional<Matrix>;
  const Space& space = analysis.space();
  if (options.pairs) {
    PairwiseAggregation<Space, T> aggregation(space, analysis.matrix(), *options.pairs, analysis.structure().symmetric);
    add_levels(space, analysis.matrix(), [&](const Matrix& a) -> Interpolation {
      std::optional<GroupedLevel<Space, T>> made = aggregation.next(a);
      if (!made || made->groups.count > least_shrinking * a.view().rows) return {};
      levels_.back().groups = std::move(made->groups);
      return made->a;
    });
  } else if (options.near_null) {
    SmoothedAggregation<Space, T> aggregation(space, *options.near_null, power_, options.threshold);
    add_levels(space, analysis.matrix(), [&](const Matrix& a) {
      return interpolated(space, a, aggregation.next(a, levels_.back().largest), options.near_null->count);
    });
  } else {
    add_levels(space, analysis.matrix(), [&](const Matrix& a) -> Interpolation {
      const bool twice = levels_.size() <= static_cast<std::size_t>(options.aggressive);
      const Coarsening<Space> c =
          twice ? coarsen_twice(space, a.view(), options.coarsening) : coarsen(space, a.view(), options.coarsening);
      if (c.coarse_rows == 0 || c.coarse_rows > least_shrinking * a.view().rows) return {};
      return interpolated(space, a,
                          twice ? multipass_interpolation(space, a.view(), c, options.entries)
                                : interpolation(space, a.view(), c, options.entries),
                          1);
    });
  }
}

template <class Space, class T>
template <class F>
void AlgebraicHierarchy<Space, T>::add_levels(const Space& space, SpaceCsr<Space, T> a, F next) {
  add_level(space, a.view());
  while (a.view().rows > coarsest_rows && levels_.size() < most_levels) {
    const std::optional<SpaceCsr<Space, T>> coarse = next(a);
    if (!coarse) return;
    a = *coarse;
    add_level(space, a.view());
  }
  if (a.view().rows <= coarsest_rows) invert(space, a);
}

/// P^T A P, with P and its transpose on the last level so far; nothing where P isn't there or doesn't shrink the level. A
/// point of the next level has `vectors` unknowns.
template <class Space, class T>
std::optional<SpaceCsr<Space, T>> AlgebraicHierarchy<Space, T>::interpolated(const Space& space,
                                                                             const SpaceCsr<Space, T>& a,
                                                                             const std::optional<SpaceCsr<Space, T>>& p,
                                                                             Offset vectors) {
  if (!p || p->view().cols > least_shrinking * a.view().rows) return {};
  const SpaceCsr<Space, T> r = transpose(space, *p);
  const Offset entries = a.view().nonzeros() * vectors * vectors;
  SpaceCsr<Space, T> coarse = bounded_product(space, r, bounded_product(space, a, *p, entries), entries);
  levels_.back().prolong = in_a_format(space, in_float(space, p->view(), 1));
  levels_.back().restrict = in_a_format(space, in_float(space, r.view(), 1));
  return coarse;
}

template <class Space, class T>
void AlgebraicHierarchy<Space, T>::add_level(const Space& space, const CsrView<T>& a) {
  SpaceCsr<Space, float> m = in_float(space, a, power_);
  Vector<Space, float> inverse(space, static_cast<std::size_t>(a.rows));
  for_each(space, inverse.size(),
           InvertLevelDiagonal{detail::pattern_of(m.view()), m.view().val.data(), inverse.data()});
  Operator<Space, float> op = in_a_format(space, m);
  const double largest = margin * largest_eigenvalue(op, m.view(), inverse);
  levels_.push_back({std::move(op), std::move(inverse), largest, {}, {}, {}});
}

template <class Space, class T>
void AlgebraicHierarchy<Space, T>::invert(const Space& space, const SpaceCsr<Space, T>& a) {
  Csr<double> scaled = on_host(space, a.view());
  for (double& v : scaled.val) v *= power_;
  coarse_inverse_.emplace(space, full(scaled.rows, algebraic::coarse_inverse(scaled)));
}

template <class Space, class T>
double AlgebraicHierarchy<Space, T>::complexity() const {
  double all = 0;
  for (const auto& level : levels_) all += static_cast<double>(level.a.structure().nonzeros);
  return all / std::max(1.0, static_cast<double>(levels_.front().a.structure().nonzeros));
}

template struct AlgebraicLevel<Host>;
template struct AlgebraicLevel<Cuda>;
template class AlgebraicHierarchy<Host, float>;
template class AlgebraicHierarchy<Host, double>;
template class AlgebraicHierarchy<Cuda, float>;
template class AlgebraicHierarchy<Cuda, double>;

}  // namespace ostinato::algebraic
