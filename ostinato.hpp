// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The public interface: matrices, operators, preconditioners and solvers. Code that adds its own storage format also
// includes <ostinato/spmv/formats/list.hpp>.

#include <ostinato/preconditioners/block_jacobi.hpp>
#include <ostinato/preconditioners/chebyshev.hpp>
#include <ostinato/preconditioners/fsai/fsai.hpp>
#include <ostinato/preconditioners/function_preconditioner.hpp>
#include <ostinato/preconditioners/identity.hpp>
#include <ostinato/preconditioners/jacobi.hpp>
#include <ostinato/preconditioners/multigrid/multigrid.hpp>
#include <ostinato/preconditioners/spai0.hpp>
#include <ostinato/preconditioners/ssor.hpp>
#include <ostinato/spmv/algebra/extract.hpp>
#include <ostinato/spmv/algebra/filter.hpp>
#include <ostinato/spmv/algebra/scale.hpp>
#include <ostinato/spmv/algebra/sum.hpp>
#include <ostinato/spmv/algebra/triple_product.hpp>
#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/dense/tridiagonal.hpp>
#include <ostinato/spmv/function_operator.hpp>
#include <ostinato/spmv/matrix/csr_from.hpp>
#include <ostinato/spmv/matrix/generate.hpp>
#include <ostinato/spmv/matrix/io/matrix_market.hpp>
#include <ostinato/spmv/operator.hpp>
#include <ostinato/spmv/ordering/breadth_first.hpp>
#include <ostinato/spmv/ordering/clusters.hpp>
#include <ostinato/spmv/ordering/nested_dissection.hpp>
#include <ostinato/spmv/ordering/renumber.hpp>
#include <ostinato/spmv/selection/numbering.hpp>
#include <ostinato/spmv/space/vector.hpp>
#include <ostinato/spmv/stencil/stencil_operator.hpp>
#include <ostinato/spmv/transposable_operator.hpp>
#include <ostinato/spmv/version.hpp>
#include <ostinato/strategy/any_preconditioner.hpp>
#include <ostinato/strategy/distributed_solve.hpp>
#include <ostinato/strategy/distributed_stencil_solve.hpp>
#include <ostinato/strategy/examination.hpp>
#include <ostinato/strategy/front_door.hpp>
#include <ostinato/strategy/least_squares_preconditioner.hpp>
#include <ostinato/strategy/linear_solver.hpp>
#include <ostinato/strategy/solve.hpp>
#include <ostinato/strategy/solve_by_name.hpp>
#include <ostinato/strategy/solver_on_device.hpp>
