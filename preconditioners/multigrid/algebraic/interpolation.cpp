// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/algebraic/interpolation.hpp>

#include <memory>
#include <utility>

#include <ostinato/preconditioners/multigrid/algebraic/bounded_product.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/interpolation_steps.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/with_rows.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/error.hpp>
#include <ostinato/spmv/space/host.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato::algebraic {

template <class Space, class T>
SpaceCsr<Space, T> interpolation(const Space& space, const CsrView<T>& a, const Coarsening<Space>& c, int most) {
  const auto n = static_cast<std::size_t>(a.rows);
  const SplitMatrix<T> m{detail::pattern_of(a), a.val.data(), c.strong.data(), c.split.data(), c.number.data()};
  Vector<Space, T> beta(space, n), weak(space, n), diagonal(space, n);
  Vector<Space, Offset> spread_count(space, n + 1), source_count(space, n + 1);
  for_each(space, n,
           SumParts<T>{m, beta.data(), weak.data(), diagonal.data(), spread_count.data(), source_count.data()});
  const auto sources = with_rows<T>(space, std::move(source_count), c.coarse_rows);
  const auto spread = with_rows<T>(space, std::move(spread_count), a.rows);
  for_each(space, n, FillSources<T>{m, sources->row_ptr.data(), sources->col.data(), sources->val.data()});
  for_each(space, n,
           FillSpread<T>{m, beta.data(), weak.data(), diagonal.data(), spread->row_ptr.data(), spread->col.data(),
                         spread->val.data()});
  const SpaceCsr<Space, T> p =
      bounded_product(space, SpaceCsr<Space, T>(spread), SpaceCsr<Space, T>(sources), a.nonzeros()).result();
  return truncated(space, p.view(), most);
}

template <class Space, class T>
SpaceCsr<Space, T> truncated(const Space& space, const CsrView<T>& p, int most) {
  if (most < 1 || most > KeepLargest<T>::capacity) throw ArgumentError("interpolation: 1 to 16 entries a row");
  Vector<Space, double> bad(space, 1);
  sum(space, p.val.size(), CountNotFinite<T>{p.val.data()}, bad.data());
  if (bad.download()[0] > 0) throw ArgumentError("multigrid: the interpolation leaves the range of the numbers");
  const auto n = static_cast<std::size_t>(p.rows);
  Vector<Space, Offset> count(space, n + 1);
  for_each(space, n, CountKept{p.row_ptr.data(), most, count.data()});
  const auto kept = with_rows<T>(space, std::move(count), p.cols);
  for_each(space, n,
           KeepLargest<T>{p.row_ptr.data(), p.col.data(), p.val.data(), kept->row_ptr.data(), kept->col.data(),
                          kept->val.data()});
  return SpaceCsr<Space, T>(kept);
}

#define OSTINATO_INSTANTIATE(Space, T)                                                                       \
  template SpaceCsr<Space, T> interpolation(const Space&, const CsrView<T>&, const Coarsening<Space>&, int); \
  template SpaceCsr<Space, T> truncated(const Space&, const CsrView<T>&, int)
OSTINATO_INSTANTIATE(Host, float);
OSTINATO_INSTANTIATE(Host, double);
OSTINATO_INSTANTIATE(Cuda, float);
OSTINATO_INSTANTIATE(Cuda, double);

}  // namespace ostinato::algebraic
