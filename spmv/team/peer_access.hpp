// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/team/team.hpp>

namespace ostinato {

/// Whether all ranks are threads of one process whose GPUs reach each other's memory. If so they do, from then on, for
/// the whole process.
/// Exec      Collective, as the next one.
bool reach_each_other(const Team& team, const Cuda& space);

/// Whether kernels of the ranks may wait for each other: each rank has a GPU of its own. Ranks that share one do where
/// each stream has a queue of its own (CUDA_DEVICE_MAX_CONNECTIONS=32): otherwise a kernel may be queued behind one
/// that waits for it.
bool may_wait_in_kernels(const Team& team, const Cuda& space);

/// What the ranks show each other, as threads of one process. It stays until all of them have dropped it.
template <class T>
std::vector<std::shared_ptr<T>> shown_by_all(const Team& team, const std::shared_ptr<T>& mine) {
  std::vector<std::shared_ptr<T>> all;
  for (const std::shared_ptr<T>* const other : team.all_gather<const std::shared_ptr<T>*>(&mine)) all.push_back(*other);
  team.agree();  // all have taken their copies of `mine`
  return all;
}

}  // namespace ostinato
