// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <ostinato/spmv/space/sum_parts.hpp>

namespace ostinato::detail {

/// Where kernels of ranks, each on a GPU, meet: a kernel writes into the memory of other ranks, says so, and waits
/// until they have done the same. Meetings alternate between two turns: who comes to the next one has read what came
/// before. So kernels may be captured, whose arguments stay the same.
///
/// Requires  All ranks launch the same kernels in the same order, and no rank's launch waits for another one's kernel.
struct RendezvousView {
  int rank = 0, ranks = 0;
  std::uint32_t partners = 0;            ///< a bit for each rank that comes; the rank itself is none
  std::size_t bytes = 0;                 ///< that a rank may write for another one, in a turn
  std::byte* room[most_sum_parts] = {};  ///< in the memory of each rank: for each turn and each writer so many bytes
  std::uint64_t* said[most_sum_parts] =
      {};                           ///< in the memory of each rank: for each turn and each writer the last meeting
  std::uint64_t* met = nullptr;     ///< how often this rank has been there
  unsigned* arrived = nullptr;      ///< thread blocks that are done; 0 between kernels
  int* is_late = nullptr;           ///< set once a rank didn't come: nobody is waited for any more
  int* is_late_for_host = nullptr;  ///< the same, in memory of the host
};

}  // namespace ostinato::detail
