// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <ostinato/solvers/options.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/strategy/device.hpp>

#include "../../cli/html/convergence.hpp"
#include "../../cli/html/page.hpp"
#include "../../cli/html/spy.hpp"
#include "../../cli/inspection.hpp"
#include "apart.hpp"
#include "arrays.hpp"
#include "bind.hpp"

// The pages of the program's reports for notebooks.

namespace ostinato::python {

namespace {

namespace nb = nanobind;

using Rows = std::vector<std::pair<std::string, std::string>>;

/// Results as a part of a notebook: a table of facts, and a picture of the residuals of each.
std::string page_of_results(const nb::list& results, const nb::list& rows, double goal) {
  cli::html::Page page("ostinato");
  cli::Facts facts;
  for (const nb::handle row : rows) facts.row(nb::cast<std::string>(row[0]), nb::cast<std::string>(row[1]));
  page.facts(facts);
  for (const nb::handle result : results) {
    const auto& r = nb::cast<const SolveResult&>(result);
    if (cli::html::has_convergence(r)) page.picture(cli::html::draw_convergence(r, goal), r.message());
  }
  return page.part();
}

/// What `print` writes, as a text.
std::string printed(const cli::Inspection& i, bool all) {
  char* text = nullptr;
  std::size_t size = 0;
  std::FILE* const to = ::open_memstream(&text, &size);
  if (to == nullptr) throw std::bad_alloc();
  cli::print(to, i, all);
  (void)std::fclose(to);
  const std::unique_ptr<char, void (*)(void*)> owner(text, std::free);
  return {text, size};
}

template <class T>
nb::tuple inspect(const LentCsr<T>& lent, const std::string& name, bool thorough) {
  const Signals signals;
  signals.begin();
  const auto i = std::make_shared<cli::Inspection>();
  const bool done = run_apart(signals, lent.view().nonzeros(), [=] {
    const Csr<T> a = lent.copy();
    const Host space;
    i->matrix = name;
    i->to_see_all = "thorough=True";
    i->file = {"csr", "real", "general", a.rows, a.cols, a.nonzeros()};
    i->device = {space.description(), "", is_single<T> ? "single" : "double",
                 predict_seconds(ostinato::size_of(a.view()), space.threads(), false)};
    i->pattern = cli::html::density_of(a);
    cli::InspectInput in;
    in.all = thorough;
    cli::look_at(space, a, in, *i);
  });
  return nb::make_tuple(done ? nb::cast(*i) : nb::object(nb::none()), signals.take_error());
}

nb::list findings_of(const cli::Inspection& i) {
  nb::list list;
  for (const Finding& f : i.examination.findings)
    list.append(nb::make_tuple(f.subject, std::string(to_string(f.weight)), f.text));
  return list;
}

nb::dict facts_of(const cli::Inspection& i) {
  nb::dict d;
  d["shape"] = nb::make_tuple(i.structure.rows, i.structure.cols);
  d["nnz"] = nb::cast(i.structure.nonzeros);
  d["symmetric"] = nb::cast(i.structure.symmetric);
  d["definiteness"] = nb::cast(std::string(to_string(i.examination.definiteness)));
  d["solver"] = nb::cast(i.examination.solver.name);
  d["preconditioner"] = nb::cast(i.examination.preconditioner.name);
  d["format"] = nb::cast(i.choice.format);
  const auto& ends = i.examination.spectrum;
  d["condition"] = ends ? nb::cast(condition(*ends, i.structure.rows)) : nb::object(nb::none());
  return d;
}

}  // namespace

void bind_reports(nb::module_& m) {
  nb::class_<cli::Inspection>(m, "Report")
      .def("text", &printed)
      .def("page", [](const cli::Inspection& i, bool all) { return cli::page_of(i, all).text(); })
      .def("part", [](const cli::Inspection& i, bool all) { return cli::page_of(i, all).part(); })
      .def_prop_ro("findings", &findings_of)
      .def_prop_ro("facts", &facts_of);
  m.def("inspect", &inspect<double>);
  m.def("inspect", &inspect<float>);
  m.def("page_of_results", &page_of_results);
}

}  // namespace ostinato::python
