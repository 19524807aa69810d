// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The bodies of preconditioners, for programs that bring a space of their own (spmv/space/concept.hpp).

#include <ostinato/preconditioners/chebyshev_definition.hpp>
#include <ostinato/preconditioners/fsai/fsai_definition.hpp>
#include <ostinato/preconditioners/ilu/approximate_factored_definition.hpp>
#include <ostinato/preconditioners/ilu/factored_definition.hpp>
#include <ostinato/preconditioners/ilu/incomplete_lu_definition.hpp>
#include <ostinato/preconditioners/ilu/isai_definition.hpp>
#include <ostinato/preconditioners/ilu/sweep_definition.hpp>
#include <ostinato/preconditioners/ilu/zero_fill_definition.hpp>
#include <ostinato/preconditioners/jacobi_definition.hpp>
#include <ostinato/preconditioners/largest_eigenvalue_definition.hpp>
#include <ostinato/spmv/definitions.hpp>
