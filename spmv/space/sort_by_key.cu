// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include <ostinato/spmv/space/cuda/sort_pairs.cuh>
#include <ostinato/spmv/space/sort_by_key.hpp>

namespace ostinato {

void sort_by_key(const Cuda& space, Vector<Cuda, unsigned>& keys, unsigned largest, Vector<Cuda, Index>& values) {
  if (values.size() == 0) return;
  Vector<Cuda, unsigned> sorted_keys(space, values.size());
  Vector<Cuda, Index> sorted(space, values.size());
  cuda::sort_pairs(space, keys.data(), sorted_keys, values.data(), sorted, largest);
  values = std::move(sorted);
  keys = std::move(sorted_keys);
}

}  // namespace ostinato
