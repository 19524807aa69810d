// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

namespace ostinato::test {

/// Runs the disabled case `name` of this test program in a process of its own with so many threads, because Kokkos
/// fixes the number of threads once for a process. Returns the rest of the line that the case prints after `label`;
/// empty when there is no such line.
inline std::string line_of_disabled_case(const std::string& name, const std::string& label, std::int64_t threads) {
  char program[4096];
  const ssize_t length = ::readlink("/proc/self/exe", program, sizeof program);
  const std::string command =
      "env -u GTEST_TOTAL_SHARDS -u GTEST_SHARD_INDEX OMP_NUM_THREADS=" + std::to_string(threads) + " '" +
      std::string(program, static_cast<std::size_t>(std::max<ssize_t>(length, 0))) +
      "' --gtest_also_run_disabled_tests --gtest_filter=" + name;
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(::popen(command.c_str(), "r"), ::pclose);
  std::string output;
  for (char buffer[4096]; pipe && std::fgets(buffer, sizeof buffer, pipe.get()) != nullptr;) output += buffer;
  const std::size_t from = output.find(label);
  if (from == std::string::npos) return "";
  const std::size_t begin = from + label.size();
  return output.substr(begin, output.find('\n', begin) - begin);
}

}  // namespace ostinato::test
