// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include <ostinato/spmv/space/index.hpp>

namespace ostinato {

class Host;
class Cuda;

/// Exclusive prefix sum in place: counts[i] := counts[0] + ... + counts[i - 1]. Turns lengths into starting positions.
///
/// Shapes    n + 1 elements for n counts. The last element is ignored on entry and holds the total on return.
/// Exec      Cuda: enqueued; allocates and releases workspace on the stream. Host: in parallel over blocks.
void exclusive_scan(const Host& space, std::span<Offset> counts);
void exclusive_scan(const Cuda& space, std::span<Offset> counts);

}  // namespace ostinato
