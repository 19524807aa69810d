// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/algebraic/aggregation.hpp>

#include <memory>
#include <utility>

#include <ostinato/preconditioners/multigrid/algebraic/aggregation_rounds.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/aggregation_steps.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/rounds.hpp>
#include <ostinato/spmv/matrix/algebra/counted.hpp>
#include <ostinato/spmv/matrix/algebra/triple_product.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato::algebraic {

namespace {

/// The first round after which the host looks whether points are left. Grids and their coarse levels need 10 or 11
/// rounds for 200,000 to 16 million points, 9 for 20,000.
int first_look(std::size_t points) { return points < 50000 ? 7 : 9; }

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

/// Decides which points are roots, in rounds. `key` and `nearest` as FindStrongPairs leaves them, whose columns the
/// graph has.
template <class Space>
void find_roots(const Space& space, const detail::CsrPattern& graph, Offset entries,
                Vector<Space, std::uint64_t> nearest, Vector<Space, std::uint32_t>& key) {
  const std::size_t n = key.size();
  if constexpr (Space::on_device) {
    if (graph.rows <= few_points && entries <= few_entries)
      return decide_all_roots(space, graph, nearest.data(), key.data());
  }
  Vector<Space, double> left(space, 1);
  // The undecided point of the highest key is decided in each round, so that this ends.
  for (int round = 0;; ++round) {
    for_each_row(space, n, entries, FindNearest{graph, key.data(), nearest.data()});
    sum_rows(space, n, entries, DecideRoots{graph, nearest.data(), round, key.data()}, left.data());
    if (is_look<Space>(round, first_look(n)) && left.download()[0] == 0) return;
  }
}

}  // namespace

template <class Space, class T>
Aggregation<Space, T> aggregate(const Space& space, const SpaceCsr<Space, T>& a, const Points& points, double factor,
                                double threshold, Coupling coupling) {
  const bool has_blocks = points.unknowns > 1;
  SpaceCsr<Space, T> graph = a;
  if (has_blocks)
    graph =
        GalerkinProduct<Space, T>(space, squares(space, a.view(), factor), to_points<Space, T>(space, points)).result();
  const CsrView<T> view = graph.view();
  const detail::CsrPattern pattern = detail::pattern_of(view);
  const Offset entries = view.nonzeros();
  const BlockSquares<T> square{view.val.data(), factor, has_blocks, has_blocks ? Coupling::any : coupling};
  const auto n = static_cast<std::size_t>(points.count);
  Aggregation<Space, T> made{graph, Vector<Space, Index>(space, view.col.size()), Vector<Space, Index>(space, n)};
  const detail::CsrPattern strong{view.rows, view.row_ptr.data(), made.strong.data()};
  Vector<Space, T> size(space, n);
  for_each_row(space, n, entries, LargestBeside<T>{pattern, square, size.data()});
  Vector<Space, std::uint32_t> key(space, n);
  Vector<Space, std::uint64_t> nearest(space, n);
  for_each_row(
      space, n, entries,
      FindStrongPairs<T>{pattern, square, size.data(), threshold, made.strong.data(), key.data(), nearest.data()});
  find_roots(space, strong, entries, std::move(nearest), key);
  Vector<Space, Offset> number(space, n + 1);
  for_each(space, n, CountRoots{key.data(), number.data()});
  made.count = static_cast<Index>(detail::counted(space, number));
  Vector<Space, Index> beside(space, n);
  for_each_row(space, n, entries, JoinRoot{strong, key.data(), number.data(), beside.data()});
  for_each(space, n, JoinStrongest<T>{strong, square, beside.data(), made.aggregate.data()});
  return made;
}

#define OSTINATO_INSTANTIATE(Space, T)                                                                             \
  template Aggregation<Space, T> aggregate(const Space&, const SpaceCsr<Space, T>&, const Points&, double, double, \
                                           Coupling)
OSTINATO_INSTANTIATE(Host, float);
OSTINATO_INSTANTIATE(Host, double);
OSTINATO_INSTANTIATE(Cuda, float);
OSTINATO_INSTANTIATE(Cuda, double);

}  // namespace ostinato::algebraic
