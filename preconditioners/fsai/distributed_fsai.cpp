// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/fsai/distributed_fsai.hpp>

#include <algorithm>
#include <functional>
#include <utility>

#include <ostinato/preconditioners/fsai/fsai_definition.hpp>
#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/space/host_beside.hpp>
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/team/neighbourhood.hpp>

namespace ostinato {

namespace {

/// Rows first .. last - 1 of G, with the columns' numbers in the whole matrix.
template <class T>
Csr<T> own_rows(Csr<double>&& g, const Neighbourhood<T>& near, Index first, Index last, Index cols) {
  Csr<double> own;
  own.rows = last - first;
  own.cols = cols;
  const Offset begin = g.row_ptr[static_cast<std::size_t>(first)], end = g.row_ptr[static_cast<std::size_t>(last)];
  for (Index i = first; i < last; ++i) own.row_ptr.push_back(g.row_ptr[static_cast<std::size_t>(i) + 1] - begin);
  for (Offset k = begin; k < end; ++k)
    own.col.push_back(near.numbers[static_cast<std::size_t>(g.col[static_cast<std::size_t>(k)])]);
  own.val.assign(g.val.begin() + begin, g.val.begin() + end);
  return fsai_definition::rounded<T>(std::move(own));
}

/// The values in double, of -A where the diagonal is negative.
template <class T>
Csr<double> in_double(const Csr<T>& a, bool negative) {
  Csr<double> d{a.rows, a.cols, a.row_ptr, a.col, Array<double>(a.val.size())};
  std::transform(a.val.begin(), a.val.end(), d.val.begin(),
                 [=](T v) { return negative ? -static_cast<double>(v) : static_cast<double>(v); });
  return d;
}

}  // namespace

template <class Local, class T>
Csr<T> DistributedFsai<Local, T>::factor(const DistributedOperator<Local, T>& a, const CsrView<T>& mine,
                                         const FsaiOptions& options) {
  const Facts& facts = *a.facts();
  const Team& team = a.space().team();
  fsai_definition::table().require("fsai", options);
  if (!facts.symmetric) throw ArgumentError("fsai: the matrix isn't symmetric; use ilu0");
  if (!facts.finite) throw ArgumentError("fsai: the matrix holds NaN or infinity; use none");
  if (facts.rows > 0 && !facts.positive_diagonal && !facts.negative_diagonal)
    throw ArgumentError("fsai: the diagonal isn't positive");
  if (options.pattern == FsaiPattern::adaptive) throw ArgumentError("fsai: with ranks there are pattern=a and a2");
  const Partition& rows = a.row_parts();
  const Neighbourhood<T> near = neighbourhood(team, rows, mine, options.pattern == FsaiPattern::a2 ? 2 : 1);
  return team.agreed([&] {
    ApproximateFactor f =
        approximate_factor(host_beside(a.space().local()), in_double(near.a, facts.negative_diagonal), options);
    return own_rows<T>(std::move(f.g), near, near.begin, near.begin + rows.length(team), rows.rows());
  });
}

template <class Local, class T>
DistributedFsai<Local, T>::DistributedFsai(const DistributedOperator<Local, T>& a, const CsrView<T>& mine,
                                           const FsaiOptions& options)
    : DistributedFsai(a, factor(a, mine, options)) {}

template <class Local, class T>
DistributedFsai<Local, T>::DistributedFsai(const DistributedOperator<Local, T>& a, const Csr<T>& g)
    : Base(a.space()), g_(a.space(), a.row_parts(), g.view()), between_(a.space().local(), a.rows()) {
  g_.add_adjoint(g.view());
}

template <class Local, class T>
void DistributedFsai<Local, T>::apply(Block<const T> r, Block<T> z) const {
  for (int k = 0; k < z.columns; ++k) {
    g_.apply(T{1}, r.column(k), T{0}, between_.span());
    g_.adjoint()->apply(T{1}, between_.span(), T{0}, z.column(k));
  }
}

template <class Local, class T>
void DistributedFsai<Local, T>::apply_dot(Block<const T> r, Block<T> z, Slot<T> slots) const {
  for (int k = 0; k < z.columns; ++k) {
    g_.apply_dot(r.column(k), between_.span(), between_.span(), slots + k);
    g_.adjoint()->apply(T{1}, between_.span(), T{0}, z.column(k));
  }
}

OSTINATO_CLASS(DistributedFsai);

}  // namespace ostinato
