// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include <ostinato/preconditioners/contract/preconditioner.hpp>
#include <ostinato/spmv/base/stop.hpp>
#include <ostinato/spmv/matrix/csr.hpp>
#include <ostinato/spmv/team/distributed_operator.hpp>
#include <ostinato/spmv/team/distributed_stencil.hpp>

namespace ostinato {

/// A preconditioner for a matrix of which each rank has some rows; null for "none".
///
/// jacobi, spai0 and chebyshev are those of the whole matrix: a solve takes the same iterations on any number of ranks.
/// chebyshev has degree 4, of the fourth kind, on an interval that ends at the largest row sum of |D^-1 A|.
/// So are fsai (fsai/distributed_fsai.hpp) and block-jacobi, whose blocks end at multiples of Partition::block rows.
/// So is multigrid on a grid of constant coefficients (SlabMultigrid). Elsewhere its groups don't cross ranks, and a
/// solve takes an iteration more at most where ghosts are few (DistributedMultigrid).
/// ssor, ilu0, iluk, ilut, ic0, ict, lu and cholesky are made by each rank of the rows and columns
/// that it has (additive Schwarz without overlap): nothing is exchanged, and the iterations grow with the ranks.
///
/// `mine`: the rows of this rank, with sorted columns of the whole matrix. `options`: as for the same name without
/// ranks (preconditioners/list.hpp); jacobi, spai0 and chebyshev take none. `stop`: looked at while multigrid and
/// factors are made. `mem_limit`: bytes that it may keep on this rank; 0: what is free.
/// Exec      Collective.
/// Throws    ArgumentError for what there isn't, and where a rank can't make its part: RankError on the others.
///           Stopped.
template <class Local, class T>
std::unique_ptr<PreconditionerBase<Distributed<Local>, T>> distributed_preconditioner(
    const DistributedOperator<Local, T>& a, const CsrView<T>& mine, std::string_view name,
    std::string_view options = {}, const StopRequest& stop = {}, std::size_t mem_limit = 0);

/// The same for a stencil: none, jacobi, chebyshev, and multigrid for constant coefficients.
template <class Local, class T>
std::unique_ptr<PreconditionerBase<Distributed<Local>, T>> distributed_preconditioner(
    const DistributedStencil<Local, T>& a, std::string_view name, std::string_view options = {},
    const StopRequest& stop = {}, std::size_t mem_limit = 0);

/// The names, for help texts and messages.
std::string distributed_preconditioner_names();

}  // namespace ostinato
