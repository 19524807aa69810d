// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include "apart.hpp"

#include <chrono>
#include <future>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace ostinato::python {

namespace {

namespace nb = nanobind;

constexpr std::int64_t many_entries = 200'000;  // a set-up of fewer takes some 50 ms
constexpr std::chrono::milliseconds between_looks{5}, grace{40};

struct LeftBehind {
  std::mutex mutex;
  std::vector<std::thread> threads;
};

LeftBehind& left_behind() {
  static LeftBehind all;
  return all;
}

}  // namespace

bool run_apart(const Signals& signals, std::int64_t entries, std::function<void()> work) {
  const nb::gil_scoped_release no_gil;
  if (entries < many_entries || !signals.is_of_main_thread()) {
    work();
    return true;
  }
  std::packaged_task<void()> task(std::move(work));
  std::future<void> end = task.get_future();
  std::thread thread(std::move(task));
  while (end.wait_for(between_looks) != std::future_status::ready) {
    if (!signals.stop_requested() || end.wait_for(grace) == std::future_status::ready) continue;
    const std::lock_guard lock(left_behind().mutex);
    left_behind().threads.push_back(std::move(thread));
    return false;
  }
  thread.join();
  end.get();
  return true;
}

void wait_for_work_left_behind() {
  const nb::gil_scoped_release no_gil;
  const std::lock_guard lock(left_behind().mutex);
  for (std::thread& thread : left_behind().threads) thread.join();
  left_behind().threads.clear();
}

}  // namespace ostinato::python
