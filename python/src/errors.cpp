// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <exception>

#include <ostinato/spmv/base/error.hpp>

#include "../../cli/exit_code.hpp"
#include "bind.hpp"

namespace ostinato::python {

namespace {

namespace nb = nanobind;

nb::object class_named(const char* name) { return nb::module_::import_("ostinato._errors").attr(name); }

void raise(const char* name, const char* what) { PyErr_SetString(class_named(name).ptr(), what); }

void raise(const FormatError& e) {
  const nb::object error = class_named("FormatError")(e.what());
  error.attr("path") = e.path();
  error.attr("line") = e.line() > 0 ? nb::cast(e.line()) : nb::none();
  PyErr_SetObject(class_named("FormatError").ptr(), error.ptr());
}

/// The class of Python that goes with an exception of the library.
void translate(const std::exception_ptr& p, void*) {
  try {
    std::rethrow_exception(p);
  } catch (const FormatError& e) {
    raise(e);
  } catch (const DimensionError& e) {
    raise("DimensionError", e.what());
  } catch (const MemoryLimitError& e) {
    raise("MemoryLimitError", e.what());
  } catch (const ArgumentError& e) {
    raise("ArgumentError", e.what());
  } catch (const cli::UsageError& e) {
    raise("ArgumentError", e.what());
  } catch (const DeviceError& e) {
    raise("DeviceError", e.what());
  } catch (const Error& e) {
    raise("Error", e.what());
  }
}

}  // namespace

void bind_errors() { nb::register_exception_translator(translate); }

}  // namespace ostinato::python
