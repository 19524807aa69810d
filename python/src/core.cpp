// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include "apart.hpp"
#include "bind.hpp"
#include "signals.hpp"

NB_MODULE(_core, m) {
  using namespace ostinato::python;
  m.doc() = "The C++ part of ostinato; its names may change.";
  nanobind::set_leak_warnings(false);  // what lives until the process ends is no leak
  Signals::note_main_thread();
  bind_errors();
  bind_options(m);
  bind_results(m);
  bind_operators(m);
  bind_systems(m);
  bind_matrices(m);
  bind_reports(m);
  bind_machine(m);
  nanobind::module_::import_("atexit").attr("register")(nanobind::cpp_function(&wait_for_work_left_behind));
}
