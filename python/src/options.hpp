// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include <ostinato/solvers/options.hpp>
#include <ostinato/strategy/set_up.hpp>

namespace ostinato::python {

namespace nb = nanobind;

/// Puts the options that a dictionary names in their places, by the names of ostinato.solve().
/// Throws    ArgumentError for a name that isn't one, or a word that can't be.
void take_solve_options(const nb::dict& given, SolveOptions& to);

/// The same with those of a set-up.
void take_options(const nb::dict& given, LinearSolverOptions& to);

}  // namespace ostinato::python
