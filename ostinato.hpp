// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// All that users call. A format of your own includes <ostinato/spmv/formats/list.hpp> as well.

#include <ostinato/preconditioners/any_preconditioner.hpp>
#include <ostinato/preconditioners/identity.hpp>
#include <ostinato/preconditioners/jacobi.hpp>
#include <ostinato/solvers/solve.hpp>
#include <ostinato/spmv/matrix/generate.hpp>
#include <ostinato/spmv/matrix/io/matrix_market.hpp>
#include <ostinato/spmv/operator.hpp>
#include <ostinato/spmv/space/error.hpp>
#include <ostinato/spmv/space/vector.hpp>
#include <ostinato/spmv/version.hpp>
