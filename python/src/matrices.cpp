// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <string>
#include <utility>
#include <vector>

#include <ostinato/spmv/matrix/csr.hpp>
#include <ostinato/spmv/matrix/io/matrix_market.hpp>

#include "../../cli/generated.hpp"
#include "arrays.hpp"
#include "bind.hpp"

namespace ostinato::python {

namespace {

/// rows, cols, row pointers, columns and values, which the arrays own.
template <class T>
nb::tuple tuple_of(Csr<T>&& a) {
  return nb::make_tuple(a.rows, a.cols, numpy_of<Offset>(std::move(a.row_ptr)), numpy_of<Index>(std::move(a.col)),
                        numpy_of<T>(std::move(a.val)));
}

template <class T>
nb::tuple read(const std::string& path) {
  Csr<T> a = [&] {
    const nb::gil_scoped_release no_gil;
    return read_matrix_market<T>(path);
  }();
  return tuple_of(std::move(a));
}

nb::object read_dense(const std::string& path) {
  Array<double> v = [&] {
    const nb::gil_scoped_release no_gil;
    return read_vector<double>(path);
  }();
  return numpy_of<double>(std::move(v));
}

template <class T>
nb::tuple generated(const std::string& name) {
  const auto made = cli::generated_matrix(name);
  if (!made) throw ArgumentError("'" + name + "' isn't FAMILY:N or FAMILY:N:KEY=VALUE,KEY=VALUE");
  Csr<T> a = [&] {
    const nb::gil_scoped_release no_gil;
    return generate<T>(made->family, made->options);
  }();
  return tuple_of(std::move(a));
}

nb::object coordinates(const std::string& name) {
  const auto made = cli::generated_matrix(name);
  if (!made) throw ArgumentError("'" + name + "' isn't FAMILY:N");
  return numpy_of<double>(std::move(cli::coordinates_of(*made).values));
}

}  // namespace

void bind_matrices(nb::module_& m) {
  m.def("read64", &read<double>);
  m.def("read32", &read<float>);
  m.def("read_vector", &read_dense);
  m.def("generate64", &generated<double>);
  m.def("generate32", &generated<float>);
  m.def("coordinates", &coordinates);
}

}  // namespace ostinato::python
