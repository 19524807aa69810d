// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <cstdio>
#include <string>
#include <tuple>
#include <vector>

#include <ostinato/solvers/methods/gcrodr.hpp>
#include <ostinato/solvers/options.hpp>

#include "bind.hpp"

namespace ostinato::python {

namespace {

namespace nb = nanobind;

/// Calls f(name, pointer to member) for each number, text and list of a result.
template <class F>
void for_members(F&& f) {
  using R = SolveResult;
  f("reason", &R::reason), f("iterations", &R::iterations), f("residual", &R::residual);
  f("relative_residual", &R::relative_residual), f("backward_error", &R::backward_error);
  f("row_error", &R::row_error), f("scaled_error", &R::scaled_error), f("unsolved_rows", &R::unsolved_rows);
  f("at_precision_limit", &R::at_precision_limit), f("bad_input", &R::bad_input), f("seconds", &R::seconds);
  f("setup_seconds", &R::setup_seconds), f("preconditioner_bytes", &R::preconditioner_bytes);
  f("is_direct", &R::is_direct), f("null_pivots", &R::null_pivots), f("workspace_bytes", &R::workspace_bytes);
  f("solver", &R::solver), f("preconditioner", &R::preconditioner), f("notes", &R::notes);
  f("is_singular", &R::is_singular), f("gradient", &R::gradient), f("set_up_stopped", &R::set_up_stopped);
}

template <class F>
void for_members_of_stage(F&& f) {
  using S = Stage;
  f("method", &S::method), f("preconditioner", &S::preconditioner), f("iterations", &S::iterations);
  f("seconds", &S::seconds), f("setup_seconds", &S::setup_seconds), f("before", &S::before), f("after", &S::after);
  f("preconditioner_bytes", &S::preconditioner_bytes);
}

nb::list stages_of(const SolveResult& r) {
  nb::list stages;
  for (const Stage& s : r.stages) {
    nb::dict stage;
    for_members_of_stage([&](const char* name, auto member) { stage[name] = nb::cast(s.*member); });
    stages.append(stage);
  }
  return stages;
}

/// All that the result is, for pickle.
nb::dict state_of(const SolveResult& r) {
  nb::dict state;
  for_members([&](const char* name, auto member) { state[name] = nb::cast(r.*member); });
  state["status"] = static_cast<int>(r.status);
  state["cause"] = static_cast<int>(r.cause);
  state["history"] = nb::cast(r.history);
  state["stages"] = stages_of(r);
  state["condition"] = nb::make_tuple(r.condition.value, static_cast<int>(r.condition.of));
  return state;
}

template <class Value>
void put(const nb::handle& from, const char* name, Value& to) {
  to = nb::cast<Value>(from[name]);
}

void set_state(SolveResult& r, const nb::dict& state) {
  new (&r) SolveResult();
  for_members([&](const char* name, auto member) { put(state, name, r.*member); });
  r.status = static_cast<Status>(nb::cast<int>(state["status"]));
  r.cause = static_cast<Cause>(nb::cast<int>(state["cause"]));
  put(state, "history", r.history);
  for (const nb::handle stage : nb::borrow<nb::list>(state["stages"])) {
    Stage& s = r.stages.emplace_back();
    for_members_of_stage([&](const char* name, auto member) { put(stage, name, s.*member); });
  }
  r.condition.value = nb::cast<double>(state["condition"][0]);
  r.condition.of = static_cast<Condition::Of>(nb::cast<int>(state["condition"][1]));
}

nb::object history_of(const nb::handle& self) {
  const auto& r = nb::cast<const SolveResult&>(self);
  using View = nb::ndarray<nb::numpy, const double, nb::ndim<1>>;
  return nb::cast(View(r.history.data(), {r.history.size()}, self));
}

}  // namespace

void bind_results(nb::module_& m) {
  nb::class_<SolveResult> result(m, "Result", "How a solve of one right-hand side went, as SolveResult in C++.");
  for_members([&](const char* name, auto member) { result.def_ro(name, member); });
  result.def_prop_ro("status", [](const SolveResult& r) { return to_string(r.status); })
      .def_prop_ro("cause", [](const SolveResult& r) { return to_string(r.cause); })
      .def_prop_ro("converged", [](const SolveResult& r) { return bool(r); })
      .def_prop_ro("history", &history_of)
      .def_prop_ro("stages", &stages_of)
      .def_prop_ro("condition",
                   [](const SolveResult& r) {
                     return r.condition.is_known() ? nb::cast(r.condition.value) : nb::object(nb::none());
                   })
      .def_prop_ro("condition_of", [](const SolveResult& r) { return to_string(r.condition.of); })
      .def_prop_ro("forward_error", &SolveResult::forward_error)
      .def_prop_ro("message", &SolveResult::message)
      .def("__repr__", [](const SolveResult& r) { return "<ostinato.Result: " + r.message() + ">"; })
      .def("__getstate__", &state_of)
      .def("__setstate__", &set_state);

  nb::class_<Iteration>(m, "Iteration", "The progress of a solve, as a callback gets it.")
      .def_ro("number", &Iteration::number, "Finished iterations.")
      .def_ro("relative_residual", &Iteration::relative_residual, "Residual norm of the recurrence over ||b||.")
      .def_ro("seconds", &Iteration::seconds, "Since the solve began.")
      .def("__repr__", [](const Iteration& now) {
        char text[120];
        std::snprintf(text, sizeof text, "<ostinato.Iteration %d, relative residual %.3g, %.3g s>", now.number,
                      now.relative_residual, now.seconds);
        return std::string(text);
      });

  nb::class_<RecycledSpace>(m, "RecycledSpace",
                            "What GCRO-DR has found out about a matrix, for later solves; serves one at a time.")
      .def(nb::init<>())
      .def_prop_ro("vectors", &RecycledSpace::vectors, "Kept directions.")
      .def_prop_ro("nbytes", &RecycledSpace::bytes)
      .def("clear", &RecycledSpace::clear);
}

}  // namespace ostinato::python
