// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/strategy/device.hpp>

#include <charconv>
#include <cstdint>
#include <optional>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/message.hpp>

namespace ostinato {

namespace {

/// The N of "cuda:N"; nothing for another name.
std::optional<int> numbered_gpu(std::string_view name) {
  constexpr std::string_view prefix = "cuda:";
  if (!name.starts_with(prefix)) return {};
  name.remove_prefix(prefix.size());
  std::uint16_t gpu = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), gpu);
  return error == std::errc() && end == name.data() + name.size() ? std::optional<int>(gpu) : std::nullopt;
}

}  // namespace

std::string why_no_device(std::string_view name) {
  const std::string device = lower(name);
  if (device == "auto" || device == "cpu" || device == "cuda" || numbered_gpu(device)) return {};
  return "'" + device + "' is unknown; known: auto, cpu, cuda, cuda:N";
}

int chosen_gpu(std::string_view name) {
  if (const std::string why = why_no_device(name); !why.empty()) throw ArgumentError("device: " + why);
  const std::string device = lower(name);
  if (device == "cpu") return -1;
  if (device == "auto") return Cuda::why_absent().empty() ? 0 : -1;
  return numbered_gpu(device).value_or(0);
}

}  // namespace ostinato
