// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/matrix/generate/numbering.hpp>

#include <numeric>
#include <utility>

#include <ostinato/spmv/matrix/generate/rows.hpp>

namespace ostinato::generate_detail {

Array<Index> random_order(Index rows, std::uint64_t seed, int block) {
  Array<Index> nodes(static_cast<std::size_t>(rows / block));
  std::iota(nodes.begin(), nodes.end(), Index{0});
  for (std::size_t left = nodes.size(); left > 1; --left)
    std::swap(nodes[left - 1], nodes[hash(seed, static_cast<std::int64_t>(left), -1) % left]);
  Array<Index> order;
  order.reserve(static_cast<std::size_t>(rows));
  for (const Index node : nodes) {
    for (Index k = 0; k < block; ++k) order.push_back(node * block + k);
  }
  return order;
}

}  // namespace ostinato::generate_detail
