// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include <ostinato/spmv/space/index.hpp>

namespace ostinato {

class Host;
class Cuda;

/// counts[i] := counts[0] + ... + counts[i - 1], in place: where each part begins, from how long each is.
///
/// Shapes    n + 1 elements for n counts. The last comes in as anything and goes out as the total.
/// Exec      Cuda: enqueued, with some memory taken for it and given back. Host: in parallel over blocks.
void exclusive_scan(const Host& space, std::span<Offset> counts);
void exclusive_scan(const Cuda& space, std::span<Offset> counts);

}  // namespace ostinato
