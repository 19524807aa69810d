// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/spmv/space/index.hpp>
#include <ostinato/spmv/space/scan.hpp>
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

}  // namespace ostinato::detail
