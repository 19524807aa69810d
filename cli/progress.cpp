// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include "progress.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>

#include "exit_code.hpp"
#include "text.hpp"

namespace ostinato::cli {

namespace {

constexpr double seconds_between_lines = 0.1;

volatile sig_atomic_t interrupted = 0;

extern "C" void raise_flag(int) { interrupted = 1; }
extern "C" void exit_now(int) { _exit(exit_interrupted); }

void on_interrupt(void (*handler)(int), int flags) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
}

}  // namespace

LiveLine::LiveLine(bool wanted) : on_(wanted && isatty(STDERR_FILENO) == 1) {}

void LiveLine::phase(std::string_view what) {
  if (on_) rewrite(std::string(what) + " ...");
}

void LiveLine::iteration(const Iteration& now) {
  if (!on_ || (shown_ >= 0 && watch_.seconds() - shown_ < seconds_between_lines)) return;
  shown_ = watch_.seconds();
  rewrite(fmt::format("iteration {:<9} residual {:.2e}   {}   {:.3g} iterations/s", count_text(now.number),
                      now.relative_residual, seconds_text(now.seconds), now.number / now.seconds));
}

void LiveLine::rewrite(const std::string& text) {
  fmt::print(stderr, "\r{}\x1b[K", text.substr(0, line_width - 1));
  std::fflush(stderr);
  dirty_ = true;
}

void LiveLine::clear() {
  if (!dirty_) return;
  fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
  dirty_ = false;
}

void exit_on_interrupt() { on_interrupt(exit_now, 0); }

InterruptFlag::InterruptFlag() {
  interrupted = 0;
  on_interrupt(raise_flag, SA_RESETHAND | SA_RESTART);
}

InterruptFlag::~InterruptFlag() { exit_on_interrupt(); }

bool InterruptFlag::raised() const { return interrupted != 0; }

}  // namespace ostinato::cli
