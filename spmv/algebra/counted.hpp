// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <utility>

#include <ostinato/spmv/base/index.hpp>
#include <ostinato/spmv/space/scan.hpp>
#include <ostinato/spmv/space/together.hpp>
#include <ostinato/spmv/space/vector.hpp>

namespace ostinato::detail {

/// Turns the lengths of rows into row pointers (exclusive_scan). Returns the number of entries. Waits on Cuda.
template <class Space>
std::size_t counted(const Space& space, Vector<Space, Offset>& lengths) {
  exclusive_scan(space, lengths.span());
  Offset entries = 0;
  space.download(&entries, lengths.data() + lengths.size() - 1, sizeof(Offset));
  return static_cast<std::size_t>(entries);
}

/// The same for the rows of two matrices. Waits once.
template <class Space>
std::pair<std::size_t, std::size_t> counted(const Space& space, Vector<Space, Offset>& lengths,
                                            Vector<Space, Offset>& others) {
  exclusive_scan(space, lengths.span());
  exclusive_scan(space, others.span());
  Offset entries = 0, other_entries = 0;
  download(space, {copied(entries, lengths.data() + lengths.size() - 1),
                   copied(other_entries, others.data() + others.size() - 1)});
  return {static_cast<std::size_t>(entries), static_cast<std::size_t>(other_entries)};
}

}  // namespace ostinato::detail
