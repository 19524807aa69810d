// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The bodies of preconditioners, for programs that bring a space of their own (spmv/space/concept.hpp).

#include <ostinato/preconditioners/chebyshev_definition.hpp>
#include <ostinato/preconditioners/fsai/fsai_definition.hpp>
#include <ostinato/preconditioners/ilu/incomplete_lu_definition.hpp>
#include <ostinato/preconditioners/ilu/zero_fill_definition.hpp>
#include <ostinato/preconditioners/jacobi_definition.hpp>
#include <ostinato/preconditioners/largest_eigenvalue_definition.hpp>
#include <ostinato/preconditioners/list_definition.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/aggregation_definition.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/aggressive_definition.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/coarse_inverse_definition.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/coarsening_definition.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/cycle_definition.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/groups_definition.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/hierarchy_definition.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/interpolation_definition.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/level_smoother_definition.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/near_null_space_definition.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/pairs_definition.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/pairwise_aggregation_definition.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/plain_aggregation_definition.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/smoothed_aggregation_definition.hpp>
#include <ostinato/preconditioners/multigrid/multigrid_definition.hpp>
#include <ostinato/preconditioners/multigrid/structured/cycle_definition.hpp>
#include <ostinato/preconditioners/multigrid/structured/hierarchy_by_class_definition.hpp>
#include <ostinato/preconditioners/multigrid/structured/hierarchy_definition.hpp>
#include <ostinato/preconditioners/ssor_definition.hpp>
#include <ostinato/preconditioners/triangular/factored_definition.hpp>
#include <ostinato/preconditioners/triangular/sweep_definition.hpp>
#include <ostinato/spmv/definitions.hpp>
