// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The bodies of the methods, for programs that bring a space of their own (spmv/space/concept.hpp). The library has
// them compiled for Host and Cuda, so that other programs need none of these headers.

#include <ostinato/solvers/methods/bicgstab2_definition.hpp>
#include <ostinato/solvers/methods/bicgstab_definition.hpp>
#include <ostinato/solvers/methods/cg_definition.hpp>
#include <ostinato/solvers/methods/gcrodr_definition.hpp>
#include <ostinato/solvers/methods/gmres_definition.hpp>
#include <ostinato/solvers/methods/idr_definition.hpp>
#include <ostinato/solvers/methods/lsmr_definition.hpp>
#include <ostinato/solvers/methods/minres_definition.hpp>
#include <ostinato/solvers/recurrence/diagnosis_definition.hpp>
#include <ostinato/solvers/recurrence/gradient_judge_definition.hpp>
#include <ostinato/solvers/recurrence/residual_judge_definition.hpp>
#include <ostinato/solvers/recurrence/scaled_system_definition.hpp>
#include <ostinato/spmv/space/multi_vector_definition.hpp>
#include <ostinato/spmv/space/vector_steps_definition.hpp>
