// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include <ostinato/spmv/matrix/space_csr.hpp>
#include <ostinato/spmv/space/gpu_context.hpp>
#include <ostinato/spmv/stencil/stencil_operator.hpp>
#include <ostinato/strategy/linear_solver.hpp>
#include <ostinato/strategy/solve_by_name.hpp>
#include <ostinato/strategy/solver_on_device.hpp>

#include "apart.hpp"
#include "arrays.hpp"
#include "bind.hpp"
#include "function.hpp"
#include "operators.hpp"
#include "options.hpp"
#include "signals.hpp"

namespace ostinato::python {

namespace {

/// Has one thread at a time, and refuses the one that it has already.
class OneAtATime {
 public:
  class Lock {
   public:
    explicit Lock(OneAtATime& of) : of_(of) {
      if (of.owner_ == std::this_thread::get_id())
        throw ArgumentError("the solver is at work: a function that it calls can't solve with it");
      of.mutex_.lock();
      of.owner_ = std::this_thread::get_id();
    }
    ~Lock() {
      of_.owner_ = std::thread::id();
      of_.mutex_.unlock();
    }
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;

   private:
    OneAtATime& of_;
  };

 private:
  std::mutex mutex_;
  std::atomic<std::thread::id> owner_{};
};

/// Results, and what a handler of signals raised meanwhile.
nb::tuple with_error(std::vector<SolveResult> results, const Signals& signals) {
  nb::list list;
  for (SolveResult& r : results) list.append(nb::cast(std::move(r)));
  return nb::make_tuple(list, signals.take_error());
}

/// The system that make() sets up, and what a handler of signals raised meanwhile; None where it was left behind.
template <class System, class Make>
nb::tuple made(const nb::dict& given, std::int64_t entries, Make make) {
  auto system = std::make_shared<System>();
  system->begin(given);
  const Signals signals = system->signals();
  const bool done = run_apart(signals, entries, [system, make = std::move(make)]() mutable { make(*system); });
  nb::object error = signals.take_error();
  return nb::make_tuple(done ? nb::cast(std::move(system)) : nb::object(nb::none()), std::move(error));
}

/// A matrix in compressed rows in the memory of a GPU, whose arrays an object of Python keeps.
template <class T>
struct GpuCsr {
  CsrView<T> view;
  Kept arrays;
};

using Address = std::uintptr_t;  ///< of memory of a GPU

template <class T>
GpuCsr<T> gpu_csr(Index rows, Index cols, std::size_t entries, const std::array<Address, 3>& at, nb::object arrays) {
  const auto* const row_ptr = reinterpret_cast<const Offset*>(at[0]);
  const auto* const col = reinterpret_cast<const Index*>(at[1]);
  const auto* const val = reinterpret_cast<const T*>(at[2]);
  return {{rows, cols, {row_ptr, static_cast<std::size_t>(rows) + 1}, {col, entries}, {val, entries}},
          Kept(std::move(arrays))};
}

/// Columns in the memory of a GPU, after one another, as an argument of the systems.
template <class T>
DeviceArray2<T> gpu_columns(Address at, std::size_t rows, std::size_t columns, const nb::object& array) {
  const std::array<std::int64_t, 2> strides{1, static_cast<std::int64_t>(rows)};
  const std::array<std::size_t, 2> shape{rows, columns};
  return DeviceArray2<T>(reinterpret_cast<T*>(at), 2, shape.data(), array, strides.data(), nb::dtype<T>(),
                         nb::device::cuda::value);
}

/// A system that is set up, by a SolverOnDevice or, with a preconditioner of the caller or none, by
/// solve(space, A, b, x, M).
template <class T>
class System {
 public:
  void begin(const nb::dict& given) {
    options_.solve.rtol = usual_rtol<T>;
    take_options(given, options_);
    signals_.begin();
    options_.solve.stop = StopRequest(signals_);
  }

  template <class Given>
  void take(Given&& given) {
    solver_.emplace(std::forward<Given>(given), options_);
  }
  void take(HeldOperator<T> a, HeldPreconditioner<T> m) {
    a_ = std::move(a);
    m_ = std::move(m);
  }
  void take(const GpuCsr<T>& a) {
    solver_.emplace(a.view, on_space, options_);
    gpu_arrays_ = a.arrays;
  }
  void keep(LentCsr<T> arrays) { arrays_ = std::move(arrays); }  ///< as long as the object lives

  const Signals& signals() const { return signals_; }

  nb::tuple solve(const DeviceArray2<const T>& b, const DeviceArray2<T>& x, const nb::dict& given) {
    const Signals signals;
    signals.begin();
    SolveOptions options = options_.solve;
    take_solve_options(given, options);
    options.stop = StopRequest(signals);
    return with_error(run([&] {
                        return solver_ ? solver_->solve(block_in(b), block_in(x), options)
                                       : solve_with(block_in(b), block_in(x), options);
                      }),
                      signals);
  }

  nb::tuple solve_once(const DeviceArray2<const T>& b, const DeviceArray2<T>& x) {
    return with_error(run([&] {
                        return solver_ ? solver_->solve_once(block_in(b), block_in(x))
                                       : solve_with(block_in(b), block_in(x), options_.solve);
                      }),
                      signals_);
  }

  nb::object update_values(const LentCsr<T>& a) {
    return update([&] { solver_->update_values(a.copy()); });
  }
  nb::object update_values(const GpuCsr<T>& a) {
    return update([&] { solver_->update_values(a.view, on_space); });
  }

  void precondition(const DeviceArray2<const T>& r, const DeviceArray2<T>& z, double rtol) {
    if (!solver_) throw ArgumentError("as_preconditioner: the preconditioner was made elsewhere");
    run([&] {
      solver_->precondition(block_in(r), block_in(z), SolveOptions{.rtol = rtol});
      return 0;
    });
  }

  const SetUp* set_up() const { return solver_ ? &solver_->set_up() : nullptr; }
  std::string device() const { return solver_ ? solver_->device() : Host().description(); }
  double seconds() const { return solver_ ? solver_->set_up_seconds() : 0; }
  std::string preconditioner() const {
    return solver_ ? set_up()->preconditioner.name : m_->m ? m_->m->name() : "none";
  }

 private:
  template <class F>
  nb::object update(F&& take_values) {
    if (!solver_) throw ArgumentError("update_values: the preconditioner was made elsewhere; make a new Solver");
    run([&] {
      signals_.begin();
      take_values();
      return 0;
    });
    return signals_.take_error();
  }

  template <class F>
  auto run(F&& f) {
    const nb::gil_scoped_release no_gil;
    const OneAtATime::Lock lock(busy_);
    return f();
  }

  std::vector<SolveResult> solve_with(Block<const T> b, Block<T> x, const SolveOptions& options) {
    if (b.columns != x.columns)
      throw DimensionError("solve: b has " + std::to_string(b.columns) + " columns, and x " +
                           std::to_string(x.columns));
    if (gpu_of_memory(b.data) >= 0 || gpu_of_memory(x.data) >= 0)
      throw ArgumentError(
          "solve: the preconditioner works on the CPU, but b or x is in the memory of a GPU; copy it to "
          "the host, or name a preconditioner");
    const Host space;
    const LinearMap<Host, T>& a = *a_->map;
    const std::lock_guard lock(*m_->one_at_a_time);
    std::vector<SolveResult> results;
    for (int k = 0; k < b.columns; ++k)
      results.push_back(
          m_->m ? ostinato::solve(space, a, b.column(k), x.column(k), *m_->m, options_.solver, options)
                : ostinato::solve(space, a, b.column(k), x.column(k), Identity{}, options_.solver, options));
    return results;
  }

  LinearSolverOptions options_;
  Signals signals_;
  OneAtATime busy_;
  std::optional<LentCsr<T>> arrays_;
  Kept gpu_arrays_;
  std::optional<HeldOperator<T>> a_;
  std::optional<HeldPreconditioner<T>> m_;
  std::optional<SolverOnDevice<T>> solver_;
};

template <class T>
nb::tuple of_matrix(LentCsr<T> a, bool lend, const nb::dict& given) {
  const std::int64_t entries = a.view().nonzeros();
  return made<System<T>>(given, entries, [a = std::move(a), lend](System<T>& s) {
    if (lend) {
      s.take(a.view());
      s.keep(a);
    } else {
      s.take(a.copy());
    }
  });
}

template <class T>
nb::tuple of_gpu_matrix(GpuCsr<T> a, const nb::dict& given) {
  const std::int64_t entries = a.view.nonzeros();
  return made<System<T>>(given, entries, [a = std::move(a)](System<T>& s) { s.take(a); });
}

template <class T>
nb::tuple of_operator(HeldOperator<T> a, const nb::dict& given) {
  const std::int64_t entries = a.matrix ? a.matrix->structure().nonzeros : 0;
  return made<System<T>>(given, entries, [a = std::move(a)](System<T>& s) { s.take(a.map); });
}

template <class T>
nb::tuple of_both(HeldOperator<T> a, HeldPreconditioner<T> m, const nb::dict& given) {
  return made<System<T>>(given, 0, [&](System<T>& s) { s.take(std::move(a), std::move(m)); });
}

using Term = std::tuple<int, int, int, double>;

Boundaries boundaries_of(const std::array<std::string, 2>& names) {
  const auto of = [](const std::string& name) {
    if (name == "dirichlet") return Boundary::dirichlet;
    if (name == "neumann") return Boundary::neumann;
    if (name == "periodic") return Boundary::periodic;
    throw ArgumentError("boundary is '" + name + "'; known: dirichlet, neumann, periodic");
  };
  return {of(names[0]), of(names[1])};
}

Stencil stencil_of(const std::array<Index, 3>& extents, const std::vector<Term>& terms,
                   const std::array<std::array<std::string, 2>, 3>& ends) {
  Stencil s{.extents = {extents[0], extents[1], extents[2]}};
  for (const auto& [dx, dy, dz, coefficient] : terms) s.terms.push_back({dx, dy, dz, coefficient});
  s.x = boundaries_of(ends[0]), s.y = boundaries_of(ends[1]), s.z = boundaries_of(ends[2]);
  return s;
}

/// A stencil as an operator of the CPU.
template <class T>
HeldOperator<T> operator_of_stencil(const Stencil& s) {
  const nb::gil_scoped_release no_gil;
  const Host space;
  return {detail::map_of<Host, T>(space, StencilOperator<Host, T>(space, s))};
}

nb::dict dict_of(const SetUp& s) {
  nb::dict d;
  d["solver"] = nb::cast(s.solver.name), d["solver_reason"] = nb::cast(s.solver.reason);
  d["preconditioner"] = nb::cast(s.preconditioner.name);
  d["preconditioner_reason"] = nb::cast(s.preconditioner.reason);
  d["remarks"] = nb::cast(s.preconditioner_remarks);
  d["format"] = nb::cast(s.choice.format), d["format_reason"] = nb::cast(s.choice.reason);
  d["renumbering"] = nb::cast(s.renumbering.reason);
  d["matrix_bytes"] = nb::cast(s.matrix_bytes), d["preconditioner_bytes"] = nb::cast(s.preconditioner_bytes);
  d["unfinished"] = s.unfinished ? nb::cast(std::string(to_string(*s.unfinished))) : nb::object(nb::none());
  return d;
}

template <class T>
void bind_arrays(nb::module_& m, const char* csr, const char* columns) {
  nb::class_<GpuCsr<T>>(m, csr).def_static("of", &gpu_csr<T>);
  m.def(columns, &gpu_columns<T>);
}

template <class T>
void bind_on(nb::module_& m, const char* name) {
  using S = System<T>;
  nb::class_<S>(m, name)
      .def_static("of_matrix", &of_matrix<T>)
      .def_static("of_gpu_matrix", &of_gpu_matrix<T>)
      .def_static("of_operator", &of_operator<T>)
      .def_static("of_both", &of_both<T>)
      .def_static(
          "of_stencil",
          [](const Stencil& s, const nb::dict& given) { return made<S>(given, 0, [&](S& system) { system.take(s); }); })
      .def("solve", &S::solve)
      .def("solve_once", &S::solve_once)
      .def("update_values", nb::overload_cast<const LentCsr<T>&>(&S::update_values))
      .def("update_values", nb::overload_cast<const GpuCsr<T>&>(&S::update_values))
      .def("precondition", &S::precondition)
      .def_prop_ro("set_up", [](const S& s) { return s.set_up() ? dict_of(*s.set_up()) : nb::dict(); })
      .def_prop_ro("device", &S::device)
      .def_prop_ro("seconds", &S::seconds)
      .def_prop_ro("preconditioner", &S::preconditioner);
}

}  // namespace

void bind_systems(nb::module_& m) {
  nb::class_<Stencil>(m, "Stencil").def_static("of", &stencil_of).def_prop_ro("rows", [](const Stencil& s) {
    return s.extents.points();
  });
  bind_arrays<double>(m, "GpuCsr64", "gpu_columns64");
  bind_arrays<float>(m, "GpuCsr32", "gpu_columns32");
  bind_on<double>(m, "System64");
  bind_on<float>(m, "System32");
  m.def("stencil_operator64", &operator_of_stencil<double>);
  m.def("stencil_operator32", &operator_of_stencil<float>);
}

}  // namespace ostinato::python
