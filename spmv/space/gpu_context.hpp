// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace ostinato {

/// Whether this process has the context of a GPU already, by whatever library: to open one takes some 0.3 s (H200).
/// Opens nothing, and loads no driver.
bool has_gpu_context(int gpu = 0) noexcept;

/// The GPU whose memory p points to, by whatever library it was allocated; -1 for memory that the CPU reads, managed
/// memory among it. Opens nothing, in every build.
int gpu_of_memory(const void* p) noexcept;

/// The UUID of a GPU, in hexadecimal digits: no other GPU has it, in any process. Empty where there is none, and where
/// nothing has initialised the driver, as Cuda::device_count() does.
std::string name_of_gpu(int gpu);

}  // namespace ostinato
