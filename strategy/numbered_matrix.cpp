// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/strategy/numbered_matrix.hpp>

#include <memory>
#include <span>
#include <utility>

#include <ostinato/spmv/algebra/extract.hpp>
#include <ostinato/spmv/analysis/profile.hpp>
#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/timing.hpp>
#include <ostinato/spmv/ordering/breadth_first.hpp>
#include <ostinato/spmv/ordering/clusters.hpp>
#include <ostinato/spmv/ordering/renumber.hpp>
#include <ostinato/spmv/selection/numbering.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>

namespace ostinato {

namespace {

template <class Space>
constexpr const char* way_of() {
  return Space::has_host_memory ? "breadth first" : "clusters";
}

template <class Space>
Vector<Space, Index> order_of(const Space& space, std::span<const Offset> row_ptr, std::span<const Index> col) {
  if constexpr (Space::has_host_memory) {
    return Vector<Space, Index>(space, std::span<const Index>(breadth_first_order(row_ptr, col, checked)));
  } else {
    return cluster_order(space, row_ptr, col);
  }
}

/// Long rows are sorted by two transposes of the matrix.
template <class Space>
bool has_room(const Space& space, const Structure& s) {
  if constexpr (Space::has_host_memory) return true;
  const std::size_t bytes_an_entry = s.longest_row > 32 ? 80 : 40;
  return space.free_bytes() / bytes_an_entry > static_cast<std::size_t>(s.nonzeros + s.rows);
}

/// The matrix in another order, which leaves a symmetric one symmetric: mirror entries aren't searched again. Where
/// the analysis lists the places of few different values, these are found again.
template <class Space, class T>
Analysis<Space, T> in_order(const Analysis<Space, T>& given, std::span<const Index> order) {
  const Space& space = given.space();
  if constexpr (Space::has_host_memory) {
    SpaceCsr<Space, T> made(space, renumber<T>(space, given.matrix().view(), order, checked));
    const Structure& before = given.structure();
    if (before.profile->distinct > 0) return Analysis<Space, T>(space, std::move(made));
    Structure now = analyse(space, made.view(), AnalysisDepth::product);
    now.symmetric = before.symmetric;
    now.pattern_symmetric = before.pattern_symmetric;
    Profile profile = *now.profile;
    profile.single = before.profile->single;
    now.profile = std::make_shared<const Profile>(std::move(profile));
    return Analysis<Space, T>(space, std::move(made), std::move(now));
  } else {
    return Analysis<Space, T>(space, permute(space, given.matrix(), order, order));
  }
}

}  // namespace

template <class Space, class T>
NumberedMatrix<Space, T>::NumberedMatrix(Analysis<Space, T> given, const NumberingRequest& request)
    : analysis_(std::move(given)) {
  const Stopwatch watch;
  const Space space = analysis_.space();
  const Structure& before = analysis_.structure();
  const double analyse_seconds = analysis_.seconds(), places = before.profile->sectors;
  const bool is_asked_for = request.renumber == Renumber::on;
  if (is_asked_for && before.rows != before.cols)
    throw ArgumentError("LinearSolver: only the rows of a square matrix can be numbered anew");
  NumberingChoice choice{is_asked_for, "asked for"};
  if (request.renumber == Renumber::automatic)
    choice = choose_numbering(before, machine_of(space), sizeof(T), request.expected_products);
  if (!choice.renumber || !(is_asked_for || has_room(space, before))) return;
  if (request.on_begin) request.on_begin();
  const CsrView<T>& a = analysis_.matrix().view();
  Vector<Space, Index> order = order_of(space, a.row_ptr, a.col);
  Analysis<Space, T> made = in_order(analysis_, order.span());
  if (!is_asked_for && !is_better_numbered(made.structure(), before)) return;
  what_ = {std::move(choice.reason), way_of<Space>(), order.download(), places, made.structure().profile->sectors};
  order_ = std::move(order);
  analysis_ = std::move(made);
  seconds_ = watch.seconds() - analysis_.seconds() + analyse_seconds;
}

template <class Space, class T>
Analysis<Space, T> NumberedMatrix<Space, T>::with_values(const Analysis<Space, T>& given) const {
  const Structure &now = given.structure(), &before = analysis_.structure();
  if (now.rows == before.rows && now.cols == before.cols && now.nonzeros == before.nonzeros) {
    Analysis<Space, T> made = changes() ? in_order(given, order_.span()) : given;
    if (made.pattern() == analysis_.pattern()) return made;
  }
  throw ArgumentError("LinearSolver: the new values are on another pattern; make another solver");
}

template <class Space, class T>
void NumberedMatrix<Space, T>::enter(In<T> v, Out<T> to) const {
  if (!changes()) return copy<T>(analysis_.space(), v, to);
  renumber<Space, T>(analysis_.space(), v, order_, to);
}

template <class Space, class T>
void NumberedMatrix<Space, T>::leave(In<T> v, Out<T> to) const {
  if (!changes()) return copy<T>(analysis_.space(), v, to);
  number_as_before<Space, T>(analysis_.space(), v, order_, to);
}

OSTINATO_CLASS(NumberedMatrix);

}  // namespace ostinato
