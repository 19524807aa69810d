// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>

#include <ostinato/preconditioners/contract/preconditioner.hpp>
#include <ostinato/solvers/list.hpp>
#include <ostinato/solvers/options.hpp>
#include <ostinato/spmv/linear_operator.hpp>

namespace ostinato {

/// The time of an iteration by the bytes that it moves: decisions go by it, so that equal calls decide alike.
///
/// Model     A product reads what A keeps, an application what M keeps unless M predicts its time, the method some ten
///           vectors, and its basis twice for each new vector, half of it on average. 40 GB/s on a CPU where that fits
///           into 32 MB of cache, otherwise 15; 1 us more for each product and application. On a GPU its bandwidth, and
///           15 us in which the kernels start (CG with Jacobi on xenon1 takes 22 us, GMRES on wang3 34; H200, 2026-11).
///           An estimate within a factor of 2 on two cores of an AMD EPYC, whatever the number of threads.
template <class Space, class T>
double iteration_seconds(const Space& space, const OperatorRef<Space, T>& a, const PreconditionerRef<Space, T>& m,
                         const SolverInfo& method, const SolveOptions& options) {
  const auto rows = static_cast<double>(a.rows());
  constexpr double vectors = 10, cache = 32e6, in_cache = 40e9, beyond = 15e9;
  const double start = Space::has_streams ? 15e-6 : 1e-6;
  const auto products = static_cast<double>(method.products_per_iteration);
  const bool is_predicted = m.seconds() > 0;
  const double of_m = is_predicted ? 0 : static_cast<double>(m.bytes());
  constexpr int usual = 200;  // vectors of an automatic restart
  const int longest = options.restart == automatic_restart ? usual : options.restart;
  const double basis = method.own_options.restart ? 2.0 * sizeof(T) * std::min<double>(longest, rows) * rows : 0;
  const double moved = products * (static_cast<double>(a.bytes()) + of_m) + vectors * sizeof(T) * rows + basis;
  double speed = moved > cache ? beyond : in_cache;
  if constexpr (Space::has_streams) speed = space.bandwidth();
  const double launches = products * start * (m.is_identity() || is_predicted ? 1 : 2);
  return launches + moved / speed + (is_predicted ? products * m.seconds() : 0);
}

}  // namespace ostinato
