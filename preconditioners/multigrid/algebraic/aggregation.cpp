// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/algebraic/aggregation.hpp>

#include <memory>
#include <utility>

#include <ostinato/preconditioners/multigrid/algebraic/aggregation_steps.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/rounds.hpp>
#include <ostinato/spmv/matrix/algebra/counted.hpp>
#include <ostinato/spmv/matrix/algebra/triple_product.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato::algebraic {

namespace {

constexpr int fewest_rounds = 4;

/// The squares of the values of A, with its pattern.
template <class Space, class T>
SpaceCsr<Space, T> squares(const Space& space, const CsrView<T>& a, double factor) {
  const auto s = std::make_shared<CsrStorage<Space, T>>(
      CsrStorage<Space, T>{a.rows, a.cols, Vector<Space, Offset>(space, a.row_ptr.size()),
                           Vector<Space, Index>(space, a.col.size()), Vector<Space, T>(space, a.val.size())});
  space.copy(s->row_ptr.data(), a.row_ptr.data(), s->row_ptr.bytes());
  space.copy(s->col.data(), a.col.data(), s->col.bytes());
  for_each(space, a.val.size(), SquareValues<T>{static_cast<T>(factor), a.val.data(), s->val.data()});
  return SpaceCsr<Space, T>(s);
}

/// The matrix of rows x points that takes a row to its point.
template <class Space, class T>
SpaceCsr<Space, T> to_points(const Space& space, const Points& points) {
  const auto rows = static_cast<std::size_t>(points.rows());
  const auto q = std::make_shared<CsrStorage<Space, T>>(
      CsrStorage<Space, T>{points.rows(), points.count, Vector<Space, Offset>(space, rows + 1, Offset{0}),
                           Vector<Space, Index>(space, rows), Vector<Space, T>(space, rows)});
  for_each(space, rows, FillPoints<T>{points, q->row_ptr.data(), q->col.data(), q->val.data()});
  return SpaceCsr<Space, T>(q);
}

/// Decides which points are roots, in rounds.
template <class Space>
Vector<Space, std::uint64_t> find_roots(const Space& space, const detail::CsrPattern& graph,
                                        const std::uint8_t* strong) {
  const auto n = static_cast<std::size_t>(graph.rows);
  Vector<Space, std::uint64_t> key(space, n), near(space, n), largest(space, n);
  Vector<Space, double> left(space, 1);
  for_each(space, n, BeginRoots{graph, strong, key.data()});
  // The undecided point of the largest key is decided in each round, so that this ends.
  for (int round = 0;; ++round) {
    for_each(space, n, SpreadLargest{graph, strong, key.data(), near.data()});
    for_each(space, n, SpreadLargest{graph, strong, near.data(), largest.data()});
    sum(space, n, DecideRoots{largest.data(), key.data()}, left.data());
    if (is_look<Space>(round, fewest_rounds) && left.download()[0] == 0) return key;
  }
}

}  // namespace

template <class Space, class T>
Aggregation<Space, T> aggregate(const Space& space, const SpaceCsr<Space, T>& a, const Points& points, double factor,
                                double threshold) {
  SpaceCsr<Space, T> graph = squares(space, a.view(), factor);
  if (points.unknowns > 1) graph = GalerkinProduct<Space, T>(space, graph, to_points<Space, T>(space, points)).result();
  const CsrView<T> view = graph.view();
  const detail::CsrPattern pattern = detail::pattern_of(view);
  const auto n = static_cast<std::size_t>(points.count);
  Vector<Space, T> size(space, n);
  for_each(space, n, LargestBeside<T>{pattern, view.val.data(), size.data()});
  Aggregation<Space, T> made{graph, Vector<Space, std::uint8_t>(space, view.col.size()),
                             Vector<Space, Index>(space, n)};
  const std::uint8_t* strong = made.strong.data();
  for_each(space, n, MarkStrongPairs<T>{pattern, view.val.data(), size.data(), threshold, made.strong.data()});
  const Vector<Space, std::uint64_t> roots = find_roots(space, pattern, strong);
  Vector<Space, Offset> number(space, n + 1);
  Vector<Space, Index> beside(space, n);
  for_each(space, n, CountRoots{roots.data(), number.data()});
  made.count = static_cast<Index>(detail::counted(space, number));
  for_each(space, n, JoinRoot{pattern, strong, roots.data(), number.data(), beside.data()});
  for_each(space, n, JoinStrongest<T>{pattern, view.val.data(), strong, beside.data(), made.aggregate.data()});
  return made;
}

#define OSTINATO_INSTANTIATE(Space, T) \
  template Aggregation<Space, T> aggregate(const Space&, const SpaceCsr<Space, T>&, const Points&, double, double)
OSTINATO_INSTANTIATE(Host, float);
OSTINATO_INSTANTIATE(Host, double);
OSTINATO_INSTANTIATE(Cuda, float);
OSTINATO_INSTANTIATE(Cuda, double);

}  // namespace ostinato::algebraic
