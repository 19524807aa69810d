// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/strategy/device.hpp>

#include <charconv>
#include <cstdint>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/message.hpp>

namespace ostinato {

int chosen_gpu(std::string_view device) {
  constexpr std::string_view numbered = "cuda:";
  const std::string name = lower(device);
  if (name == "auto") return Cuda::why_absent().empty() ? 0 : -1;
  if (name == "cpu") return -1;
  if (name == "cuda") return 0;
  std::uint16_t gpu = 0;
  const char* const end = name.data() + name.size();
  const bool has_number = name.starts_with(numbered);
  if (has_number && std::from_chars(name.data() + numbered.size(), end, gpu) == std::from_chars_result{end, {}})
    return gpu;
  throw ArgumentError("device '" + name + "' is unknown; known: auto, cpu, cuda, cuda:N");
}

}  // namespace ostinato
