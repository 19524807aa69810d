// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include <ostinato/preconditioners/multigrid/multigrid.hpp>
#include <ostinato/spmv/stencil/stencil_operator.hpp>
#include <ostinato/strategy/any_preconditioner.hpp>

namespace ostinato {

/// Multigrid for a matrix that is a stencil, with the reason; or no preconditioner, with the reason.
template <class Space, class T>
struct StencilPreconditioner {
  std::optional<Multigrid<Space, T>> multigrid;
  std::string reason;
};

/// What "auto" takes: multigrid, unless it can't be made, its cycle shrinks an error too little, or so few iterations
/// are predicted without it that it doesn't pay.
///
/// Exec      As the constructor of Multigrid.
/// Throws    MemoryLimitError, DeviceError, std::bad_alloc.
template <class Space, class T>
StencilPreconditioner<Space, T> choose_preconditioner(const StencilOperator<Space, T>& a, const MemoryBudget& memory);

}  // namespace ostinato
