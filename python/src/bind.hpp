// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

namespace ostinato::python {

// Each adds its part to the module.
void bind_errors();
void bind_options(nanobind::module_& m);
void bind_results(nanobind::module_& m);
void bind_operators(nanobind::module_& m);
void bind_systems(nanobind::module_& m);
void bind_matrices(nanobind::module_& m);
void bind_reports(nanobind::module_& m);
void bind_machine(nanobind::module_& m);

}  // namespace ostinato::python
