// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <ostinato/spmv/base/index.hpp>
#include <ostinato/spmv/base/stop.hpp>

namespace ostinato::detail {

/// What `work` returns, which calls METIS in a thread of its own, one call at a time; nested_dissection() says what
/// happens to the signals and to rand(). `work` owns what it reads: METIS left alone after a stop goes on.
/// Throws    MemoryLimitError when no thread can be started; Stopped, both naming the caller; what `work` throws.
std::vector<Index> call_metis(const std::string& caller, std::function<std::vector<Index>()> work,
                              const StopRequest& stop);

}  // namespace ostinato::detail
