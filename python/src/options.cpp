// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include "options.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <ostinato/solvers/methods/gcrodr.hpp>
#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/message.hpp>
#include <ostinato/strategy/any_preconditioner.hpp>

#include "bind.hpp"
#include "function.hpp"

namespace ostinato::python {

namespace {

/// The value that one of some words stands for.
template <class Value, std::size_t n>
Value among(const char* option, const std::string& word, const std::pair<const char*, Value> (&known)[n]) {
  std::string names;
  for (const auto& [name, value] : known) {
    if (word == name) return value;
    names += (names.empty() ? "" : ", ") + std::string(name);
  }
  throw ArgumentError(std::string(option) + " is '" + word + "'; known: " + names);
}

/// The callback of a solve. What it raises is thrown by the solve, once x is whole.
std::function<bool(const Iteration&)> callback_of(nb::object f) {
  if (!PyCallable_Check(f.ptr())) throw nb::cast_error();
  return [kept = Kept(std::move(f))](const Iteration& now) {
    const nb::gil_scoped_acquire gil;
    Iteration without_lanczos = now;
    without_lanczos.lanczos = nullptr;
    return kept.get()(nb::cast(without_lanczos, nb::rv_policy::copy)).ptr() != Py_False;
  };
}

Effort effort_of(const std::string& word) {
  return among<Effort>("effort", word,
                       {{"quick", Effort::quick}, {"normal", Effort::normal}, {"thorough", Effort::thorough}});
}
MixedPrecision mixed_of(const std::string& word) {
  return among<MixedPrecision>(
      "mixed", word, {{"auto", MixedPrecision::automatic}, {"on", MixedPrecision::on}, {"off", MixedPrecision::off}});
}
Renumber renumber_of(const std::string& word) {
  return among<Renumber>("renumber", word,
                         {{"auto", Renumber::automatic}, {"on", Renumber::on}, {"off", Renumber::off}});
}

/// The value of an option: a whole number in any type of numbers, a bool as a number, too.
template <class Value>
void put(const nb::handle& given, Value& to) {
  if constexpr (std::is_same_v<Value, bool>) {
    if (!PyNumber_Check(given.ptr())) throw nb::cast_error();
    to = nb::cast<bool>(nb::bool_(nb::borrow(given)));
  } else if constexpr (std::is_integral_v<Value>) {
    const bool is_whole = PyFloat_Check(given.ptr()) && nb::cast<bool>(given.attr("is_integer")());
    to = is_whole ? nb::cast<Value>(nb::int_(nb::borrow(given))) : nb::cast<Value>(given);
  } else {
    to = nb::cast<Value>(given);
  }
}

/// The same of a number that has to be `least` or more.
template <class Value>
void put(std::string_view name, const nb::handle& given, Value least, Value& to) {
  put(given, to);
  if (!(to >= least))
    throw ArgumentError(std::string(name) + " is " + nb::cast<std::string>(nb::str(given)) + "; it has to be " +
                        nb::cast<std::string>(nb::str(nb::cast(least))) + " or more");
}

/// The same of a number, from 1 on, that may be left to the library.
void put_or_auto(std::string_view name, const nb::handle& given, int automatic, int& to) {
  if (nb::isinstance<nb::str>(given) && nb::cast<std::string>(given) == "auto")
    to = automatic;
  else
    put(name, given, 1, to);
}

bool take_method_option(std::string_view name, const nb::handle& given, SolveOptions& to) {
  if (name == "restart")
    put_or_auto(name, given, automatic_restart, to.restart);
  else if (name == "recycle")
    put_or_auto(name, given, automatic_recycle, to.recycle);
  else if (name == "recycled")
    to.recycled = nb::cast<RecycledSpace*>(given);
  else if (name == "flexible")
    put(given, to.flexible);
  else if (name == "shadow")
    put(given, to.shadow);
  else if (name == "mixed")
    to.mixed = mixed_of(nb::cast<std::string>(given));
  else if (name == "effort")
    to.effort = effort_of(nb::cast<std::string>(given));
  else if (name == "prepare")
    put(given, to.prepare);
  else if (name == "symmetric")
    put(given, to.symmetric);
  else
    return false;
  return true;
}

bool take_solve_option(std::string_view name, const nb::handle& given, SolveOptions& to) {
  if (name == "rtol")
    put(name, given, 0.0, to.rtol);
  else if (name == "atol")
    put(name, given, 0.0, to.atol);
  else if (name == "maxiter")
    put(name, given, 0, to.max_iterations);
  else if (name == "time_limit")
    put(name, given, 0.0, to.time_limit);
  else if (name == "mem_limit")
    put(given, to.mem_limit);
  else if (name == "divergence_limit")
    put(name, given, 0.0, to.divergence_limit);
  else if (name == "check_every")
    put(name, given, 0, to.check_every);
  else if (name == "history")
    put(given, to.history);
  else if (name == "callback")
    to.callback = callback_of(nb::borrow(given));
  else
    return take_method_option(name, given, to);
  return true;
}

bool take_set_up_option(std::string_view name, const nb::handle& given, LinearSolverOptions& to) {
  if (name == "solver")
    put(given, to.solver);
  else if (name == "preconditioner")
    to.preconditioner = parse_preconditioner(nb::cast<std::string>(given));
  else if (name == "format")
    put(given, to.format.format);
  else if (name == "renumber")
    to.renumber = renumber_of(nb::cast<std::string>(given));
  else if (name == "right_sides")
    put(name, given, 1, to.right_sides);
  else if (name == "device")
    put(given, to.device);
  else
    return false;
  return true;
}

/// The options of a set-up or of a solve, with those that the package in Python takes itself.
std::vector<std::string> option_names(bool set_up) {
  std::vector<std::string> names = {
      "rtol",     "atol",     "maxiter", "time_limit", "mem_limit",   "divergence_limit", "history",
      "callback", "progress", "restart", "recycle",    "recycled",    "shadow",           "flexible",
      "mixed",    "effort",   "prepare", "symmetric",  "check_every", "on_failure"};
  if (set_up)
    names.insert(names.end(), {"solver", "preconditioner", "format", "renumber", "right_sides", "device", "varies",
                               "symmetric_preconditioner"});
  return names;
}

/// Names the options that there are, and those that other packages call so.
std::string unknown_option(const std::string& name, bool set_up) {
  const std::vector<std::string> known = option_names(set_up);
  static const std::map<std::string, std::string, std::less<>> elsewhere = {
      {"tol", "rtol"},         {"M", "preconditioner"},   {"precond", "preconditioner"},
      {"max_iter", "maxiter"}, {"maxit", "maxiter"},      {"max_iterations", "maxiter"},
      {"method", "solver"},    {"timeout", "time_limit"}, {"verbose", "progress"}};
  const auto other = elsewhere.find(name);
  if (other != elsewhere.end() && std::find(known.begin(), known.end(), other->second) != known.end())
    return "unknown option '" + name + "': it is " + other->second + " here";
  return unknown_name("option", name, known);
}

void require_option(const std::string& name, bool set_up) {
  const std::vector<std::string> known = option_names(set_up);
  if (std::find(known.begin(), known.end(), name) == known.end()) throw ArgumentError(unknown_option(name, set_up));
}

/// Calls take(name, value) for each option that isn't None, those of a set-up or of a solve.
template <class Take>
void take_each(const nb::dict& given, bool set_up, Take take) {
  for (const auto& [key, value] : given) {
    const auto name = nb::cast<std::string>(key);
    if (value.is_none()) {
      require_option(name, set_up);
      continue;
    }
    try {
      if (!take(name, value)) throw ArgumentError(unknown_option(name, set_up));
    } catch (const nb::cast_error&) {
      throw ArgumentError(name + " can't be " + nb::cast<std::string>(nb::repr(value)));
    }
  }
}

}  // namespace

void take_solve_options(const nb::dict& given, SolveOptions& to) {
  take_each(given, false,
            [&](std::string_view name, const nb::handle& value) { return take_solve_option(name, value, to); });
}

void take_options(const nb::dict& given, LinearSolverOptions& to) {
  take_each(given, true, [&](std::string_view name, const nb::handle& value) {
    return take_set_up_option(name, value, to) || take_solve_option(name, value, to.solve);
  });
}

void bind_options(nb::module_& m) {
  m.def("option_names", &option_names);
  m.def("require_option", [](const std::string& name) { require_option(name, true); });
}

}  // namespace ostinato::python
