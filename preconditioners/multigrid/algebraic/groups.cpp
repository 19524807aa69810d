// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/algebraic/groups_definition.hpp>

#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato::algebraic {

template <>
Members<Host> members_of(const Host& space, const Vector<Host, Index>& of, Index count) {
  const auto n = static_cast<std::size_t>(count);
  Members<Host> made{Vector<Host, Offset>(space, n + 1, Offset{0}), Vector<Host, Index>(space, of.size())};
  Offset* const begin = made.begin.data();
  for (const Index group : of.span()) {
    if (group >= 0) ++begin[group + 1];
  }
  std::partial_sum(begin, begin + n + 1, begin);
  std::vector<Offset> next(begin, begin + n + 1);
  for (std::size_t i = 0; i < of.size(); ++i) {
    const Index group = of.data()[i] < 0 ? count : of.data()[i];
    made.rows.data()[next[static_cast<std::size_t>(group)]++] = static_cast<Index>(i);
  }
  return made;
}

template Groups<Host> groups_of(const Host&, Vector<Host, Index>, Index);
template Groups<Cuda> groups_of(const Cuda&, Vector<Cuda, Index>, Index);
template Groups<Host> groups_of_rows(const Host&, Vector<Host, Index>, Index, const Points&);
template Groups<Cuda> groups_of_rows(const Cuda&, Vector<Cuda, Index>, Index, const Points&);
template Groups<Host> groups_of_points(const Host&, const Points&);
template Groups<Cuda> groups_of_points(const Cuda&, const Points&);
template Groups<Host> joined(const Host&, const Groups<Host>&, const Groups<Host>&);
template Groups<Cuda> joined(const Cuda&, const Groups<Cuda>&, const Groups<Cuda>&);
template Vector<Host, Index> joined(const Host&, const Vector<Host, Index>&, const Vector<Host, Index>&);
template Vector<Cuda, Index> joined(const Cuda&, const Vector<Cuda, Index>&, const Vector<Cuda, Index>&);

#define OSTINATO_INSTANTIATE(Space, T) \
  template SpaceCsr<Space, T> collapse(const Space&, const CsrView<T>&, const Groups<Space>&, const Points&)
OSTINATO_INSTANTIATE(Host, float);
OSTINATO_INSTANTIATE(Host, double);
OSTINATO_INSTANTIATE(Cuda, float);
OSTINATO_INSTANTIATE(Cuda, double);

}  // namespace ostinato::algebraic
