// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <vector>

#include <ostinato/preconditioners/synonyms.hpp>
#include <ostinato/solvers/list.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>
#include <ostinato/spmv/version.hpp>
#include <ostinato/strategy/any_preconditioner.hpp>

#include "../../cli/program.hpp"
#include "bind.hpp"

namespace ostinato::python {

namespace {

namespace nb = nanobind;

std::vector<std::string> solvers() {
  std::vector<std::string> names;
  for (const SolverInfo& info : solver_infos) names.emplace_back(info.name);
  return names;
}

std::vector<std::string> preconditioners() {
  std::vector<std::string> names;
  for (const PreconditionerInfo& info : preconditioner_infos()) names.emplace_back(info.name);
  return names;
}

int run_program(const std::vector<std::string>& words) {
  std::vector<std::string> kept = words;
  std::vector<char*> argv;
  for (std::string& word : kept) argv.push_back(word.data());
  argv.push_back(nullptr);
  const nb::gil_scoped_release no_gil;
  return cli::run_program(static_cast<int>(kept.size()), argv.data());
}

}  // namespace

void bind_machine(nb::module_& m) {
  m.attr("__version__") =
      std::to_string(version.major) + "." + std::to_string(version.minor) + "." + std::to_string(version.patch);
  m.def("solvers", &solvers, "The names of the methods.");
  m.def("preconditioners", &preconditioners, "The names of the preconditioners.");
  m.def(
      "set_threads", [](int threads) { (void)Host(threads); },
      "Sets the threads of later work; before any other work, also the size of the pool.");
  m.def(
      "threads", [] { return Host().threads(); }, "The threads that work runs on.");
  m.def("why_no_gpu", [] { return Cuda::why_absent(); });
  m.def("build", [] { return Host::build_description() + ", " + Cuda::build_description(); });
  m.def("device_description", [] { return Host().description(); });
  m.def("run_program", &run_program);
}

}  // namespace ostinato::python
