// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include "progress.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>

#include "exit_code.hpp"
#include "text.hpp"

namespace ostinato::cli {

namespace {

constexpr double seconds_between_lines = 0.1;

volatile sig_atomic_t deferred = 0;     // an InterruptFlag exists
volatile sig_atomic_t interrupted = 0;  // its flag

/// Batch systems and timeout(1) may send SIGTERM several times within a moment, so only a second Ctrl-C is taken for
/// impatience.
extern "C" void on_interrupt(int number) {
  if (deferred == 0 || (interrupted != 0 && number == SIGINT)) _exit(exit_interrupted);
  interrupted = 1;
}

}  // namespace

LiveLine::LiveLine(bool wanted) : on_(wanted && isatty(STDERR_FILENO) == 1) {}

void LiveLine::phase(std::string_view what, const Progress* progress) {
  if (!on_) return;
  const std::lock_guard lock(mutex_);
  phase_ = what;
  progress_ = progress;
  since_ = Stopwatch();
  rewrite(phase_ + " ...");
  if (!ticker_.joinable()) ticker_ = std::jthread([this](const std::stop_token& stop) { tick(stop); });
}

void LiveLine::tick(const std::stop_token& stop) {
  std::condition_variable_any never;
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    never.wait_for(lock, stop, std::chrono::milliseconds(250), [] { return false; });
    if (phase_.empty() || since_.seconds() < 1 || stop.stop_requested()) continue;
    const bool counted = progress_ != nullptr && progress_->steps > 0;
    rewrite(phase_ + (counted ? fmt::format(" ... {:.0f} %", 100 * progress_->share())
                              : fmt::format(" ... {:.0f} s", since_.seconds())));
  }
}

void LiveLine::iteration(const Iteration& now) {
  const std::lock_guard lock(mutex_);
  phase_.clear();
  if (!on_ || (shown_ >= 0 && watch_.seconds() - shown_ < seconds_between_lines)) return;
  shown_ = watch_.seconds();
  rewrite(fmt::format("iteration {:<9} residual {:.2e}   {}   {:.3g} iterations/s", count_text(now.number),
                      now.relative_residual, seconds_text(now.seconds), now.number / now.seconds));
}

void LiveLine::rewrite(const std::string& text) {
  put(stderr, "\r" + printable(text).substr(0, line_width - 1) + "\x1b[K");
  std::fflush(stderr);
  dirty_ = true;
}

void LiveLine::clear() {
  const std::lock_guard lock(mutex_);
  phase_.clear();
  if (!dirty_) return;
  put(stderr, "\r\x1b[K");
  std::fflush(stderr);
  dirty_ = false;
}

void exit_on_interrupt() {
  struct sigaction action = {};
  action.sa_handler = on_interrupt;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (const int signal : {SIGINT, SIGTERM}) {
    struct sigaction before = {};
    sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_IGN)
      sigaction(signal, &action, nullptr);  // a shell's job in the background ignores SIGINT
  }
}

InterruptFlag::InterruptFlag() {
  interrupted = 0;
  deferred = 1;
}

InterruptFlag::~InterruptFlag() { deferred = 0; }

bool InterruptFlag::raised() const { return interrupted != 0; }

}  // namespace ostinato::cli
