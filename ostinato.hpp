// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/preconditioners/registry.hpp>
#include <ostinato/solvers/bicgstab.hpp>
#include <ostinato/solvers/cg.hpp>
#include <ostinato/solvers/gmres.hpp>
#include <ostinato/solvers/solve.hpp>
#include <ostinato/spmv/csr.hpp>
#include <ostinato/spmv/cuda.hpp>
#include <ostinato/spmv/error.hpp>
#include <ostinato/spmv/generate.hpp>
#include <ostinato/spmv/host.hpp>
#include <ostinato/spmv/io/matrix_market.hpp>
#include <ostinato/spmv/operator.hpp>
#include <ostinato/spmv/search_engine.hpp>
#include <ostinato/spmv/vector.hpp>
#include <ostinato/spmv/version.hpp>
