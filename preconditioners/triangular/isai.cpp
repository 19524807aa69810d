// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/triangular/isai_definition.hpp>

#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato {

Offset count_square_entries(const CsrView<double>& l, Offset most, const StopRequest& stop) {
  const auto columns = [&l](Index row) {
    const auto i = static_cast<std::size_t>(row);
    return l.col.subspan(static_cast<std::size_t>(l.row_ptr[i]),
                         static_cast<std::size_t>(l.row_ptr[i + 1] - l.row_ptr[i]));
  };
  std::vector<Index> latest(static_cast<std::size_t>(l.cols), -1);  // row with an entry in the column
  Offset count = 0;
  for (Index i = 0; i < l.rows && count <= most; ++i) {
    if (i % 1024 == 0) end_factoring_on(stop);
    for (const Index j : columns(i)) {
      for (const Index k : columns(j)) count += std::exchange(latest[static_cast<std::size_t>(k)], i) != i ? 1 : 0;
    }
  }
  return count;
}

#define OSTINATO_INSTANTIATE(Space)                                                                      \
  template SpaceCsr<Space, double> incomplete_inverse(const Space&, const SpaceCsr<Space, double>&, int, \
                                                      const StopRequest&)
OSTINATO_FOR_SPACES(OSTINATO_INSTANTIATE);
#undef OSTINATO_INSTANTIATE

void detail::invert_rows(const Host& space, const InverseRows& rows, std::size_t first, std::size_t count) {
  constexpr std::size_t block = 256;
  parallel_for(space, (count + block - 1) / block, [&rows, first, count](std::size_t b) {
    const std::size_t end = std::min((b + 1) * block, count);
    for (std::size_t i = b * block; i < end; ++i) rows.invert(AloneGroup{}, first + i);
  });
}

}  // namespace ostinato
