// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <ostinato/solvers/options.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/block.hpp>
#include <ostinato/spmv/linear_map.hpp>
#include <ostinato/spmv/matrix/csr.hpp>
#include <ostinato/spmv/matrix/space_csr.hpp>
#include <ostinato/spmv/matrix/stencil.hpp>
#include <ostinato/spmv/space/host.hpp>
#include <ostinato/strategy/device.hpp>
#include <ostinato/strategy/set_up.hpp>

namespace ostinato {

namespace detail {
template <class T>
class SolverSomewhere;
}  // namespace detail

/// A LinearSolver on the device that options.device names, "auto" included (choose_device()), for vectors in host
/// memory or in that of its GPU: what solve(A, b) has, kept.
///
///   ostinato::SolverOnDevice<double> solver(std::move(a), {.preconditioner = {"ilut"}});
///   auto results = solver.solve(b, x);
///
/// Shapes    A: m x n. b: m rows, x: n rows, as many columns as each other, apart from each other, each in host memory
///           or in that of the object's GPU.
/// Traffic   On a GPU each solve uploads b and x and downloads x, those that aren't there.
/// Exec      Waits. One thread at a time uses an object. Work on arrays in GPU memory has to be done before a call.
/// Layout    A Csr is taken over; the arrays of a CsrView are lent: on the CPU they must outlive the object,
///           unchanged; with OnSpace, which is for arrays in the memory of a GPU, also there.
///           A map that is an Operator is solved with as LinearSolver does: with a preconditioner, in its format.
/// Throws    As LinearSolver; DimensionError for other shapes, before any work; DeviceError where the GPU can't be
///           used. A map is of the CPU: ArgumentError for another device than auto and cpu, and for vectors in the
///           memory of a GPU where the object isn't on it.
template <class T>
class SolverOnDevice {
 public:
  SolverOnDevice(Csr<T>&& a, LinearSolverOptions options);
  SolverOnDevice(const CsrView<T>& a, LinearSolverOptions options);
  /// On the GPU that has the arrays, which "auto" and "cuda" then name.
  /// Requires  As SpaceCsr with OnSpace.
  /// Throws    ArgumentError for another device; as SpaceCsr.
  SolverOnDevice(const CsrView<T>& a, OnSpace, LinearSolverOptions options);
  SolverOnDevice(const Stencil& a, LinearSolverOptions options);
  SolverOnDevice(std::shared_ptr<const LinearMap<Host, T>> a, LinearSolverOptions options);
  SolverOnDevice(SolverOnDevice&&) noexcept;
  SolverOnDevice& operator=(SolverOnDevice&&) noexcept;
  ~SolverOnDevice();

  std::size_t rows() const;
  std::size_t cols() const;

  /// Solves for each column of b from that of x. A result for each.
  std::vector<SolveResult> solve(Block<const T> b, Block<T> x, const SolveOptions& options);
  std::vector<SolveResult> solve(Block<const T> b, Block<T> x) { return solve(b, x, options().solve); }

  /// The solve of a set-up that serves it alone: options().solve.time_limit is for set-up and solve together.
  std::vector<SolveResult> solve_once(Block<const T> b, Block<T> x);

  /// As LinearSolver::update_values().
  void update_values(Csr<T>&& a);
  /// From the memory of the object's GPU, where the arrays are copied.
  void update_values(const CsrView<T>& a, OnSpace);

  /// z = A^-1 r to options.rtol, as LinearSolver::as_preconditioner() does.
  void precondition(Block<const T> r, Block<T> z, const SolveOptions& options) const;

  const SetUp& set_up() const;
  const LinearSolverOptions& options() const;
  const std::string& device() const { return device_; }          ///< "AMD EPYC 9554, 16 threads"
  const DeviceSeconds& predicted() const { return predicted_; }  ///< of a whole answer on each device
  double set_up_seconds() const { return seconds_; }

 private:
  template <class Make>
  void make(const SystemSize& size, LinearSolverOptions options, Make&& solver_on);
  void require_shapes(const Block<const T>& b, const Block<T>& x) const;

  std::string device_;
  DeviceSeconds predicted_;
  double seconds_ = 0;
  std::shared_ptr<const LinearMap<Host, T>> map_;  ///< where A is one
  std::unique_ptr<detail::SolverSomewhere<T>> solver_;
};

extern template class SolverOnDevice<double>;
extern template class SolverOnDevice<float>;

}  // namespace ostinato
