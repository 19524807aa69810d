// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The bodies of the methods, for programs that bring a space of their own (spmv/space/concept.hpp). The library has
// them compiled for Host and Cuda, so that other programs need none of these headers.

#include <ostinato/solvers/bicgstab2_definition.hpp>
#include <ostinato/solvers/bicgstab_definition.hpp>
#include <ostinato/solvers/cg_definition.hpp>
#include <ostinato/solvers/diagnosis_definition.hpp>
#include <ostinato/solvers/gcrodr_definition.hpp>
#include <ostinato/solvers/gmres_definition.hpp>
#include <ostinato/solvers/gradient_judge_definition.hpp>
#include <ostinato/solvers/idr_definition.hpp>
#include <ostinato/solvers/lsmr_definition.hpp>
#include <ostinato/solvers/minres_definition.hpp>
#include <ostinato/solvers/residual_judge_definition.hpp>
#include <ostinato/solvers/scaled_system_definition.hpp>
#include <ostinato/spmv/space/multi_vector_definition.hpp>
#include <ostinato/spmv/space/vector_steps_definition.hpp>
