// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/space/sort_by_key.hpp>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace ostinato {

void sort_by_key(const Host& space, Vector<Host, unsigned>& keys, unsigned, Vector<Host, Index>& values) {
  std::vector<std::size_t> places(values.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  std::stable_sort(places.begin(), places.end(),
                   [&](std::size_t p, std::size_t q) { return keys.data()[p] < keys.data()[q]; });
  Vector<Host, Index> sorted(space, values.size());
  for (std::size_t p = 0; p < places.size(); ++p) sorted.data()[p] = values.data()[places[p]];
  values = std::move(sorted);
  std::sort(keys.data(), keys.data() + keys.size());
}

}  // namespace ostinato
