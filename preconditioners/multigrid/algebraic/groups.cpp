// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/algebraic/groups_definition.hpp>

#include <ostinato/spmv/space/list.hpp>
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

/// Each thread keeps the places of all columns, so that no term is searched for.
template <class T>
void collapse_rows(const Host& space, std::size_t rows, Offset, const CollapseRow<T>& f) {
  ostinato::detail::for_blocks(space, (rows + host_block - 1) / host_block, [=](std::size_t block) {
    static thread_local std::vector<std::uint32_t> place;
    place.resize(std::max(place.size(), rows));
    const std::size_t end = std::min(rows, (block + 1) * host_block);
    for (std::size_t i = block * host_block; i < end; ++i) f(i, place);
  });
}

#define OSTINATO_INSTANTIATE_SPACES(Space)                                                         \
  template Groups<Space> groups_of(const Space&, Vector<Space, Index>, Index);                     \
  template Groups<Space> groups_of_rows(const Space&, Vector<Space, Index>, Index, const Points&); \
  template Groups<Space> groups_of_points(const Space&, const Points&);                            \
  template Groups<Space> joined(const Space&, const Groups<Space>&, const Groups<Space>&);         \
  template Vector<Space, Index> joined(const Space&, const Vector<Space, Index>&, const Vector<Space, Index>&)
OSTINATO_FOR_SPACES(OSTINATO_INSTANTIATE_SPACES);
#undef OSTINATO_INSTANTIATE_SPACES

#define OSTINATO_INSTANTIATE(Space, T) \
  template SpaceCsr<Space, T> collapse(const Space&, const CsrView<T>&, const Groups<Space>&, const Points&)
OSTINATO_FOR_ALL(OSTINATO_INSTANTIATE);

}  // namespace ostinato::algebraic
