// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <utility>

#include <ostinato/preconditioners/contract/preconditioner.hpp>
#include <ostinato/spmv/linear_map.hpp>
#include <ostinato/spmv/operator.hpp>
#include <ostinato/spmv/space/host.hpp>

// What Python objects hold, on the CPU.

namespace ostinato::python {

/// A matrix in its format, or a function, as an operator; where it was asked for with its transpose.
template <class T>
struct HeldOperator {
  std::shared_ptr<const LinearMap<Host, T>> map;
  const Operator<Host, T>* matrix = nullptr;  ///< of map, where it is one
};

template <class T>
struct HeldPreconditioner {
  std::shared_ptr<const PreconditionerBase<Host, T>> m;
  std::shared_ptr<std::mutex> one_at_a_time = std::make_shared<std::mutex>();
};

}  // namespace ostinato::python
