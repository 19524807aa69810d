// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/algebraic/aggressive.hpp>

#include <utility>

#include <ostinato/preconditioners/multigrid/algebraic/aggressive_steps.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/bounded_product.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/interpolation.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/with_rows.hpp>
#include <ostinato/spmv/matrix/algebra/product.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato::algebraic {

namespace {

/// A matrix of the coarse rows with the values of a Laplacian, in which a row has an entry for each row that it depends
/// on by a strong entry, or by one to a fine row and another one from there.
template <class Space, class T>
SpaceCsr<Space, T> paths(const Space& space, const CsrView<T>& a, const Coarsening<Space>& c, const StopRequest& stop) {
  const auto n = static_cast<std::size_t>(a.rows);
  const FirstSplit m{detail::pattern_of(a), c.strong.data(), c.split.data(), c.number.data()};
  Vector<Space, Offset> reached_count(space, static_cast<std::size_t>(c.coarse_rows) + 1), coarse_count(space, n + 1);
  for_each(space, n, CountReached{m, reached_count.data()});
  for_each(space, n, CountFirstCoarse{m, coarse_count.data()});
  const auto reached = with_rows<T>(space, std::move(reached_count), a.rows);
  const auto coarse_of = with_rows<T>(space, std::move(coarse_count), c.coarse_rows);
  for_each(space, n, FillReached<T>{m, reached->row_ptr.data(), reached->col.data(), reached->val.data()});
  for_each(space, n, FillFirstCoarse<T>{m, coarse_of->row_ptr.data(), coarse_of->col.data(), coarse_of->val.data()});
  const SpaceCsr<Space, T> joined =
      bounded_product(space, SpaceCsr<Space, T>(reached), SpaceCsr<Space, T>(coarse_of), a.nonzeros(), stop).result();
  const CsrView<T> g = joined.view();
  const auto laplacian = std::make_shared<CsrStorage<Space, T>>(
      CsrStorage<Space, T>{g.rows, g.cols, Vector<Space, Offset>(space, g.row_ptr.size()),
                           Vector<Space, Index>(space, g.col.size()), Vector<Space, T>(space, g.val.size())});
  space.copy(laplacian->row_ptr.data(), g.row_ptr.data(), laplacian->row_ptr.bytes());
  space.copy(laplacian->col.data(), g.col.data(), laplacian->col.bytes());
  for_each(space, static_cast<std::size_t>(g.rows), AsLaplacian<T>{detail::pattern_of(g), laplacian->val.data()});
  return SpaceCsr<Space, T>(laplacian);
}

/// Marks in which pass each row is done. Returns the number of passes after that of the coarse rows.
template <class Space>
std::int32_t mark_passes(const Space& space, const detail::CsrPattern& a, const Coarsening<Space>& c,
                         Vector<Space, std::int32_t>& pass) {
  Vector<Space, double> marked(space, 1);
  for_each(space, pass.size(), BeginPasses{c.split.data(), pass.data()});
  for (std::int32_t now = 1;; ++now) {
    sum(space, pass.size(), MarkPass<Atomic<Space>>{a, c.strong.data(), now, pass.data()}, marked.data());
    if (marked.download()[0] == 0) return now - 1;
  }
}

template <class Space, class T>
SpaceCsr<Space, T> injection(const Space& space, const Coarsening<Space>& c) {
  const std::size_t n = c.split.size();
  Vector<Space, Offset> count(space, n + 1);
  for_each(space, n, CountInjected{c.split.data(), count.data()});
  const auto p = with_rows<T>(space, std::move(count), c.coarse_rows);
  for_each(space, n, FillInjected<T>{c.split.data(), c.number.data(), p->row_ptr.data(), p->col.data(), p->val.data()});
  return SpaceCsr<Space, T>(p);
}

}  // namespace

template <class Space, class T>
Coarsening<Space> coarsen_twice(const Space& space, const CsrView<T>& a, const CoarseningOptions& options,
                                const StopRequest& stop) {
  Coarsening<Space> c = coarsen(space, a, options);
  if (c.coarse_rows == 0) return c;
  const SpaceCsr<Space, T> joined = paths(space, a, c, stop);
  const Coarsening<Space> second = coarsen(space, joined.view(), options);
  for_each(space, c.split.size(),
           KeepSecond{c.number.data(), second.split.data(), joined.view().row_ptr.data(), c.split.data()});
  number_coarse(space, c);
  return c;
}

template <class Space, class T>
SpaceCsr<Space, T> multipass_interpolation(const Space& space, const CsrView<T>& a, const Coarsening<Space>& c,
                                           int most, const StopRequest& stop) {
  const auto n = static_cast<std::size_t>(a.rows);
  const detail::CsrPattern pattern = detail::pattern_of(a);
  Vector<Space, std::int32_t> pass(space, n);
  const std::int32_t passes = mark_passes(space, pattern, c, pass);
  SpaceCsr<Space, T> p = injection<Space, T>(space, c);
  for (std::int32_t now = 1; now <= passes; ++now) {
    const PassRows rows{pattern, c.strong.data(), pass.data(), now};
    Vector<Space, Offset> count(space, n + 1);
    for_each(space, n, CountPass{rows, count.data()});
    const auto step = with_rows<T>(space, std::move(count), a.rows);
    for_each(space, n, FillPass<T>{rows, a.val.data(), step->row_ptr.data(), step->col.data(), step->val.data()});
    p = truncated(space, multiply(space, SpaceCsr<Space, T>(step), p, stop).view(), most);
  }
  return p;
}

#define OSTINATO_INSTANTIATE(Space, T)                                                                                \
  template Coarsening<Space> coarsen_twice(const Space&, const CsrView<T>&, const CoarseningOptions&,                 \
                                           const StopRequest&);                                                       \
  template SpaceCsr<Space, T> multipass_interpolation(const Space&, const CsrView<T>&, const Coarsening<Space>&, int, \
                                                      const StopRequest&)
OSTINATO_INSTANTIATE(Host, float);
OSTINATO_INSTANTIATE(Host, double);
OSTINATO_INSTANTIATE(Cuda, float);
OSTINATO_INSTANTIATE(Cuda, double);

}  // namespace ostinato::algebraic
