// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/preconditioners/any_preconditioner.hpp>
#include <ostinato/solvers/bicgstab.hpp>
#include <ostinato/solvers/cg.hpp>
#include <ostinato/solvers/gmres.hpp>
#include <ostinato/solvers/solve.hpp>
#include <ostinato/spmv/matrix/csr.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/error.hpp>
#include <ostinato/spmv/matrix/generate.hpp>
#include <ostinato/spmv/space/host.hpp>
#include <ostinato/spmv/matrix/io/matrix_market.hpp>
#include <ostinato/spmv/operator.hpp>
#include <ostinato/spmv/analysis/search_engine.hpp>
#include <ostinato/spmv/space/vector.hpp>
#include <ostinato/spmv/version.hpp>
