// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <utility>

#include "function.hpp"

namespace ostinato::python {

namespace nb = nanobind;

/// Looks for Python's signals during work without the GIL, on the main thread alone, since no other sees them: a look
/// every 20 ms takes the GIL for it. What a handler raises, as KeyboardInterrupt, becomes a stop request, and is kept.
///
/// Exec      Copies share one state. begin() on the thread that works, with the GIL; any thread may ask.
class Signals {
 public:
  /// Called once, when the module is imported.
  static void note_main_thread() {
    main_thread() = nb::cast<unsigned long>(nb::module_::import_("threading").attr("main_thread")().attr("ident"));
  }

  void begin() const {
    state_->owner = PyThread_get_thread_ident();
    state_->raised = false;
    state_->next = Clock::now() + between;
  }

  /// Whether begin() was called on the main thread.
  bool is_of_main_thread() const { return state_->owner == main_thread(); }

  bool stop_requested() const {
    State& s = *state_;
    if (s.raised) return true;
    if (!is_of_main_thread() || PyThread_get_thread_ident() != s.owner || Clock::now() < s.next) return false;
    s.next = Clock::now() + between;
    const nb::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() == 0) return false;
    s.error = Kept(nb::borrow(nb::python_error().value()));
    s.raised = true;
    return true;
  }

  /// What a handler has raised, with the GIL; None where nothing was.
  nb::object take_error() const {
    if (!state_->error) return nb::none();  // work that was left behind may still ask whether it was raised
    return std::exchange(state_->error, Kept()).get();
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds between{20};

  static unsigned long& main_thread() {
    static unsigned long ident = 0;
    return ident;
  }

  struct State {
    unsigned long owner = 0;
    std::atomic<bool> raised{false};
    Clock::time_point next;
    Kept error;
  };
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

}  // namespace ostinato::python
