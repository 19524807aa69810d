// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include "operators.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include <ostinato/spmv/analysis/analysis.hpp>
#include <ostinato/spmv/function_operator.hpp>
#include <ostinato/spmv/transposable_operator.hpp>
#include <ostinato/strategy/any_preconditioner.hpp>

#include "apart.hpp"
#include "arrays.hpp"
#include "bind.hpp"
#include "function.hpp"
#include "signals.hpp"

namespace ostinato::python {

namespace {

template <class T>
LentCsr<T> lent(Index rows, Index cols, Array1<Offset> row_ptr, Array1<Index> col, Array1<T> val) {
  return {rows, cols, std::move(row_ptr), std::move(col), std::move(val)};
}

/// An operator of a copy of the matrix.
template <class T>
HeldOperator<T> operator_of(const LentCsr<T>& lent, const std::string& format, bool transpose) {
  const nb::gil_scoped_release no_gil;
  const Host space;
  HeldOperator<T> held;
  if (transpose) {
    auto both =
        std::make_shared<const TransposableOperator<Host, T>>(space, lent.copy(), FormatOptions{.format = format});
    held.matrix = &both->forward();
    held.map = std::move(both);
  } else {
    auto a = std::make_shared<const Operator<Host, T>>(space, lent.copy(), FormatOptions{.format = format});
    held.matrix = a.get();
    held.map = std::move(a);
  }
  return held;
}

template <class T>
HeldOperator<T> operator_of_function(std::size_t rows, std::size_t cols, nb::object f, nb::object transposed,
                                     bool symmetric, bool positive_definite) {
  FunctionOptions<T> options{.cols = cols, .symmetric = symmetric, .positive_definite = positive_definite};
  if (!transposed.is_none()) options.transposed = VectorFunction(std::move(transposed), "rmatvec");
  using Map = FunctionOperator<Host, T, VectorFunction>;
  return {std::make_shared<const Map>(Host(), rows, VectorFunction(std::move(f), "matvec"), std::move(options))};
}

template <class T>
void apply(const HeldOperator<T>& a, const Array2<const T>& x, const Array2<T>& y) {
  const nb::gil_scoped_release no_gil;
  a.map->apply(T{1}, block_in(x), T{0}, block_in(y));
}

template <class T>
void apply_transposed(const HeldOperator<T>& a, const Array2<const T>& x, const Array2<T>& y) {
  const LinearMap<Host, T>* const adjoint = a.map->adjoint();
  if (adjoint == nullptr)
    throw ArgumentError("rmatvec: the operator has no transpose; Operator(A, transpose=True) makes one");
  const nb::gil_scoped_release no_gil;
  adjoint->apply(T{1}, block_in(x), T{0}, block_in(y));
}

/// The ranking of formats: name, parameters, bytes, seconds of a product (predicted), verdict.
nb::list candidates_of(const Choice& choice) {
  nb::list rows;
  for (const Candidate& c : choice.candidates) {
    if (c.cost.elsewhere) continue;
    nb::dict row;
    row["format"] = nb::cast(c.name), row["parameters"] = nb::cast(c.parameters);
    row["bytes"] = c.cost.applies() ? nb::cast(c.cost.bytes) : nb::object(nb::none());
    row["seconds"] = c.cost.applies() ? nb::cast(c.product_seconds()) : nb::object(nb::none());
    row["verdict"] = nb::cast(c.verdict);
    rows.append(row);
  }
  return rows;
}

/// A preconditioner that is a function of Python.
template <class T>
class FunctionOfPython final : public PreconditionerBase<Host, T> {
 public:
  FunctionOfPython(std::size_t rows, nb::object f, bool varies, bool symmetric)
      : PreconditionerBase<Host, T>(Host()),
        f_(std::move(f), "the preconditioner"),
        rows_(rows),
        varies_(varies),
        symmetric_(symmetric) {}

  std::size_t rows() const override { return rows_; }
  std::string name() const override { return "function"; }
  bool varies() const override { return varies_; }
  bool symmetric() const override { return symmetric_; }
  bool equals_transpose() const override { return symmetric_ && !varies_; }
  void apply(Block<const T> r, Block<T> z) const override {
    for (int k = 0; k < z.columns; ++k) f_(r.column(k), z.column(k));
  }

 private:
  VectorFunction f_;
  std::size_t rows_;
  bool varies_, symmetric_;
};

template <class T>
HeldPreconditioner<T> preconditioner_of_function(std::size_t rows, nb::object f, bool varies, bool symmetric) {
  return {std::make_shared<const FunctionOfPython<T>>(rows, std::move(f), varies, symmetric)};
}

/// A preconditioner by its name, and what a handler of signals raised meanwhile; None where that ended it.
template <class T>
nb::tuple preconditioner_of(const LentCsr<T>& lent, const std::string& name, std::size_t mem_limit) {
  const Signals signals;
  signals.begin();
  const auto held = std::make_shared<HeldPreconditioner<T>>();
  bool done = false;
  try {
    done = run_apart(signals, lent.view().nonzeros(), [=] {
      const Analysis<Host, T> analysis(Host(), lent.copy());
      held->m = std::make_shared<const AnyPreconditioner<Host, T>>(analysis, name, StopRequest(signals), mem_limit);
    });
  } catch (const Stopped&) {
  }
  return nb::make_tuple(done ? nb::cast(*held) : nb::object(nb::none()), signals.take_error());
}

template <class T>
void precondition(const HeldPreconditioner<T>& m, const Array2<const T>& r, const Array2<T>& z) {
  const nb::gil_scoped_release no_gil;
  const std::lock_guard lock(*m.one_at_a_time);
  if (m.m->is_identity()) {
    std::copy_n(r.data(), r.size(), z.data());
  } else {
    m.m->apply(block_in(r), block_in(z));
  }
}

nb::list levels_of(const std::vector<PreconditionerLevel>& levels) {
  nb::list rows;
  for (const PreconditionerLevel& l : levels) {
    nb::dict row;
    row["rows"] = nb::cast(l.rows), row["nonzeros"] = nb::cast(l.nonzeros), row["bytes"] = nb::cast(l.bytes);
    row["grid"] = nb::cast(l.grid), row["storage"] = nb::cast(l.storage);
    rows.append(row);
  }
  return rows;
}

template <class T>
void bind_on(nb::module_& m, const char* lent_name, const char* operator_name, const char* preconditioner_name) {
  nb::class_<LentCsr<T>>(m, lent_name)
      .def("__init__",
           [](LentCsr<T>* self, Index rows, Index cols, Array1<Offset> row_ptr, Array1<Index> col, Array1<T> val) {
             new (self) LentCsr<T>(lent(rows, cols, std::move(row_ptr), std::move(col), std::move(val)));
             check(self->view());
           });
  nb::class_<HeldOperator<T>>(m, operator_name)
      .def_static("of_matrix", &operator_of<T>)
      .def_static("of_function", &operator_of_function<T>, nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg(),
                  nb::arg())
      .def("apply", &apply<T>)
      .def("apply_transposed", &apply_transposed<T>)
      .def_prop_ro("has_transpose", [](const HeldOperator<T>& a) { return a.map->adjoint() != nullptr; })
      .def_prop_ro("format", [](const HeldOperator<T>& a) { return a.matrix ? a.matrix->format() : "function"; })
      .def_prop_ro("parameters", [](const HeldOperator<T>& a) { return a.matrix ? a.matrix->parameters() : ""; })
      .def_prop_ro("nbytes", [](const HeldOperator<T>& a) { return a.map->bytes(); })
      .def_prop_ro("reason", [](const HeldOperator<T>& a) { return a.matrix ? a.matrix->choice().reason : ""; })
      .def_prop_ro("symmetric", [](const HeldOperator<T>& a) { return a.map->facts() && a.map->facts()->symmetric; })
      .def_prop_ro("candidates",
                   [](const HeldOperator<T>& a) { return a.matrix ? candidates_of(a.matrix->choice()) : nb::list(); });
  nb::class_<HeldPreconditioner<T>>(m, preconditioner_name)
      .def_static("of_matrix", &preconditioner_of<T>)
      .def_static("of_function", &preconditioner_of_function<T>)
      .def_static("none", [] { return HeldPreconditioner<T>(); })
      .def("apply", &precondition<T>)
      .def_prop_ro("name", [](const HeldPreconditioner<T>& p) { return p.m->name(); })
      .def_prop_ro("nbytes", [](const HeldPreconditioner<T>& p) { return p.m->bytes(); })
      .def_prop_ro("remarks", [](const HeldPreconditioner<T>& p) { return p.m->remarks(); })
      .def_prop_ro("varies", [](const HeldPreconditioner<T>& p) { return p.m->varies(); })
      .def_prop_ro("levels", [](const HeldPreconditioner<T>& p) { return levels_of(p.m->levels()); });
}

}  // namespace

void bind_operators(nb::module_& m) {
  bind_on<double>(m, "Csr64", "Operator64", "Preconditioner64");
  bind_on<float>(m, "Csr32", "Operator32", "Preconditioner32");
}

}  // namespace ostinato::python
