// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The bodies of operators and analyses, for programs that bring a space of their own (spmv/space/concept.hpp).

#include <ostinato/spmv/algebra/accurate_residual_definition.hpp>
#include <ostinato/spmv/algebra/extract_definition.hpp>
#include <ostinato/spmv/algebra/filter_definition.hpp>
#include <ostinato/spmv/algebra/norms_definition.hpp>
#include <ostinato/spmv/algebra/product_definition.hpp>
#include <ostinato/spmv/algebra/rearrangement_definition.hpp>
#include <ostinato/spmv/algebra/scale_definition.hpp>
#include <ostinato/spmv/algebra/sum_definition.hpp>
#include <ostinato/spmv/algebra/transpose_definition.hpp>
#include <ostinato/spmv/analysis/analysis_definition.hpp>
#include <ostinato/spmv/analysis/grid_definition.hpp>
#include <ostinato/spmv/analysis/host_analyses.hpp>
#include <ostinato/spmv/analysis/scaled_structure_definition.hpp>
#include <ostinato/spmv/formats/list_definition.hpp>
#include <ostinato/spmv/matrix/space_csr_definition.hpp>
#include <ostinato/spmv/operator_definition.hpp>
#include <ostinato/spmv/selection/select_format_definition.hpp>
#include <ostinato/spmv/selection/tuner_definition.hpp>
#include <ostinato/spmv/space/atomic.hpp>
#include <ostinato/spmv/space/multi_vector_definition.hpp>
#include <ostinato/spmv/space/vector_steps_definition.hpp>
#include <ostinato/spmv/stencil/stencil_operator_definition.hpp>
#include <ostinato/spmv/transposable_operator_definition.hpp>
