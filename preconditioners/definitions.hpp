// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The bodies of preconditioners, for programs that bring a space of their own (spmv/space/concept.hpp).

#include <ostinato/preconditioners/chebyshev_definition.hpp>
#include <ostinato/preconditioners/jacobi_definition.hpp>
#include <ostinato/preconditioners/largest_eigenvalue_definition.hpp>
#include <ostinato/spmv/definitions.hpp>
