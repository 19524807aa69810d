// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include <ostinato/spmv/base/error.hpp>

#include "arrays.hpp"

namespace ostinato::python {

/// An object of Python that threads without the GIL may copy and drop.
class Kept {
 public:
  Kept() = default;
  explicit Kept(nb::object object)
      : object_(new nb::object(std::move(object)), [](nb::object* p) {
          const nb::gil_scoped_acquire gil;
          delete p;
        }) {}

  explicit operator bool() const { return object_ != nullptr; }
  const nb::object& get() const { return *object_; }

 private:
  std::shared_ptr<nb::object> object_;
};

/// A function of Python from a vector to a vector, y = f(x), as the library calls one: with the GIL, and with a copy of
/// x, since the function may keep it. f returns a NumPy array of one dimension in the type of the values.
/// Throws    What f raises; DimensionError for another length.
class VectorFunction {
 public:
  VectorFunction(nb::object f, const char* name) : f_(std::move(f)), name_(name) {}

  template <class T>
  void operator()(std::span<const T> x, std::span<T> y) const {
    const nb::gil_scoped_acquire gil;
    const nb::ndarray<nb::numpy, const T, nb::ndim<1>> lent(x.data(), {x.size()}, nb::handle());
    const auto result = nb::cast<Array1<T>>(f_.get()(nb::cast(lent, nb::rv_policy::copy)));
    if (result.size() != y.size())
      throw DimensionError(std::string(name_) + " returned " + std::to_string(result.size()) +
                           " elements in place of " + std::to_string(y.size()));
    std::copy_n(result.data(), result.size(), y.begin());
  }

 private:
  Kept f_;
  const char* name_;
};

}  // namespace ostinato::python
