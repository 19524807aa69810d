// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <ostinato/spmv/base/function.hpp>
#include <ostinato/spmv/matrix/csr.hpp>
#include <ostinato/spmv/space/for_each.hpp>
#include <ostinato/spmv/space/vector.hpp>

namespace ostinato::formats::detail {

struct ToInt32 {
  const Offset* from;
  std::int32_t* to;
  OSTINATO_FUNCTION void operator()(std::size_t i) const { to[i] = static_cast<std::int32_t>(from[i]); }
};

/// Copies the offsets of a matrix with fewer than 2^31 entries to 4 bytes each.
template <class Space>
Vector<Space, std::int32_t> to_int32(const Space& space, std::span<const Offset> from) {
  Vector<Space, std::int32_t> to(space, from.size());
  for_each(space, from.size(), ToInt32{from.data(), to.data()});
  return to;
}

}  // namespace ostinato::formats::detail
