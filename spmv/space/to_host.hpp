// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

namespace ostinato::detail {

/// The elements of an array in the memory of a space. Waits.
template <class T, class Space>
std::vector<T> to_host(const Space& space, std::span<const T> array) {
  std::vector<T> host(array.size());
  space.download(host.data(), array.data(), array.size_bytes());
  return host;
}

}  // namespace ostinato::detail
