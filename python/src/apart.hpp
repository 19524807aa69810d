// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <functional>
#include <memory>

#include "signals.hpp"

namespace ostinato::python {

/// Runs a set-up without the GIL. One of many entries that the main thread asks for runs in a thread of its own: parts
/// of it, as METIS, look at no stop request, and Ctrl-C shall be answered all the same. Such work is then left behind
/// and goes on until it looks; whatever it uses it has to own.
///
/// Exec      Called with the GIL. Returns whether the work was done; false where a handler of signals has raised
///           (signals.take_error()) and the work hadn't ended 40 ms later.
/// Throws    What the work throws.
bool run_apart(const Signals& signals, std::int64_t entries, std::function<void()> work);

/// Waits for work that was left behind; called when Python ends.
void wait_for_work_left_behind();

}  // namespace ostinato::python
